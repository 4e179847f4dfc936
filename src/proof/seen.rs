use std::collections::BTreeMap;

use super::{LogFacts, Proof, Proved};
use crate::{git::Oid, store::LogHistory, timeline::short};

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Seen.of("states that lines name");
    // The first line that names a state.
    let mut named: BTreeMap<(Oid, Oid), &str> = BTreeMap::new();
    for entry in facts.logs.iter().flat_map(LogHistory::entries) {
        if let Some(seen) = entry.seen {
            named.entry(seen).or_insert(&entry.id);
        }
    }
    for ((root, state), entry) in named {
        let known = format!("{entry} knew the log at {}", short(state));
        proved.add(facts.find(&known, state, |log| log.root() == Some(root)));
    }
    proved
}
