use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{Fate, LogFacts, Proof, Proved};
use crate::store::LogEntry;

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Time.of("entries");
    let is_later = |one: Timestamp, two: Timestamp| one.duration_since(two) > facts.tolerance;
    // Each clone's lines by their number.
    let mut writers: BTreeMap<&str, BTreeMap<u64, &LogEntry>> = BTreeMap::new();
    for commit in facts.logs.iter().flat_map(|log| &log.commits) {
        // Imported lines have the times of another program.
        let own = commit.added.iter().filter_map(|line| line.entry.as_ref());
        for entry in own.filter(|entry| entry.place.is_some()) {
            if let Some((writer, n)) = &entry.place {
                writers.entry(writer).or_default().insert(*n, entry);
            }
            let (id, at) = (&entry.id, entry.at);
            let head = entry.head.and_then(|head| facts.heads.get(&head));
            proved.add(match head {
                Some(head) if is_later(*head, at) => {
                    Fate::Fails(format!("{id} is dated {at}, before its commit ({head})"))
                }
                _ if is_later(at, commit.time) => Fate::Fails(format!(
                    "{id} is dated {at}, after it was published ({})",
                    commit.time
                )),
                _ => Fate::Holds,
            });
        }
    }
    for lines in writers.values() {
        for ((_, one), (_, two)) in lines.iter().zip(lines.iter().skip(1)) {
            if is_later(one.at, two.at) {
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
