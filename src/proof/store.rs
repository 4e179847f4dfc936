use super::{Fate, LogFacts, Proof, Proved};
use crate::{entry::short_sid, timeline::short};

pub fn prove(facts: &LogFacts) -> Proved {
    let mut proved = Proof::Store.of("changes to the questions");
    if facts.is_shallow {
        proved.cant_tell.push("the history of the code is cut off".to_owned());
    }
    proved.cant_tell.extend(facts.store_unknown.clone());
    for change in &facts.store_changes {
        let work = &change.work;
        let what = format!("{} changed {}", short(work.commit), change.what.join(", "));
        let is_by = |email: Option<&str>| email == Some(work.email.as_str());
        let session =
            facts.session_at(work, |session| session.is_agents && is_by(session.email.as_deref()));
        proved.add(match (&work.agent, session) {
            (Some(agent), _) => Fate::Fails(format!("{what}, and names {agent} as its author")),
            (None, Some(session)) => Fate::CantTell(format!(
                "{what} during the agent's session {}, under the same identity",
                short_sid(&session.sid)
            )),
            (None, None) => Fate::Holds,
        });
    }
    proved
}
