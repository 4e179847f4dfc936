use super::{Fate, LogFacts, Proof, Proved};
use crate::timeline::short;

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Anchored.of("remembered states");
    for remembered in &facts.remembered {
        let (by, state) = (&remembered.by, short(remembered.state));
        let is_meant = |name: &str| remembered.log.as_ref().is_none_or(|log| log == name);
        let known = format!("{by} remembers the log at {state}");
        proved.add(match facts.find(&known, remembered.state, |log| is_meant(&log.name)) {
            Fate::Fails(_) if remembered.may_be_newer => Fate::CantTell(format!(
                "{by} knows the log at {state}, later than the last fetch: run `git fetch`; if this stays, the log was rewound"
            )),
            fate => fate,
        });
    }
    if let Some(checkpoint) = &facts.checkpoint {
        proved.add(if facts.logs.iter().any(|log| checkpoint.holds(log)) {
            Fate::Holds
        } else if facts.logs.iter().any(|log| log.is_cut) {
            Fate::CantTell("the history of the log is cut off before the checkpoint".to_owned())
        } else {
            let lines = checkpoint.size;
            Fate::Fails(format!("the first {lines} lines are not those of the checkpoint"))
        });
    }
    proved
}
