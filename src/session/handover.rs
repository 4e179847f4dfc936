//! Replaces a session's row: the given fields over those of the row before.

use clap::Args;
use serde::Deserialize;

use super::{Error, Named, RowSource, StateRow};
use crate::{
    entry::{Agent, Envelope, State, Ts},
    git::Repo,
    store::LocalState,
};

/// The fields of a state that an agent gives: an omitted one keeps its value, an empty one is cleared.
#[derive(Debug, Clone, Default, PartialEq, Args, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StateInput {
    /// The present situation, in at most 280 characters
    #[arg(long, value_name = "TEXT")]
    status: Option<String>,
    /// Notes for the next session, in at most 500 characters
    #[arg(long, value_name = "TEXT")]
    handover: Option<String>,
    /// Finished work, with citations; may be repeated up to 5 times
    #[arg(long, value_name = "TEXT")]
    pub done: Option<Vec<String>>,
    /// Unfinished work; may be repeated up to 5 times
    #[arg(long, value_name = "TEXT")]
    doing: Option<Vec<String>>,
    /// Blocked work, and its obstacles; may be repeated up to 5 times
    #[arg(long, value_name = "TEXT")]
    blocked: Option<Vec<String>>,
    /// Next steps; may be repeated up to 5 times
    #[arg(long, value_name = "TEXT")]
    next: Option<Vec<String>>,
}

impl StateInput {
    pub fn texts(&self) -> impl Iterator<Item = &String> {
        let texts = [&self.status, &self.handover].into_iter().flatten();
        let lists = [&self.done, &self.doing, &self.blocked, &self.next];
        texts.chain(lists.into_iter().flatten().flatten())
    }

    pub fn upon(self, before: Option<&StateRow>) -> State {
        let before = before
            .filter(|row| row.source != RowSource::Auto)
            .map(|row| row.state.clone())
            .unwrap_or_default();
        let cites = if self.done.is_some() { Vec::new() } else { before.cites };
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

/// `row` is the session's row so far, `agent` the author; an option may name any session.
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
        return Err(Error::refused(
            format!("session {sid} has ended"),
            "nothing was written; leave out --sid, or resume it: git sq session start --sid NAME",
        ));
    }
    let started_by = running.and_then(|session| session.agent?.name);
    let owner = row.and_then(|row| row.agent.clone()).or(started_by);
    match (owner, agent.and_then(|agent| agent.name.as_ref())) {
        (Some(owner), Some(agent)) if owner != *agent => Err(Error::refused(
            format!("session {sid} belongs to {owner}, not to {agent}"),
            "nothing was written; leave out --sid and SQ_SESSION to write a state of your own",
        )),
        _ => Ok(()),
    }
}

/// Completes an entry with the agent of the session's row so far, if it has none, and with a later time.
pub fn follow(envelope: &mut Envelope, before: &StateRow) {
    if let Some(name) = &before.agent {
        envelope.agent.get_or_insert_default().name.get_or_insert_with(|| name.clone());
    }
    // If the clock went back, or no time has passed, the last entry must still be the newest.
    if before.source != RowSource::Auto && before.ts >= envelope.ts {
        envelope.ts = Ts::from_millis(before.ts.as_millis() + 1);
    }
}
