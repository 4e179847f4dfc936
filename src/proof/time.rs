use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{Fate, LogFacts, Proof, Proved};
use crate::{
    store::{LogCommit, LogEntry},
    timeline::short,
};

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Time.of("entries");
    let misdated = misdated(facts);
    let mut before: Option<Timestamp> = None;
    for commit in facts.logs.iter().flat_map(|log| &log.commits) {
        match (commit.time, before) {
            (None, _) => {
                let why = format!("the date of {} can't be read", short(commit.id));
                proved.cant_tell.push(why);
            }
            (Some(time), Some(before)) if commit.parents > 0 && is_later(facts, before, time) => {
                let why = format!("{} is dated before its parent", short(commit.id));
                proved.cant_tell.push(why);
            }
            _ => {}
        }
        before = commit.time.or(before);
    }
    for line in facts.numbered() {
        let id = &line.entry.id;
        proved.add(match (misdated.get(id.as_str()), line.entry.head) {
            (Some(why), _) => Fate::Fails(format!("{id} is {why}")),
            (None, Some(head)) if !facts.heads.contains_key(&head) => {
                Fate::CantTell(format!("{id}: its commit {} is not here", short(head)))
            }
            _ => Fate::Holds,
        });
    }
    proved
}

/// The entries with a date that can't be, unless a person closed them, and why.
pub fn misdated(facts: &LogFacts) -> BTreeMap<&str, String> {
    let mut found: Vec<(&LogEntry, String)> = Vec::new();
    for commit in facts.logs.iter().flat_map(|log| &log.commits) {
        for entry in numbered(commit) {
            let head = entry.head.and_then(|head| facts.heads.get(&head));
            if let Some(head) = head.filter(|head| is_later(facts, **head, entry.at)) {
                found.push((entry, format!("before its commit ({head})")));
            }
            if let Some(time) = commit.time.filter(|time| is_later(facts, entry.at, *time)) {
                found.push((entry, format!("after it was published ({time})")));
            }
        }
    }
    let numbered = facts.numbered();
    for (line, next) in numbered.iter().zip(numbered.iter().skip(1)) {
        let (before, entry) = (line.entry.at, next.entry);
        if line.writer == next.writer && line.n < next.n && is_later(facts, before, entry.at) {
            found.push((entry, format!("before the line that it follows ({before})")));
        }
    }
    found.retain(|(entry, _)| !facts.closed.contains(&entry.id));
    // The first reason is shown.
    found
        .into_iter()
        .rev()
        .map(|(entry, why)| (entry.id.as_str(), format!("dated {}, {why}", entry.at)))
        .collect()
}

/// Imported lines, which have the times of another program, have no number.
fn numbered(commit: &LogCommit) -> impl Iterator<Item = &LogEntry> {
    commit.added.iter().filter_map(|line| line.entry.as_ref()).filter(|entry| entry.place.is_some())
}

fn is_later(facts: &LogFacts, one: Timestamp, two: Timestamp) -> bool {
    one.duration_since(two) > facts.tolerance
}
