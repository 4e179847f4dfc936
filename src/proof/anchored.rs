use super::{Fate, LogFacts, Proof, Proved};
use crate::timeline::short;

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Anchored.of("remembered states");
    let states = facts.states();
    for (name, state) in &facts.remembered {
        proved.add(if states.contains(state) {
            Fate::Holds
        } else {
            let state = short(*state);
            Fate::Fails(format!(
                "{name} remembers the log at {state}, which is not part of its history"
            ))
        });
    }
    if let Some(checkpoint) = &facts.checkpoint {
        let held = facts.logs.iter().any(|log| checkpoint.holds(log));
        proved.add(if held {
            Fate::Holds
        } else {
            Fate::Fails(format!(
                "the first {} lines are not those of the checkpoint",
                checkpoint.size
            ))
        });
    }
    proved
}
