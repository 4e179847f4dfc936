//! `git sq session sweep`: gives sessions that fell silent without an end a row, as far as they lived.

use clap::Args;
use jiff::{SignedDuration, Timestamp};

use super::{
    ending::{figures, land, of_session, seconds},
    work::Work,
};
use crate::{
    cli::{CommandResult, Context, Failure, Outcome, current::warn_of_broken},
    entry::{SessionEnd, SessionHow, Ts, cut, one_line},
    git::{HeadRef, Repo},
    question::duration,
    report::session_ended_text,
    session::{Said, SaidBySession, Silence, Started, limits},
    store::{Log, LogTips, SessionsFolder, sessions_dir, sessions_folders},
};

/// How long a session may be silent unless `sq.grace` says otherwise.
const GRACE: SignedDuration = SignedDuration::from_hours(2);
/// How it is set.
pub const SET_GRACE: &str = "git config sq.grace 2h";

/// Give sessions of this clone that fell silent without an end a row from git and beats alone
///
/// Looks into every worktree. Silent means longer than the grace time, two hours unless `sq.grace` says otherwise,
/// without a sign of life: a start, a beat, an entry, or a commit that HEAD gained. The row's figures end where the
/// signs of life do. A commit that came later than the grace time after the sign before it, with no beat and no entry
/// after it, is not counted.
#[derive(Args)]
pub struct SweepArgs {
    /// Also those that have not been silent for so long: every session that has not ended
    #[arg(long)]
    all: bool,
}

impl SweepArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let which = if self.all { Which::All } else { Which::Silent };
        if sweep(context, &repo, which)? == 0 {
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
    if let Err(failure) = sweep(context, repo, Which::SilentBut(starting)) {
        context.note(&failure.warning(context.style(Some(repo))));
    }
    Ok(())
}

/// Which sessions are swept up.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which<'a> {
    All,
    Silent,
    /// Not the one of this name in this worktree, which is just going on.
    SilentBut(&'a str),
}

/// How long a session may be silent; why not, where `sq.grace` says nothing of that kind.
pub fn configured_grace(repo: &Repo) -> Result<SignedDuration, String> {
    let Some(text) = repo.config_string("sq.grace") else {
        return Ok(GRACE);
    };
    let grace = duration(text.trim());
    grace.ok_or_else(|| format!("sq.grace is {text:?}, which is not a length of time"))
}

fn grace(repo: &Repo) -> Result<SignedDuration, Failure> {
    configured_grace(repo).map_err(|why| Failure::refused(why, SET_GRACE))
}

/// Sweeps every worktree; gives how many sessions were swept up.
///
/// # Errors
/// The first that there was; the other worktrees are swept all the same.
fn sweep(context: &Context, repo: &Repo, which: Which) -> Result<usize, Failure> {
    let mut sweeper = Sweeper {
        context,
        repo,
        which,
        silence: Silence {
            now: context.now,
            grace: grace(repo)?,
        },
        said: None,
    };
    let mut swept = Ok(0);
    for folder in sessions_folders(repo) {
        let there = sweeper.sweep(&folder);
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
    which: Which<'a>,
    silence: Silence,
    /// What the log has; read when a session seems silent, and not before.
    said: Option<SaidBySession>,
}

impl Sweeper<'_> {
    fn is_here(&self, folder: &SessionsFolder) -> bool {
        sessions_dir(self.repo).as_ref() == Some(&folder.path)
    }

    /// Whether its file says so.
    fn seems_silent(&self, folder: &SessionsFolder, session: &Started) -> bool {
        match self.which {
            Which::All => return true,
            Which::SilentBut(sid) if sid == session.sid() && self.is_here(folder) => return false,
            Which::Silent | Which::SilentBut(_) => {}
        }
        self.silence
            .is_silent(session.signs.iter().map(Ts::timestamp))
    }

    /// Sweeps one worktree; gives how many sessions were swept up.
    fn sweep(&mut self, folder: &SessionsFolder) -> Result<usize, Failure> {
        let found = Started::all(&folder.path)?;
        // What begins a session has warned of those of its own worktree, and has nothing to do with the others.
        if !matches!(self.which, Which::SilentBut(_)) {
            warn_of_broken(self.context, self.repo, &found.broken);
        }
        let mut swept = 0;
        let mut seem_silent = found.sessions.iter();
        if seem_silent.any(|session| self.seems_silent(folder, session)) {
            let _turn = Started::turn(&folder.path)?;
            for session in Started::all(&folder.path)?.sessions {
                if self.seems_silent(folder, &session) {
                    swept += usize::from(self.look_closer(folder, &session)?);
                }
            }
        }
        if folder.is_removed {
            let left = Started::all(&folder.path)?;
            if left.sessions.is_empty() && left.broken.is_empty() {
                folder.remove();
            }
        }
        Ok(swept)
    }

    /// Sweeps a session up unless the log or git has a sign of life of it.
    fn look_closer(&mut self, folder: &SessionsFolder, session: &Started) -> Result<bool, Failure> {
        let all = match self.said.take() {
            Some(all) => all,
            None => SaidBySession::of(&Log::read(self.repo, &LogTips::read(self.repo)?)?),
        };
        let Started { start, signs, .. } = session;
        let said = self.said.insert(all).session(&start.sid, &start.writer);
        let ends = said.iter().filter_map(|one| one.ended.as_ref());
        if ends
            .into_iter()
            .any(|end| end.started == start.started.as_str())
        {
            // Whoever ended it could not remove the file any more.
            session.remove()?;
            return Ok(false);
        }
        // The end of another stretch may be a sweep's.
        let said: Vec<Said> = said
            .iter()
            .filter(|one| one.ended.is_none())
            .cloned()
            .collect();
        let own = signs.iter().chain(said.iter().map(|one| &one.ts));
        let own: Vec<Timestamp> = own.map(Ts::timestamp).collect();
        let head = self.head(folder)?;
        let work = Work::of(self.repo, session, head, &said, self.silence);
        let commits = work.gained.commits.iter().map(|&(_, time)| time);
        let commits: Vec<Timestamp> = commits.collect();
        let mut all = own.iter().chain(&commits).copied();
        if self.which != Which::All && !self.silence.is_silent(&mut all) {
            return Ok(false);
        }
        let seen = self.silence.end_of_life(&own, &commits);
        self.sweep_up(session, work, seen)
    }

    /// HEAD in a worktree; None where it was removed.
    fn head(&self, folder: &SessionsFolder) -> Result<Option<HeadRef>, Failure> {
        if self.is_here(folder) {
            Ok(Some(self.repo.head()?))
        } else if folder.is_removed {
            Ok(None)
        } else {
            Ok(self.repo.head_of_worktree(folder.linked.as_deref()))
        }
    }

    /// Gives a session its row; whether there was a commit to put it on.
    fn sweep_up(
        &self,
        session: &Started,
        mut work: Work,
        seen: Option<Timestamp>,
    ) -> Result<bool, Failure> {
        let (context, repo) = (self.context, self.repo);
        let lived = |time: Timestamp| seen.is_some_and(|seen| time <= seen);
        work.gained.commits.retain(|&(_, time)| lived(time));
        // Of those of one second the first, which the others lead up to.
        let newest = work.gained.commits.iter().rev();
        let newest = newest.max_by_key(|(_, time)| *time);
        let newest = newest.filter(|_| !work.gained.is_unknown);
        let newest = newest.map(|&(commit, _)| commit);
        let Some(commit) = work.place(repo, newest) else {
            session.remove()?;
            return Ok(false);
        };
        let subject = newest.and_then(|newest| repo.subject(newest).ok());
        let end = SessionEnd {
            how: SessionHow::Sweep,
            seconds: seen.and_then(|seen| seconds(&session.start.started, &Ts::from(seen))),
            branch: work.branch(session),
            commits: work.gained.count(),
            last_subject: subject.map(|text| cut(&one_line(&text), limits::ITEM).0),
            ..figures(session)
        };
        let envelope = of_session(context, repo, session, commit)?;
        land(repo, commit, envelope, end.clone())?;
        session.remove()?;
        let style = context.style(Some(repo));
        context.print(&session_ended_text(session.sid(), &end, style));
        Ok(true)
    }
}
