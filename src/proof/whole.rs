use super::{Fate, LogFacts, Numbered, Proof, Proved};
use crate::store::LogHistory;

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Whole.of("numbered lines");
    for lines in facts.numbered().chunk_by(|line, next| line.writer == next.writer) {
        let mut before: &[Numbered] = &[];
        for same in lines.chunk_by(|line, next| line.n == next.n) {
            let Numbered { writer, n, .. } = same[0];
            let expected = before.first().map_or(1, |last| last.n + 1);
            for line in same {
                let id = &line.entry.id;
                let prev = line.entry.prev;
                let follows = before.iter().any(|last| Some(*last.digest) == prev);
                proved.add(if same.len() > 1 {
                    Fate::Fails(format!(
                        "{id}: {} lines of clone {writer} have the number {n}",
                        same.len()
                    ))
                } else if expected == n && !before.is_empty() && !follows {
                    Fate::Fails(format!(
                        "{id}: line {n} of clone {writer} has another `prev` than the digest of line {}",
                        n - 1
                    ))
                } else {
                    Fate::Holds
                });
            }
            if expected < n {
                let gap = if expected + 1 == n {
                    format!("line {expected}")
                } else {
                    format!("lines {expected} to {}", n - 1)
                };
                let by = same[0].entry.email.as_ref().map(|email| format!(" of {email}"));
                let by = by.unwrap_or_default();
                proved.cant_tell.push(format!("clone {writer}{by}: no {gap}"));
            }
            before = same;
        }
    }
    let entries = facts.logs.iter().flat_map(LogHistory::entries);
    let unnumbered = entries.filter(|entry| entry.place.is_none()).count();
    if unnumbered > 0 {
        let why = format!("{unnumbered} without a number: imported, or written by another program");
        proved.cant_tell.push(why);
    }
    proved
}
