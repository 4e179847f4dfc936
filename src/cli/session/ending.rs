//! `git sq session end` and `sweep`: the entry that says what the tool knows of a session.

use std::{fs, path::PathBuf};

use clap::Args;
use jiff::SignedDuration;

use super::{find, nothing_started, turn_if_any};
use crate::{
    cli::{
        CommandResult, Context, Failure, Outcome,
        envelope::{envelope, head},
    },
    entry::{
        Envelope, Kind, Line, MAX_LINE, NotALine, SessionEnd, SessionEntry, SessionEvent,
        SessionHow, Ts,
    },
    git::{Oid, Repo},
    question::duration,
    report::session_ended_text,
    session::{Started, limits},
    store::{Log, LogTips, append, clone_id},
};

/// How long a session may be silent unless `sq.grace` says otherwise.
const GRACE: SignedDuration = SignedDuration::from_hours(2);

/// End the session: adds how long it was, its branch, its commits, its beats and its greatest context
#[derive(Args)]
pub struct EndArgs {
    /// The session; otherwise `SQ_SESSION`, otherwise the current one
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
}

/// Give sessions of this clone that fell silent without an end a row from git and beats alone
///
/// Looks into every worktree. Silent means longer than the grace time, two hours unless `sq.grace` says otherwise,
/// without a start, a beat or an entry.
#[derive(Args)]
pub struct SweepArgs {
    /// Also those that have not been silent for so long: every session that has not ended
    #[arg(long)]
    all: bool,
}

impl EndArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let _turn = turn_if_any(&repo)?;
        let session = find(&repo, self.sid.as_deref(), context)?;
        let session = session.ok_or_else(|| nothing_started(self.sid.as_deref(), context))?;
        let at = repo.head()?;
        let Some(commit) = at.commit else {
            session.remove()?;
            context.print("Ended; nothing was written, because HEAD has no commit yet.\n");
            return Ok(Outcome::Clean);
        };
        let end = SessionEnd {
            event: SessionEvent::End,
            how: SessionHow::End,
            seconds: seconds(&session.start.started, &Ts::from(context.now)),
            branch: at.branch.clone(),
            commits: commits(&repo, &session, commit),
            last_subject: None,
            ..figures(&session)
        };
        let entry = entry(context, &repo, &session, commit, end)?;
        let details = repo.head_details(commit, at.branch.as_deref())?;
        let entry = SessionEntry {
            envelope: Envelope {
                head: Some(head(details)),
                ..entry.envelope
            },
            ..entry
        };
        land(&repo, commit, &entry)?;
        session.remove()?;
        let style = context.style(Some(&repo));
        context.print(&session_ended_text(session.sid(), &entry.end, style));
        Ok(Outcome::Clean)
    }
}

impl SweepArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let swept = sweep(context, &repo, &Which::new(self.all, None))?;
        if swept == 0 {
            context.print("Nothing to sweep up.\n");
        }
        Ok(Outcome::Clean)
    }
}

/// Sweeps up before a start, which goes on whatever comes of it: no agent shall wait for another's remains.
///
/// # Errors
/// When `sq.grace` can't be read.
pub fn sweep_before_start(context: &Context, repo: &Repo, starting: &str) -> Result<(), Failure> {
    grace(repo)?;
    if let Err(failure) = sweep(context, repo, &Which::new(false, Some(starting))) {
        context.note(&failure.text(context.style(Some(repo))));
        context.note("hint: the session starts all the same\n");
    }
    Ok(())
}

/// Which sessions are swept up.
struct Which<'a> {
    all: bool,
    /// Not the one that is just going on.
    but: Option<&'a str>,
}

impl<'a> Which<'a> {
    fn new(all: bool, but: Option<&'a str>) -> Self {
        Self { all, but }
    }
}

fn grace(repo: &Repo) -> Result<SignedDuration, Failure> {
    let Some(text) = repo.config_string("sq.grace") else {
        return Ok(GRACE);
    };
    duration(text.trim()).ok_or_else(|| {
        Failure::refused(
            format!("sq.grace is {text:?}, which is not a length of time"),
            "git config sq.grace 2h",
        )
    })
}

/// Sweeps every worktree; gives how many sessions were swept up.
fn sweep(context: &Context, repo: &Repo, which: &Which) -> Result<usize, Failure> {
    let grace = grace(repo)?;
    let is_silent = |since: &Ts| context.now.duration_since(since.timestamp()) > grace;
    let mut log: Option<Log> = None;
    let mut swept = 0;
    for git_dir in worktrees(repo) {
        let is_candidate = |session: &Started| {
            let goes_on = git_dir == repo.git_dir() && which.but == Some(session.sid());
            !goes_on && (which.all || is_silent(&session.seen))
        };
        let has_candidates = Started::all(&git_dir)?
            .iter()
            .any(|session| session.as_ref().map_or(true, is_candidate));
        if !has_candidates {
            continue;
        }
        let _turn = Started::turn(&git_dir)?;
        for session in Started::all(&git_dir)? {
            let session = match session {
                Ok(session) if is_candidate(&session) => session,
                Ok(_) => continue,
                Err(error) => {
                    let failure = Failure::from(error);
                    context.note(&failure.text(context.style(Some(repo))));
                    continue;
                }
            };
            if log.is_none() {
                log = Some(Log::read(repo, &LogTips::read(repo)?)?);
            }
            let said = log.as_ref().map(|log| last_said(log, &session));
            let said = said.unwrap_or_default();
            if said.ended {
                // Whoever ended it could not remove the file any more.
                session.remove()?;
                continue;
            }
            let seen = said.last.into_iter().chain([session.seen.clone()]).max();
            let seen = seen.unwrap_or_else(|| session.seen.clone());
            if !which.all && !is_silent(&seen) {
                continue;
            }
            let there = if git_dir == repo.git_dir() {
                repo.handle()
            } else {
                Repo::open_exactly(&git_dir)?
            };
            swept += usize::from(sweep_up(context, &there, &session, &seen)?);
        }
    }
    Ok(swept)
}

/// The git folders of all worktrees.
fn worktrees(repo: &Repo) -> Vec<PathBuf> {
    let common = repo.common_dir();
    let linked = match fs::read_dir(common.join("worktrees")) {
        Ok(linked) => linked.flatten().map(|entry| entry.path()).collect(),
        Err(_) => Vec::new(),
    };
    let mut all: Vec<PathBuf> = [common, repo.git_dir()].into_iter().chain(linked).collect();
    all.sort();
    all.dedup();
    all
}

/// What the log has of a session.
#[derive(Default)]
struct Said {
    last: Option<Ts>,
    ended: bool,
}

fn last_said(log: &Log, session: &Started) -> Said {
    #[derive(serde::Deserialize)]
    struct Key {
        ts: String,
        kind: String,
        sid: String,
        #[serde(default)]
        writer: Option<String>,
        #[serde(default)]
        started: Option<String>,
    }
    let start = &session.start;
    let mut said = Said::default();
    let texts = log.annotations.iter().map(|one| &one.text);
    for line in texts.flat_map(|text| text.split(|&byte| byte == b'\n')) {
        let Ok(key) = serde_json::from_slice::<Key>(line) else {
            continue;
        };
        if key.sid != start.sid || key.writer.as_deref() != Some(start.writer.as_str()) {
            continue;
        }
        said.ended |=
            key.kind == "session" && key.started.as_deref() == Some(start.started.as_str());
        said.last = said.last.max(Ts::parse(&key.ts));
    }
    said
}

/// Gives a session its row; whether there was a commit to put it on.
fn sweep_up(context: &Context, repo: &Repo, session: &Started, seen: &Ts) -> Result<bool, Failure> {
    let head = repo.head()?.commit;
    // What came after another session had taken its place is not its own.
    let left = session.left_at.clone().flatten();
    let left: Option<Oid> = left.and_then(|id| id.parse().ok());
    let left = left.filter(|&id| repo.tree_of(id).is_ok());
    let Some(commit) = left.or(head) else {
        session.remove()?;
        return Ok(false);
    };
    let commits = commits(repo, session, commit);
    let subject = commits.filter(|&commits| commits > 0);
    let subject = subject.and_then(|_| repo.subject(commit).ok());
    let end = SessionEnd {
        event: SessionEvent::End,
        how: SessionHow::Sweep,
        seconds: seconds(&session.start.started, seen),
        branch: session.start.branch.clone(),
        commits,
        last_subject: subject.map(|text| limits::fit(&limits::one_line(&text), limits::ITEM).0),
        ..figures(session)
    };
    let entry = entry(context, repo, session, commit, end)?;
    land(repo, commit, &entry)?;
    session.remove()?;
    let style = context.style(Some(repo));
    context.print(&session_ended_text(session.sid(), &entry.end, style));
    Ok(true)
}

/// What its file says.
fn figures(session: &Started) -> SessionEnd {
    SessionEnd {
        event: SessionEvent::End,
        how: SessionHow::End,
        started: session.start.started.clone(),
        seconds: None,
        branch: None,
        commits: None,
        last_subject: None,
        beats: session.beats,
        peak_context: session.peak_context,
    }
}

fn seconds(from: &Ts, to: &Ts) -> Option<u64> {
    let length = to.timestamp().duration_since(from.timestamp());
    u64::try_from(length.as_secs())
        .ok()
        .filter(|_| !length.is_negative())
}

/// How many commits HEAD gained; None where history does not tell any more.
fn commits(repo: &Repo, session: &Started, tip: Oid) -> Option<usize> {
    match &session.start.head {
        Some(head) => repo.count_between(head.parse().ok()?, tip).ok(),
        None => Some(repo.ancestors(tip).ok()?.count()),
    }
}

fn entry(
    context: &Context,
    repo: &Repo,
    session: &Started,
    commit: Oid,
    end: SessionEnd,
) -> Result<SessionEntry, Failure> {
    let envelope = envelope(context, repo, Kind::Session, session.sid(), commit)?;
    Ok(SessionEntry {
        envelope: Envelope {
            agent: session.start.agent.clone(),
            writer: Some(session.start.writer.clone()).or(Some(clone_id(repo)?)),
            ..envelope
        },
        end,
    })
}

fn land(repo: &Repo, commit: Oid, entry: &SessionEntry) -> Result<(), Failure> {
    let line = Line::of(entry).map_err(|NotALine::TooLong(length)| {
        Failure::refused(
            format!("the entry would be {length} bytes long, more than {MAX_LINE}"),
            "nothing was written; shorten SQ_AGENT and its like",
        )
    })?;
    append(repo, &[(commit, line)], "Notes added by 'git sq session'")?;
    Ok(())
}
