//! The common part of all entries that a session writes.

use jiff::Timestamp;
use ulid::Ulid;

use super::{Error, name::running};
use crate::{
    entry::{Agent, Envelope, TOOL, Text, Ts, VERSION, entry_id},
    git::{Oid, Repo},
    store::clone_id,
};

#[derive(Debug, Clone)]
pub struct Author {
    pub now: Timestamp,
    pub agent: Option<Agent>,
    /// The programs that the environment shows.
    pub programs: Vec<&'static str>,
}

/// The envelope of a new entry at `head`, without the keys that only some kinds have.
pub fn envelope(
    repo: &Repo,
    author: &Author,
    sid: &str,
    head: Oid,
) -> Result<Envelope<'static>, Error> {
    Ok(Envelope {
        ts: Ts::from(author.now),
        id: new_id(author.now),
        sid: sid.to_owned().into(),
        repo_head_sha: head.to_string().into(),
        v: VERSION,
        tool: TOOL.into(),
        agent: agent(repo, author.agent.clone(), sid)?,
        by: repo.identity(),
        writer: Some(clone_id(repo)?.into()),
        ..Envelope::default()
    })
}

pub fn new_id(now: Timestamp) -> Text<'static> {
    entry_id(now, Ulid::generate().random()).into()
}

/// The agent that the environment names. If it names none, or the same one, the agent of the session's start, with the
/// environment's model and harness; a hook knows the harness better.
fn agent(repo: &Repo, told: Option<Agent>, sid: &str) -> Result<Option<Agent>, Error> {
    let session = running(repo, sid)?;
    let by_hook = session.as_ref().is_some_and(|session| session.hook.is_some());
    Ok(match (told, session.and_then(|session| session.agent)) {
        (Some(told), Some(started)) if told.name.is_none() || told.name == started.name => {
            Some(Agent {
                name: started.name,
                model: told.model.or(started.model),
                harness: if by_hook {
                    started.harness.or(told.harness)
                } else {
                    told.harness.or(started.harness)
                },
            })
        }
        (told, started) => told.or(started),
    })
}
