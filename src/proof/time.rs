use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{Fate, LogFacts, Proof, Proved};
use crate::{store::LogEntry, timeline::short};

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Time.of("entries");
    let is_later = |one: Timestamp, two: Timestamp| one.duration_since(two) > facts.tolerance;
    // Each clone's lines by their number.
    let mut writers: BTreeMap<&str, BTreeMap<u64, &LogEntry>> = BTreeMap::new();
    let mut before: Option<Timestamp> = None;
    for commit in facts.logs.iter().flat_map(|log| &log.commits) {
        match (commit.time, before) {
            (None, _) => {
                let why = format!("the date of {} can't be read", short(commit.id));
                proved.cant_tell.push(why);
            }
            (Some(time), Some(before)) if commit.parents > 0 && is_later(before, time) => {
                let why = format!("{} is dated before its parent", short(commit.id));
                proved.cant_tell.push(why);
            }
            _ => {}
        }
        before = commit.time.or(before);
        // Imported lines have the times of another program.
        let own = commit.added.iter().filter_map(|line| line.entry.as_ref());
        for entry in own.filter(|entry| entry.place.is_some()) {
            if let Some((writer, n)) = &entry.place {
                writers.entry(writer).or_default().insert(*n, entry);
            }
            let (id, at) = (&entry.id, entry.at);
            if facts.accepted.contains(id) {
                proved.add(Fate::Holds);
                continue;
            }
            let head = entry.head.and_then(|head| facts.heads.get(&head));
            proved.add(match head {
                Some(head) if is_later(*head, at) => {
                    Fate::Fails(format!("{id} is dated {at}, before its commit ({head})"))
                }
                _ => match commit.time.filter(|published| is_later(at, *published)) {
                    Some(published) => Fate::Fails(format!(
                        "{id} is dated {at}, after it was published ({published})"
                    )),
                    None => Fate::Holds,
                },
            });
        }
    }
    for lines in writers.values() {
        for ((_, one), (_, two)) in lines.iter().zip(lines.iter().skip(1)) {
            if is_later(one.at, two.at) && !facts.accepted.contains(&two.id) {
                proved.fails.push(format!(
                    "{} is dated {}, before the line that it follows ({})",
                    two.id, two.at, one.at
                ));
                proved.holds = proved.holds.saturating_sub(1);
            }
        }
    }
    proved
}
