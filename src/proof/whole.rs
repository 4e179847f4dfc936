use std::collections::BTreeMap;

use super::{Fate, LogFacts, Proof, Proved};
use crate::store::{LogEntry, LogHistory};

/// Lines of one clone with one number: the digest of each, and the entry.
type Same<'f> = BTreeMap<&'f str, &'f LogEntry>;

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Whole.of("numbered lines");
    let mut unnumbered = 0;
    let mut writers: BTreeMap<&str, BTreeMap<u64, Same>> = BTreeMap::new();
    for line in facts.logs.iter().flat_map(LogHistory::lines) {
        let Some(entry) = &line.entry else { continue };
        if let Some((writer, n)) = &entry.place {
            let same = writers.entry(writer).or_default().entry(*n).or_default();
            same.insert(&line.digest, entry);
        } else {
            unnumbered += 1;
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
                        "{id}: line {n} of clone {writer} has another `prev` than the digest of line {last}"
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
                proved.cant_tell.push(format!("clone {writer}: no {gap}"));
            }
            before = Some((n, same));
        }
    }
    if unnumbered > 0 {
        let why = format!("{unnumbered} without a number: imported, or written by another program");
        proved.cant_tell.push(why);
    }
    proved
}
