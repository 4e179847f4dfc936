//! What every entry that a command writes has in common: the session's name and the envelope.

use ulid::Ulid;

use super::{Context, Failure, TOOL};
use crate::{
    entry::{Envelope, Kind, Ts, entry_id},
    git::{Oid, Repo},
    store::clone_id,
};

/// The session: the one that is given, else the environment's, else one of its own.
///
/// # Errors
/// When that can't be a name.
pub fn session_name(given: Option<&str>, context: &Context) -> Result<String, Failure> {
    let Some(sid) = given.or(context.session.as_deref()) else {
        let id = Ulid::generate().to_string();
        let time = context.now.strftime("%Y%m%dT%H%M%S");
        return Ok(format!("{time}-{}", &id[id.len() - 4..]));
    };
    let fits = (1..=128).contains(&sid.len());
    if fits && !sid.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Ok(sid.to_owned());
    }
    Err(Failure::refused(
        format!("{sid:?} is not a session's name"),
        "nothing was written; use 1 to 128 characters without blanks",
    ))
}

/// The envelope of a new entry, without what only some kinds have.
///
/// # Errors
/// When this clone's id can't be read.
pub fn envelope(
    context: &Context,
    repo: &Repo,
    kind: Kind,
    sid: &str,
    head: Oid,
) -> Result<Envelope, Failure> {
    Ok(Envelope {
        ts: Ts::from(context.now),
        kind,
        id: entry_id(context.now, Ulid::generate().random()),
        sid: sid.to_owned(),
        repo_head_sha: head.to_string(),
        v: 1,
        tool: TOOL.to_owned(),
        agent: context.agent.clone(),
        writer: Some(clone_id(repo)?),
        store: None,
        head: None,
        origin: None,
    })
}
