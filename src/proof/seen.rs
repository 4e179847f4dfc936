use std::collections::BTreeMap;

use super::{Fate, LogFacts, Proof, Proved};
use crate::{git::Oid, store::LogHistory, timeline::short};

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Seen.of("states that lines name");
    let states = facts.states();
    let entries = facts.logs.iter().flat_map(LogHistory::lines);
    let entries = entries.filter_map(|line| line.entry.as_ref());
    // The first line that names a state.
    let mut named: BTreeMap<Oid, &str> = BTreeMap::new();
    for entry in entries {
        if let Some(seen) = entry.seen {
            named.entry(seen).or_insert(&entry.id);
        }
    }
    for (seen, entry) in named {
        let state = short(seen);
        proved.add(if states.contains(&seen) {
            Fate::Holds
        } else if facts.here.contains(&seen) {
            Fate::Fails(format!(
                "{entry} knew the log at {state}, which is not part of its history"
            ))
        } else {
            Fate::CantTell(format!("{entry} knew a log at {state}, which is not here"))
        });
    }
    proved
}
