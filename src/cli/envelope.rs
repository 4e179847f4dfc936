//! What every entry that a command writes has in common: the session's name and the envelope.

use ulid::Ulid;

use super::{Context, Failure, TOOL, current::sessions_here};
use crate::{
    entry::{
        Agent, Body, Envelope, Event, Head, Kind, Line, MAX_LINE, NotALine, Text, Ts, VERSION,
        entry_id,
    },
    git::{HeadDetails, Oid, Repo},
    project::Project,
    report::unnamed_text,
    session::Started,
    store::{clone_id, sessions_dir},
};

/// The session: the one that is given, else the environment's, else this worktree's current one, else one of its own.
///
/// # Errors
/// When that can't be a name, or the folder of sessions can't be read.
pub fn session_name(
    given: Option<&str>,
    context: &Context,
    repo: &Repo,
) -> Result<String, Failure> {
    if let Some(sid) = named_session(given, context)? {
        return Ok(sid);
    }
    Ok(match sessions_here(context, repo)?.pop() {
        Some(current) => current.sid().to_owned(),
        None => new_session(context),
    })
}

/// A session's name of its own.
pub fn new_session(context: &Context) -> String {
    let id = Ulid::generate().to_string();
    let time = context.now.strftime("%Y%m%dT%H%M%S");
    format!("{time}-{}", &id[id.len() - 4..])
}

/// The session that is given, else the environment's.
///
/// # Errors
/// When that can't be a name.
pub fn named_session(given: Option<&str>, context: &Context) -> Result<Option<String>, Failure> {
    let Some(sid) = given.or(context.session.as_deref()) else {
        return Ok(None);
    };
    let fits = (1..=128).contains(&sid.chars().count());
    if fits && !sid.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Ok(Some(sid.to_owned()));
    }
    Err(Failure::refused(
        format!("{sid:?} is not a session's name"),
        "nothing was written; use 1 to 128 characters without blanks",
    ))
}

/// The envelope of a new entry, without what only some kinds have.
///
/// # Errors
/// When this clone's id or its sessions can't be read, or the environment names an agent that can't be one.
pub fn envelope(
    context: &Context,
    repo: &Repo,
    sid: &str,
    head: Oid,
) -> Result<Envelope<'static>, Failure> {
    Ok(Envelope {
        ts: Ts::from(context.now),
        // The body decides.
        kind: Kind::Unknown,
        id: new_id(context),
        sid: sid.to_owned().into(),
        repo_head_sha: head.to_string().into(),
        v: VERSION,
        tool: TOOL.into(),
        agent: agent(context, repo, sid)?,
        writer: Some(clone_id(repo)?.into()),
        store: None,
        head: None,
        origin: None,
    })
}

/// The agent: the environment's, else, and for what the environment leaves out beside a name, that of the session's
/// start in this worktree.
fn agent(context: &Context, repo: &Repo, sid: &str) -> Result<Option<Agent>, Failure> {
    let told = context.agent()?;
    if told.as_ref().is_some_and(|agent| agent.name.is_some()) {
        return Ok(told);
    }
    let Some(folder) = sessions_dir(repo) else {
        return Ok(told);
    };
    let mut sessions = Started::all(&folder)?.sessions.into_iter();
    let session = sessions.find(|session| session.sid() == sid);
    let started = session.and_then(|session| session.start.agent);
    Ok(match (told, started) {
        (Some(told), Some(started)) => Some(Agent {
            name: started.name,
            model: told.model.or(started.model),
            harness: told.harness.or(started.harness),
        }),
        (told, started) => told.or(started),
    })
}

/// The id of a new entry.
pub fn new_id(context: &Context) -> Text<'static> {
    entry_id(context.now, Ulid::generate().random()).into()
}

/// As [`envelope`], of an entry on HEAD, with what is known of HEAD.
///
/// # Errors
/// As [`envelope`], or when HEAD can't be described.
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

/// Where HEAD was, as entries say it.
pub fn head(details: HeadDetails) -> Head<'static> {
    let commits = details
        .commits
        .map(|commits| commits.into_iter().map(Text::from).collect());
    Head {
        branch: details.branch.map(Text::from),
        worktree: details.worktree.map(Text::from),
        tree: details.tree.to_string().into(),
        dirty: details.dirty,
        base: details.base.map(|base| base.to_string().into()),
        patch_id: details.patch_id.map(Text::from),
        commits,
    }
}

/// An entry as a line of the log; `advice` says what to shorten where it is too long for one.
///
/// # Errors
/// When it is.
pub fn line(envelope: Envelope, body: Body, advice: &str) -> Result<Line, Failure> {
    Line::of(&Event::new(envelope, body)).map_err(|NotALine::TooLong(length)| {
        Failure::refused(
            format!("the entry would be {length} bytes long, more than {MAX_LINE}"),
            format!("nothing was written; {advice}"),
        )
    })
}

/// What to say after `command` where its session is one of its own, that no later call goes on with; else nothing.
///
/// # Errors
/// When the file of a session can't be read.
pub fn unnamed(
    context: &Context,
    repo: &Repo,
    given: Option<&str>,
    command: &str,
) -> Result<String, Failure> {
    let is_named = given.or(context.session.as_deref()).is_some();
    let folder = sessions_dir(repo).filter(|_| !is_named);
    let current = folder.map(|folder| Started::all(&folder)).transpose()?;
    if is_named || current.is_some_and(|found| !found.sessions.is_empty()) {
        return Ok(String::new());
    }
    Ok(unnamed_text(command, context.style(Some(repo))))
}
