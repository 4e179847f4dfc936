//! `git sq session end` and `sweep`: the entry that says what the tool knows of a session.

use clap::Args;
use jiff::SignedDuration;

use super::{find, nothing_started, turn_if_any};
use crate::{
    cli::{
        CommandResult, Context, Failure, Outcome,
        envelope::{envelope, head, line},
    },
    entry::{
        Envelope, Kind, SessionEnd, SessionEntry, SessionEvent, SessionHow, Share, Ts, cut,
        one_line,
    },
    git::{Oid, Repo},
    question::duration,
    report::session_ended_text,
    session::{Started, limits},
    store::{Log, LogTips, append, clone_id, sessions_of, worktrees_with_sessions},
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
        context.note(&failure.warning(context.style(Some(repo))));
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
///
/// # Errors
/// The first that there was; the other worktrees are swept all the same.
fn sweep(context: &Context, repo: &Repo, which: &Which) -> Result<usize, Failure> {
    let mut sweeper = Sweeper {
        context,
        repo,
        which,
        grace: grace(repo)?,
        log: None,
    };
    let mut swept = Ok(0);
    for worktree in worktrees_with_sessions(repo) {
        let there = sweeper.sweep(worktree.as_deref());
        swept = match (swept, there) {
            (Ok(swept), Ok(there)) => Ok(swept + there),
            (Err(first), _) | (Ok(_), Err(first)) => Err(first),
        };
    }
    swept
}

/// What a sweep needs in every worktree.
struct Sweeper<'a> {
    context: &'a Context,
    repo: &'a Repo,
    which: &'a Which<'a>,
    grace: SignedDuration,
    /// Read when a session seems silent, and not before.
    log: Option<Log>,
}

impl Sweeper<'_> {
    fn is_silent_since(&self, seen: &Ts) -> bool {
        self.context.now.duration_since(seen.timestamp()) > self.grace
    }

    fn is_here(&self, worktree: Option<&str>) -> bool {
        worktree == self.repo.linked_worktree().as_deref()
    }

    /// Whether its file says so.
    fn seems_silent(&self, worktree: Option<&str>, session: &Started) -> bool {
        let goes_on = self.is_here(worktree) && self.which.but == Some(session.sid());
        !goes_on && (self.which.all || self.is_silent_since(&session.seen))
    }

    /// Sweeps one worktree; gives how many sessions were swept up.
    fn sweep(&mut self, worktree: Option<&str>) -> Result<usize, Failure> {
        let folder = sessions_of(self.repo, worktree);
        let has_any = Started::all(&folder)?.iter().any(|session| {
            let session = session.as_ref();
            session.map_or(true, |session| self.seems_silent(worktree, session))
        });
        if !has_any {
            return Ok(0);
        }
        let _turn = Started::turn(&folder)?;
        let mut swept = 0;
        for session in Started::all(&folder)? {
            match session {
                Ok(session) if self.seems_silent(worktree, &session) => {
                    swept += usize::from(self.look_closer(worktree, &session)?);
                }
                Ok(_) => {}
                Err(error) => {
                    let style = self.context.style(Some(self.repo));
                    self.context.note(&Failure::from(error).warning(style));
                }
            }
        }
        Ok(swept)
    }

    /// Sweeps a session up unless the log has a sign of life of it.
    fn look_closer(&mut self, worktree: Option<&str>, session: &Started) -> Result<bool, Failure> {
        let log = match self.log.take() {
            Some(log) => log,
            None => Log::read(self.repo, &LogTips::read(self.repo)?)?,
        };
        let said = last_said(self.log.insert(log), session);
        if said.ended {
            // Whoever ended it could not remove the file any more.
            session.remove()?;
            return Ok(false);
        }
        let seen = said
            .last
            .map_or(session.seen.clone(), |last| last.max(session.seen.clone()));
        if !self.which.all && !self.is_silent_since(&seen) {
            return Ok(false);
        }
        let head = if self.is_here(worktree) {
            self.repo.head()?.commit
        } else {
            let there = self.repo.head_of_worktree(worktree);
            there.map_or_else(|| self.end_of_branch(session), |head| head.commit)
        };
        sweep_up(self.context, self.repo, session, head, &seen)
    }

    /// The end of its branch, for a session whose worktree was removed.
    fn end_of_branch(&self, session: &Started) -> Option<Oid> {
        let name = format!("refs/heads/{}", session.start.branch.as_ref()?);
        self.repo.ref_target(&name).ok().flatten()
    }
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
fn sweep_up(
    context: &Context,
    repo: &Repo,
    session: &Started,
    head: Option<Oid>,
    seen: &Ts,
) -> Result<bool, Failure> {
    let here = |id: String| -> Option<Oid> {
        let commit = id.parse().ok()?;
        repo.tree_of(commit).ok().map(|_| commit)
    };
    // What came after another session had taken its place is not its own.
    let left = session.left_at.clone().flatten();
    let known = left.and_then(here).or(head);
    // Nobody knows where: then on the commit on which it began.
    let start = session.start.head.clone();
    let Some(commit) = known.or_else(|| start.and_then(here)) else {
        session.remove()?;
        return Ok(false);
    };
    let commits = known.and_then(|commit| commits(repo, session, commit));
    let subject = commits.filter(|&commits| commits > 0);
    let subject = subject.and_then(|_| repo.subject(commit).ok());
    let end = SessionEnd {
        event: SessionEvent::End,
        how: SessionHow::Sweep,
        seconds: seconds(&session.start.started, seen),
        branch: session.start.branch.clone(),
        commits,
        last_subject: subject.map(|text| cut(&one_line(&text), limits::ITEM).0),
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
        peak_context: session
            .peak_context
            .and_then(|share| Share::try_from(share).ok()),
    }
}

fn seconds(from: &Ts, to: &Ts) -> Option<u32> {
    let length = to.timestamp().duration_since(from.timestamp());
    u32::try_from(length.as_secs())
        .ok()
        .filter(|_| !length.is_negative())
}

/// How many commits HEAD gained; None where history does not tell any more.
fn commits(repo: &Repo, session: &Started, tip: Oid) -> Option<usize> {
    // A shallow clone may have dropped what lies between.
    if repo.is_shallow().unwrap_or(true) {
        return None;
    }
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
    let line = line(entry, "shorten SQ_AGENT and its like")?;
    append(repo, &[(commit, line)], "Notes added by 'git sq session'")?;
    Ok(())
}
