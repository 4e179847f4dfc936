use std::collections::HashSet;

use super::{Fate, LogFacts, Proof, Proved};
use crate::{git::Oid, timeline::short};

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Coverage.of("commits by agents");
    let anchors: HashSet<&Oid> =
        facts.sessions.iter().flat_map(|session| &session.anchors).collect();
    if facts.is_shallow {
        proved.cant_tell.push("the history of the code is cut off".to_owned());
    }
    for work in &facts.agents_commits {
        let is_covered =
            anchors.contains(&work.commit) || facts.session_at(work, |_| true).is_some();
        let agent = work.agent.as_deref().unwrap_or_default();
        proved.add(if is_covered {
            Fate::Holds
        } else {
            Fate::CantTell(format!("{} names {agent}, and no session was open", short(work.commit)))
        });
    }
    proved
}
