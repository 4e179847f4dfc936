//! The refs of the log, the lines that they lost, and the lines that are not shared.

use std::{collections::BTreeSet, iter};

use super::{Ailment, Cure, Error, Examination, Finding, Waiting};
use crate::{
    git::{DEEPEN, DEFAULT_LOG_REF, Oid, Remote},
    quote,
    store::{
        KEPT_REF, LOCAL_REF, LocalState, Log, LogTips, Past,
        carry::{Request, plan},
        share::{elsewhere, standing},
        trouble,
    },
};

pub(super) const FIX: &str = "git sq doctor --fix";

const OVERWRITTEN: &str = "refs/notes/sq: something other than git sq wrote to it";

pub(super) type Result<T> = std::result::Result<T, Error>;

impl Examination<'_> {
    pub(super) fn log(&mut self) -> Result<()> {
        if self.refs()? {
            return Ok(());
        }
        let tips = LogTips::read(self.repo)?;
        self.lost_lines(&tips)?;
        self.orphans(&tips)?;
        self.shared(&tips)
    }

    fn lost_lines(&mut self, tips: &LogTips) -> Result<()> {
        let is_damaged = tips.unreadable.iter().any(|name| name == KEPT_REF);
        if tips.lost > 0 || is_damaged {
            let message = match tips.lost {
                0 => format!("{KEPT_REF} can't be read in full"),
                1 => format!("1 entry is missing from {OVERWRITTEN}"),
                more => format!("{more} entries are missing from {OVERWRITTEN}"),
            };
            let finding = Finding::error(Ailment::LostLines, LOCAL_REF, message, FIX);
            self.cases.push((finding, Some(Cure::Restore)));
        }
        match Past::seen(self.repo)?.with_history(self.repo, tips)?.gone(self.repo, tips) {
            Ok(lost) if lost.is_empty() => {}
            Ok(lost) => {
                let message = format!(
                    "{} no longer in the log, though a remote had {}",
                    lines_are(lost.len()),
                    if lost.len() == 1 { "it" } else { "them" }
                );
                let finding = Finding::error(Ailment::LostLines, LOCAL_REF, message, FIX);
                self.cases.push((finding, Some(Cure::Append(lost))));
            }
            Err(error) => {
                self.diagnosis.unknown.push(format!("could not check for removed lines: {error}"));
            }
        }
        Ok(())
    }

    fn orphans(&mut self, tips: &LogTips) -> Result<()> {
        let Some(tip) = self.repo.head()?.commit else {
            return Ok(());
        };
        let history = self.repo.walk(tip)?;
        let log = Log::read(self.repo, tips)?;
        // A branch that was given up leaves entries, too, which nothing can carry.
        let plan = plan(self.repo, &log, &history, &Request::default())?;
        if plan.moves.is_empty() && plan.orphaned.is_empty() && plan.unclear == 0 {
            return Ok(());
        }
        if !history.cut_at().is_empty() || !history.missing().is_empty() {
            let why = match history.missing() {
                [] => format!("history is cut off here; {DEEPEN}"),
                [id, ..] => self.repo.unread("commit", *id).to_string(),
            };
            self.diagnosis
                .unknown
                .push(format!("could not check that every entry is on a branch: {why}"));
            return Ok(());
        }
        let Some(first) = plan.moves.first().map(|moved| moved.from.to_string()) else {
            return Ok(());
        };
        let short = &first[..10];
        let which = match plan.moves.len() {
            1 => format!("commit {short}, which has entries, is"),
            more => format!("{more} commits that have entries ({short}, …) are"),
        };
        let message = format!("{which} on no branch: no figure counts them");
        let help = "git sq carry --dry-run   (shows where they would go)\ngit sq carry";
        self.found(Finding::warning(Ailment::Orphans, &first, message, help));
        Ok(())
    }

    fn shared(&mut self, tips: &LogTips) -> Result<()> {
        let known: Vec<Oid> = tips.commits().collect();
        for remote in self.repo.remotes().iter().filter(|r| r.shares_log) {
            if let Some(other) = elsewhere(self.repo, remote, &known)? {
                self.is_elsewhere(remote, other);
            }
            let left = standing(self.repo, remote)?;
            if !left.is_empty() {
                self.unpublished(remote, left.ready.len());
            }
            self.without_branch(remote, &left.gone);
            if !left.waiting.is_empty() {
                self.diagnosis.waiting.push(Waiting {
                    remote: remote.name.clone(),
                    entries: left.waiting.len(),
                    branches: left.branches,
                });
            }
        }
        for (remote, tampering) in LocalState::read(self.repo)?.tampered {
            let finding = Finding::warning(
                Ailment::Tampered,
                &remote,
                format!("the log on {remote} {}", tampering.words()),
                FIX,
            );
            self.cases.push((finding, Some(Cure::ForgetTampering(remote.clone()))));
        }
        Ok(())
    }

    /// They may be meant to stay, so this is no problem.
    fn without_branch(&mut self, remote: &Remote, gone: &[(String, Option<String>)]) {
        const SHOWN: usize = 5;
        let branches: BTreeSet<&str> =
            gone.iter().filter_map(|(_, branch)| branch.as_deref()).collect();
        let which = match Vec::from_iter(branches).as_slice() {
            _ if gone.is_empty() => return,
            [] => "a branch that git sq no longer knows".to_owned(),
            [branch] => format!("a branch that is gone: {branch}"),
            more => format!("branches that are gone: {}", more.join(", ")),
        };
        let wait = match gone.len() {
            1 => "1 entry waits".to_owned(),
            more => format!("{more} entries wait"),
        };
        let head = format!("{}: {wait} for {which}; to publish one all the same:", remote.name);
        let ids = gone.iter().take(SHOWN).map(|(id, _)| format!("  git sq sync --entry {id}"));
        self.diagnosis.notes.extend(iter::once(head).chain(ids));
    }

    fn is_elsewhere(&mut self, remote: &Remote, other: &str) {
        let Remote { name, log_ref, .. } = remote;
        let message = format!(
            "{name} also has a log at {other}, with entries that are not here: sq.logRef must be the same in all clones, and is {log_ref} here"
        );
        let key = quote::word(&format!("remote.{name}.sqRef={other}"));
        let word = quote::word(name);
        let help = if other == DEFAULT_LOG_REF {
            format!("git -c {key} sq sync {word}   (takes them in)\ngit sq sync {word}")
        } else {
            format!("git config sq.logRef {other}\ngit sq init")
        };
        self.found(Finding::warning(Ailment::BadRef, name, message, help));
    }

    /// Reports the lines that a remote should have and lacks, with the reason.
    fn unpublished(&mut self, remote: &Remote, ready: usize) {
        let (name, word) = (&remote.name, quote::word(&remote.name));
        let trouble = trouble(self.repo, remote);
        if let Some(found) = &trouble
            && let Some((tried, reason)) = &found.refused
        {
            let key = quote::word(&format!("remote.{name}.sqRef"));
            let (other, settings) = if tried.starts_with("refs/heads/") {
                let subject =
                    ["sq.commitSubject".to_owned(), "'chore: publish the log'".to_owned()];
                ("with another subject", vec![[key, tried.clone()], subject])
            } else {
                (
                    "as a branch, which then has to be set in all clones",
                    vec![[key, "refs/heads/sq/log".to_owned()]],
                )
            };
            let message = format!("{name} rejects {tried}: {reason}; it may take the log {other}");
            let said = found.why.lines().skip(1);
            let message = iter::once(&*message).chain(said).collect::<Vec<_>>().join("\n");
            // A setting is made only where the remote took the log with it.
            let tried = settings.iter().map(|[key, value]| format!("-c {key}={value} "));
            let set = settings.iter().map(|[key, value]| format!(" && git config {key} {value}"));
            let (tried, set) = (tried.collect::<String>(), set.collect::<String>());
            let help = format!("git {tried}sq sync {word}{set}\ngit sq doctor --fix");
            self.found(Finding::error(Ailment::Refused, name, message, help));
            return;
        }
        let why = trouble.map(|trouble| trouble.why);
        let message = match (ready, why) {
            (0, None) => return,
            (0, Some(why)) => format!("the log was not published the last time: {why}"),
            (ready, why) => {
                let why = why.map_or_else(String::new, |why| format!(": {why}"));
                format!("{} not on {name}, though the commits are{why}", lines_are(ready))
            }
        };
        let help = format!("git sq sync {word}");
        self.found(Finding::warning(Ailment::NotPushed, name, message, help));
    }
}

/// `1 line is`, `2 lines are`.
fn lines_are(number: usize) -> String {
    match number {
        1 => "1 line is".to_owned(),
        more => format!("{more} lines are"),
    }
}
