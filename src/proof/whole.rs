use std::collections::BTreeMap;

use super::{Fate, LogFacts, Proof, Proved};
use crate::store::{LogEntry, LogHistory};

/// Lines of one clone with one number: the digest of each, and the entry.
type Same<'f> = BTreeMap<&'f str, &'f LogEntry>;

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Whole.of("numbered lines");
    let mut writers: BTreeMap<&str, BTreeMap<u64, Same>> = BTreeMap::new();
    for line in facts.logs.iter().flat_map(LogHistory::lines) {
        if let Some(entry) = &line.entry
            && let Some((writer, n)) = &entry.place
        {
            let same = writers.entry(writer).or_default().entry(*n).or_default();
            same.insert(&line.digest, entry);
        }
    }
    for (writer, lines) in &writers {
        let mut before: Option<(u64, &Same)> = None;
        for (&n, same) in lines {
            let follows = |entry: &LogEntry| {
                let (last, same) = before.filter(|(last, _)| last + 1 == n)?;
                let prev = entry.prev.as_deref();
                (!prev.is_some_and(|prev| same.contains_key(prev))).then_some(last)
            };
            for entry in same.values() {
                let id = &entry.id;
                proved.add(if same.len() > 1 {
                    Fate::Fails(format!(
                        "{id}: {} lines of clone {writer} have the number {n}",
                        same.len()
                    ))
                } else if let Some(last) = follows(entry) {
                    Fate::Fails(format!(
                        "{id}: line {n} of clone {writer} names another line {last} than there is"
                    ))
                } else {
                    Fate::Holds
                });
            }
            let expected = before.map_or(1, |(last, _)| last + 1);
            if expected < n {
                let gap = if expected + 1 == n {
                    format!("line {expected}")
                } else {
                    format!("lines {expected} to {}", n - 1)
                };
                proved
                    .cant_tell
                    .push(format!("{gap} of clone {writer} are not here"));
                proved.of += 1;
            }
            before = Some((n, same));
        }
    }
    proved
}
