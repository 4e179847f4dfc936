//! What commands that write entries take from their surroundings: the session's name, the time and the agent.

use serde::Serialize;

use super::{Context, Failure};
use crate::{
    entry::{Envelope, Kind, Line, MAX_LINE, NotALine},
    git::{Oid, Repo},
    session::{self, Author},
};

pub use session::head;

/// The session: the one that is given, else the environment's, else this worktree's current one, else one of its own.
pub fn session_name(
    given: Option<&str>,
    context: &Context,
    repo: &Repo,
) -> Result<String, Failure> {
    let named = given.or(context.session.as_deref());
    Ok(session::name(repo, named, context.now)?)
}

/// When this run writes, and for which agent.
pub fn author(context: &Context) -> Result<Author, Failure> {
    Ok(Author {
        now: context.now,
        agent: context.agent()?,
    })
}

/// The envelope of a new entry, without what only some kinds have.
pub fn envelope(
    context: &Context,
    repo: &Repo,
    kind: Kind,
    sid: &str,
    head: Oid,
) -> Result<Envelope, Failure> {
    let author = author(context)?;
    Ok(session::envelope(repo, &author, kind, sid, head)?)
}

/// An entry as a line of the log; `advice` says what to shorten where it is too long for one.
pub fn line(entry: &impl Serialize, advice: &str) -> Result<Line, Failure> {
    Line::of(entry).map_err(|NotALine::TooLong(length)| {
        Failure::refused(
            format!("the entry would be {length} bytes long, more than {MAX_LINE}"),
            format!("nothing was written; {advice}"),
        )
    })
}
