//! Writing a session's row anew: what is handed in, upon what the row said before.

use clap::Args;
use serde::Deserialize;

use super::{Error, Named, RowSource, StateRow};
use crate::{
    entry::{Agent, Envelope, State, Ts},
    git::Repo,
    store::LocalState,
};

/// The fields of a state as an agent gives them: one that is left out keeps its value, an empty one is cleared.
#[derive(Debug, Clone, Default, Args, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StateInput {
    /// How things stand, in at most 280 characters
    #[arg(long, value_name = "TEXT")]
    status: Option<String>,
    /// What the next session has to know, in at most 500 characters
    #[arg(long, value_name = "TEXT")]
    handover: Option<String>,
    /// What was done, with citations; may be repeated up to 5 times
    #[arg(long, value_name = "TEXT")]
    done: Option<Vec<String>>,
    /// What is half done; may be repeated up to 5 times
    #[arg(long, value_name = "TEXT")]
    doing: Option<Vec<String>>,
    /// What is blocked, and by what; may be repeated up to 5 times
    #[arg(long, value_name = "TEXT")]
    blocked: Option<Vec<String>>,
    /// What comes next; may be repeated up to 5 times
    #[arg(long, value_name = "TEXT")]
    next: Option<Vec<String>>,
}

impl StateInput {
    /// Every text that was handed in.
    pub fn texts(&self) -> impl Iterator<Item = &String> {
        let texts = [&self.status, &self.handover].into_iter().flatten();
        let lists = [&self.done, &self.doing, &self.blocked, &self.next];
        texts.chain(lists.into_iter().flatten().flatten())
    }

    /// Returns true if nothing was handed in.
    pub fn is_empty(&self) -> bool {
        let lists = [&self.done, &self.doing, &self.blocked, &self.next];
        self.status.is_none() && self.handover.is_none() && lists.into_iter().all(Option::is_none)
    }

    /// Returns true if it says what was done, and so what that rests on.
    pub fn sets_done(&self) -> bool {
        self.done.is_some()
    }

    /// The state that a session's row becomes.
    pub fn upon(self, before: Option<&StateRow>) -> State {
        let written = before.filter(|row| row.source != RowSource::Auto);
        let before = written.map(|row| row.state.clone()).unwrap_or_default();
        let cites = if self.done.is_some() {
            Vec::new()
        } else {
            before.cites
        };
        State {
            status: self.status.unwrap_or(before.status),
            handover: self.handover.unwrap_or(before.handover),
            done: self.done.unwrap_or(before.done),
            doing: self.doing.unwrap_or(before.doing),
            blocked: self.blocked.unwrap_or(before.blocked),
            next: self.next.unwrap_or(before.next),
            cites,
        }
    }
}

/// Refuses to write the row of another agent, and with an option, which may name anybody's, that of a session that has
/// ended. `row` is what the session said so far, `agent` who writes.
pub fn check_row(
    repo: &Repo,
    named: Named,
    row: Option<&StateRow>,
    agent: Option<&Agent>,
) -> Result<(), Error> {
    let Some(sid) = named.name() else {
        return Ok(());
    };
    let mut running = LocalState::read(repo)?.sessions.into_values();
    let running = running.find(|session| session.sid == sid);
    if named.option.is_some() && running.is_none() && row.is_some_and(|row| row.end.is_some()) {
        return Err(Error::Ended(sid.to_owned()));
    }
    let started_by = running.and_then(|session| session.agent?.name);
    let owner = row.and_then(|row| row.agent.clone()).or(started_by);
    match (owner, agent.and_then(|agent| agent.name.as_ref())) {
        (Some(owner), Some(agent)) if owner != *agent => {
            Err(Error::OfAnother(sid.to_owned(), owner, agent.clone()))
        }
        _ => Ok(()),
    }
}

/// Has an entry take the agent's name from the session's row so far, where it has none, and a later time.
pub fn follow(envelope: &mut Envelope, before: &StateRow) {
    if let Some(name) = &before.agent {
        let agent = envelope.agent.get_or_insert_default();
        agent.name.get_or_insert_with(|| name.clone());
    }
    // The clock went back, or no time has passed: what is said last still counts.
    if before.source != RowSource::Auto && before.ts >= envelope.ts {
        envelope.ts = Ts::from_millis(before.ts.as_millis() + 1);
    }
}
