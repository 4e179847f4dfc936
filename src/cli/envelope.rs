//! What commands that write entries take from their surroundings: the session's name, the time and the agent.

use super::{Context, Failure};
use crate::{
    entry::{Body, Draft, Envelope, Event, MAX_LINE, NotALine},
    git::{Oid, Repo},
    project::Project,
    report::unnamed_text,
    session::{self, Author, head},
};

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
    sid: &str,
    head: Oid,
) -> Result<Envelope<'static>, Failure> {
    let author = author(context)?;
    Ok(session::envelope(repo, &author, sid, head)?)
}

/// As [`envelope`], of an entry on HEAD, with what is known of HEAD.
pub fn envelope_at_head(
    context: &Context,
    project: &Project,
    sid: &str,
) -> Result<Envelope<'static>, Failure> {
    let branch = project.head.branch.as_deref();
    let details = project.repo.head_details(project.tip, branch)?;
    Ok(Envelope {
        head: Some(head(details)),
        ..envelope(context, &project.repo, sid, project.tip)?
    })
}

/// An entry for the log; `advice` says what to shorten where it is too long for a line.
pub fn draft<'e>(
    envelope: Envelope<'e>,
    body: Body<'e>,
    advice: &str,
) -> Result<Draft<'e>, Failure> {
    Draft::of(Event::new(envelope, body)).map_err(|NotALine::TooLong(length)| {
        Failure::refused(
            format!("the entry would be {length} bytes long, more than {MAX_LINE}"),
            format!("nothing was written; {advice}"),
        )
    })
}

/// A hint after `command` where no session was named or started, so that its entry is a session of its own; else empty.
pub fn unnamed(
    context: &Context,
    repo: &Repo,
    given: Option<&str>,
    command: &str,
) -> Result<String, Failure> {
    let is_named = given.or(context.session.as_deref()).is_some();
    if is_named || session::current(repo)?.is_some() {
        return Ok(String::new());
    }
    Ok(unnamed_text(command, context.style(Some(repo))))
}
