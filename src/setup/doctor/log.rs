//! The refs that hold the log, what they lost, and what has not travelled.

use std::{collections::BTreeSet, fs, time::Duration};

use super::{Ailment, Cure, Error, Examination, Finding, Waiting};
use crate::{
    entry::is_entry,
    git::{ErrorKind, Oid, Remote, Repo},
    quote,
    store::{
        self, LOCAL_REF, Lines, LocalState, Log, LogTips, Past,
        carry::strays,
        lacking,
        share::{Tampering, is_noted, standing},
        tracking_ref, trouble,
    },
};

/// Git writes a ref within moments: after this long nobody is at work under its lock.
const LOCK_IS_STALE: Duration = Duration::from_secs(600);

pub(super) const FIX: &str = "git sq doctor --fix";

pub(super) type Result<T> = std::result::Result<T, Error>;

impl Examination<'_> {
    pub(super) fn log(&mut self) -> Result<()> {
        self.stale_locks();
        if self.are_files_damaged()? || self.is_local_ref_bad()? {
            return Ok(());
        }
        let tips = LogTips::read(self.repo)?;
        if self.fetched_refs(&tips)? | self.is_damaged(&tips)? {
            return Ok(());
        }
        self.lost_lines(&tips)?;
        self.orphans(&tips)?;
        self.shared()
    }

    fn stale_locks(&mut self) {
        let remotes = self.repo.remotes();
        let fetched = remotes.iter().map(|remote| tracking_ref(&remote.name));
        for name in fetched.chain([LOCAL_REF.to_owned(), "packed-refs".to_owned()]) {
            let path = self.repo.common_dir().join(name + ".lock");
            let changed = fs::metadata(&path).and_then(|found| found.modified());
            let age = changed.ok().and_then(|time| time.elapsed().ok());
            let Some(age) = age.filter(|age| *age >= LOCK_IS_STALE) else {
                continue;
            };
            let shown = path.to_string_lossy().into_owned();
            let message = format!(
                "{shown} is {} minutes old: a program that was killed left it, and git can't write there as long as it stays",
                age.as_secs() / 60
            );
            let finding = Finding::error(Ailment::StaleLock, &shown, message, FIX);
            self.cases.push((finding, Some(Cure::RemoveLock(path))));
        }
    }

    fn lost_lines(&mut self, tips: &LogTips) -> Result<()> {
        let (mut lost, is_past_gone) = lost_lines(self.repo, tips)?;
        let past = Past::seen(self.repo)?.with_own(self.repo, tips)?;
        match past.gone(self.repo, tips) {
            Ok(gone) => lost.extend(gone),
            Err(error) => self.unknown.push(format!(
                "whether lines of the log were removed can't be told: {error}"
            )),
        }
        lost.sort_unstable();
        lost.dedup();
        if !lost.is_empty() {
            let message = format!(
                "{} no longer in the log: something other than git sq wrote to {LOCAL_REF}",
                lines_are(lost.len())
            );
            let finding = Finding::error(Ailment::LostLines, LOCAL_REF, message, FIX);
            self.cases.push((finding, Some(Cure::Append(lost))));
        }
        if is_past_gone {
            self.unknown.push(format!(
                "the reflog of {LOCAL_REF} names states that are gone or damaged: whether they held more can't be told"
            ));
        }
        Ok(())
    }

    fn orphans(&mut self, tips: &LogTips) -> Result<()> {
        let Some(tip) = self.repo.head()?.commit else {
            return Ok(());
        };
        let history = self.repo.walk(tip)?;
        let log = Log::read(self.repo, tips)?;
        let strays = strays(self.repo, &log, &history)?;
        let orphaned = strays
            .iter()
            .filter(|stray| stray.lines.iter().any(|line| line.orphaned));
        let mut commits: Vec<Oid> = orphaned.map(|stray| stray.anchor).collect();
        if commits.is_empty() {
            return Ok(());
        }
        if !history.cut_at().is_empty() || !history.missing().is_empty() {
            let unknown =
                "whether every entry is on a branch can't be told, because history is cut off here";
            self.unknown.push(unknown.to_owned());
            return Ok(());
        }
        // A commit of the shared log that is not here may only not have been fetched.
        let shared: Vec<Oid> = tips.fetched.iter().map(|tip| tip.target).collect();
        commits.retain(|id| self.repo.has_object(*id) || !is_noted(self.repo, &shared, *id));
        let Some(first) = commits.first().map(Oid::to_string) else {
            return Ok(());
        };
        let short = &first[..10];
        let which = match commits.len() {
            1 => format!("commit {short}, which has entries, is"),
            more => format!("{more} commits that have entries ({short}, …) are"),
        };
        let message = format!("{which} on no branch: no figure counts them");
        let help = "git sq carry --dry-run";
        self.found(Finding::warning(Ailment::Orphans, &first, message, help));
        Ok(())
    }

    fn shared(&mut self) -> Result<()> {
        for remote in self.repo.remotes().iter().filter(|r| r.shares_log) {
            let left = standing(self.repo, remote)?;
            if !left.is_empty() {
                self.unpublished(remote, left.ready.len());
            }
            if !left.waiting.is_empty() {
                self.waiting.push(Waiting {
                    remote: remote.name.clone(),
                    entries: left.waiting.len(),
                    branches: left.branches(),
                });
            }
        }
        for (remote, tampering) in LocalState::read(self.repo)?.tampered {
            let message = match tampering {
                Tampering::Rewound => "was set back to an earlier state",
                Tampering::Deleted => "was deleted",
                Tampering::Replaced => "was replaced by one with another history",
            };
            let finding = Finding::warning(
                Ailment::Tampered,
                &remote,
                format!(
                    "the log on {remote} {message}: it has everything again, but somebody did that"
                ),
                FIX,
            );
            let cure = Cure::ForgetTampering(remote.clone());
            self.cases.push((finding, Some(cure)));
        }
        Ok(())
    }

    /// What a remote could have and has not, and why.
    fn unpublished(&mut self, remote: &Remote, ready: usize) {
        let (name, word) = (&remote.name, quote::word(&remote.name));
        let trouble = trouble(self.repo, remote);
        if let Some((tried, reason)) = trouble.as_ref().and_then(|found| found.refused.as_ref()) {
            let key = quote::word(&format!("remote.{name}.sqRef"));
            let message =
                format!("{name} rejects {tried}: {reason}; it may take the log as a branch");
            let help = format!(
                "git config {key} refs/heads/sq/log\ngit sq doctor --fix\ngit sq sync {word}"
            );
            self.found(Finding::error(Ailment::Refused, name, message, help));
            return;
        }
        let why = trouble.map(|trouble| trouble.why);
        let message = match (ready, why) {
            (0, None) => return,
            (0, Some(why)) => format!("the log was not published the last time: {why}"),
            (ready, why) => format!(
                "{} not on {name}, though the commits are: {}",
                lines_are(ready),
                why.unwrap_or_else(|| "others can't see what only this clone has".to_owned())
            ),
        };
        let help = format!("git sq sync {word}");
        self.found(Finding::warning(Ailment::NotPushed, name, message, help));
    }
}

/// The lines that a move of the local ref dropped and that no ref of the log has now, and whether an earlier state could
/// not be looked at. That the ref itself is gone is such a move, too.
fn lost_lines(repo: &Repo, tips: &LogTips) -> Result<(Lines, bool)> {
    // One step of the log after another reads nearly the same trees.
    let repo = &repo.remembering();
    let known: Vec<Oid> = tips.commits().collect();
    let mut states = vec![tips.local];
    for step in repo.ref_moves(LOCAL_REF)? {
        states.extend([step.to, step.from]);
    }
    states.dedup();
    let mut lost = BTreeSet::new();
    let mut is_past_gone = false;
    for step in states.windows(2) {
        let Some(from) = step[1] else { continue };
        let after: Vec<Oid> = step[0]
            .into_iter()
            .filter(|to| repo.is_notes_commit(*to))
            .collect();
        let dropped = match holding(repo, from, &after) {
            Ok(dropped) => dropped,
            Err(store::Error::Git(error))
                if matches!(error.kind, ErrorKind::Missing | ErrorKind::TooLarge) =>
            {
                is_past_gone = true;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        if !dropped.is_empty() {
            let gone = lacking(repo, &known, from)?;
            let gone = gone.into_iter().filter(|line| dropped.contains(line));
            lost.extend(gone.filter(|(_, line)| is_entry(line)));
        }
    }
    Ok((lost.into_iter().collect(), is_past_gone))
}

/// The lines that one state of the log has and another lacks; none where it is no log.
fn holding(repo: &Repo, of: Oid, after: &[Oid]) -> std::result::Result<Lines, store::Error> {
    if repo.holds_notes(of)? {
        lacking(repo, after, of)
    } else {
        Ok(Lines::new())
    }
}

/// `1 line is`, `2 lines are`.
fn lines_are(number: usize) -> String {
    match number {
        1 => "1 line is".to_owned(),
        more => format!("{more} lines are"),
    }
}
