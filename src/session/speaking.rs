//! The session to which an entry would belong that is written now, and its answers so far.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, alive, name::running};
use crate::{
    entry::{Kind, Ts},
    git::Repo,
    question,
    store::{Events, Row, own_writer},
};

/// The current session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "StatusSession")]
pub struct Speaking {
    pub sid: String,
    /// The agent's name.
    pub agent: Option<String>,
    #[schemars(with = "String")]
    pub since: Ts,
    /// The questions that it answered so far.
    pub answered: Vec<String>,
}

/// The named session, else this worktree's current one, unless that has been silent for too long. Also `None` if the
/// named one has neither started nor written anything.
pub fn speaking(
    repo: &Repo,
    named: Option<&str>,
    now: Timestamp,
    log: &Events,
) -> Result<Option<Speaking>, Error> {
    let current = match named {
        Some(name) => running(repo, name)?,
        None => alive(repo, now)?,
    };
    let Some(sid) = current.as_ref().map(|session| &*session.sid).or(named) else {
        return Ok(None);
    };
    let writer = own_writer(repo)?;
    let is_own = |row: &&Row| log.sid(row) == sid && writer.as_deref() == Some(log.writer(row));
    let rows: Vec<&Row> = log.rows().iter().filter(is_own).collect();
    let since = match (&current, rows.first()) {
        (Some(session), _) => session.started,
        (None, Some(first)) => log.ts(first),
        (None, None) => return Ok(None),
    };
    let told =
        current.as_ref().and_then(|session| session.agent.clone()).and_then(|agent| agent.name);
    let wrote = rows.last().and_then(|row| log.agent(row));
    Ok(Some(Speaking {
        agent: told.or_else(|| wrote.map(str::to_owned)),
        answered: answered(log, &rows),
        sid: sid.to_owned(),
        since,
    }))
}

fn answered(log: &Events, rows: &[&Row]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let answering = rows.iter().filter(|row| row.is(Kind::Rederive));
    for answer in answering.flat_map(|row| log.answers(row)) {
        let (id, version) = log.question(answer.question);
        let name = question::name(id, version);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
