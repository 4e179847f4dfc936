use super::{Fate, LogFacts, Proof, Proved, Remembered};
use crate::timeline::short;

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Anchored.of("remembered states");
    let states = facts.states();
    for Remembered { by, state } in &facts.remembered {
        let is_unfetched = facts.unfetched.contains(state);
        proved.add(if states.contains(state) {
            Fate::Holds
        } else if is_unfetched {
            let state = short(*state);
            Fate::CantTell(format!(
                "{by} knows the log at {state}, and fetched it last before: `git fetch`"
            ))
        } else {
            let state = short(*state);
            Fate::Fails(format!(
                "{by} remembers the log at {state}, which is not part of its history"
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
