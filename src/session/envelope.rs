//! What every entry that a session writes has in common.

use jiff::Timestamp;
use ulid::Ulid;

use super::{Error, current};
use crate::{
    entry::{Agent, Envelope, Head, Kind, TOOL, Ts, entry_id},
    git::{HeadDetails, Oid, Repo},
    store::clone_id,
};

/// When something is written, and by which agent, as far as the environment says.
#[derive(Debug, Clone)]
pub struct Author {
    pub now: Timestamp,
    pub agent: Option<Agent>,
}

/// The envelope of a new entry at `head`, without what only some kinds have.
pub fn envelope(
    repo: &Repo,
    author: &Author,
    kind: Kind,
    sid: &str,
    head: Oid,
) -> Result<Envelope, Error> {
    Ok(Envelope {
        ts: Ts::from(author.now),
        kind,
        id: entry_id(author.now, Ulid::generate().random()),
        sid: sid.to_owned(),
        repo_head_sha: head.to_string(),
        v: 1,
        tool: TOOL.to_owned(),
        agent: agent(repo, author.agent.clone(), sid)?,
        writer: Some(clone_id(repo)?),
        store: None,
        head: None,
        origin: None,
    })
}

/// The agent that the environment names. Where it names none, the agent of the session's start, with what the
/// environment says of the model and the harness.
fn agent(repo: &Repo, told: Option<Agent>, sid: &str) -> Result<Option<Agent>, Error> {
    if told.as_ref().is_some_and(|agent| agent.name.is_some()) {
        return Ok(told);
    }
    let session = current(repo)?.filter(|session| session.sid == sid);
    Ok(match (told, session.and_then(|session| session.agent)) {
        (Some(told), Some(started)) => Some(Agent {
            name: started.name,
            model: told.model.or(started.model),
            harness: told.harness.or(started.harness),
        }),
        (told, started) => told.or(started),
    })
}

/// Where HEAD was, as entries have it.
pub fn head(details: HeadDetails) -> Head {
    Head {
        branch: details.branch,
        worktree: details.worktree,
        tree: details.tree.to_string(),
        dirty: details.dirty,
        base: details.base.map(|base| base.to_string()),
        patch_id: details.patch_id,
        commits: details.commits,
    }
}
