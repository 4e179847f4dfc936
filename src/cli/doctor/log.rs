//! The refs that hold the log, and what has not travelled.

use std::time::Duration;

use super::{
    super::{Failure, quote},
    Cure, Examination,
};
use crate::{
    git::ErrorKind,
    metrics::Severity::{Error, Warning},
    project::history_and_log,
    report::{Ailment, Orphan, count},
    store::{
        self, Health, LOCAL_REF, LogTips, broken_local, carry::strays, health, refusals,
        tracking_prefix, unpushed,
    },
};

/// Git writes a ref within moments.
const LOCK_IS_STALE: Duration = Duration::from_secs(60);
/// After this long nobody can be at work under it.
const LOCK_IS_DEAD: Duration = Duration::from_secs(600);
/// How many odd names are shown.
const SHOWN: usize = 3;

impl Examination<'_> {
    pub(super) fn log(&mut self) -> Result<(), Failure> {
        let broken = match broken_local(self.repo) {
            Ok(broken) => broken,
            Err(store::Error::Git(error)) if error.kind == ErrorKind::Unsupported => {
                self.found(
                    (Ailment::BadRef, Error),
                    error.to_string(),
                    "nothing can be recorded safely",
                    error.help.unwrap_or_default(),
                    None,
                );
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        if let Some((from, good)) = broken {
            self.found(
                (Ailment::BadRef, Error),
                format!("{LOCAL_REF} holds no notes, or what it holds can't be read"),
                "nothing can be read or recorded",
                match good {
                    Some(_) => "git sq doctor --fix".to_owned(),
                    None => format!("git update-ref -d {LOCAL_REF}\ngit sq sync"),
                },
                good.map(|to| Cure::Restore { from, to }),
            );
            return Ok(());
        }
        let health = health(self.repo)?;
        self.bad_refs(&health);
        self.local_ref(&health);
        self.lines(health);
        self.orphans()?;
        for remote in self.repo.remotes().iter().filter(|r| r.shares_log) {
            let word = quote::word(&remote.name);
            if let Some(reason) = refusals(self.repo).get(&remote.name) {
                let branch = quote::word(&format!("remote.{}.sqRef", remote.name));
                self.found(
                    (Ailment::Refused, Error),
                    format!("{} does not take {}: {reason}", remote.name, remote.log_ref),
                    "the log can't travel there; as a branch it could",
                    format!(
                        "git config {branch} refs/heads/sq/log\ngit sq doctor --fix\ngit sq sync {word}"
                    ),
                    None,
                );
            }
            // A log that is none was told of above.
            let left = match unpushed(self.repo, remote) {
                Err(store::Error::NotALog { .. }) => continue,
                left => left?,
            };
            if left > 0 {
                self.found(
                    (Ailment::NotPushed, Warning),
                    format!("{} not on {}", has(left, "line"), remote.name),
                    "others can't see what only this clone has",
                    format!("git sq sync {word}"),
                    None,
                );
            }
        }
        Ok(())
    }

    /// Refs that were fetched and hold no log.
    fn bad_refs(&mut self, health: &Health) {
        for name in &health.unreadable {
            let remotes = self.repo.remotes();
            let there = remotes.iter().find_map(|remote| {
                let rest = name.strip_prefix(&tracking_prefix(&remote.name))?;
                let rest = rest.strip_prefix("sq")?;
                Some((remote, format!("{}{rest}", remote.log_ref)))
            });
            let Some((remote, there)) = there else {
                continue;
            };
            let word = quote::word(&remote.name);
            self.found(
                (Ailment::BadRef, Warning),
                format!("{there} on {} holds no log", remote.name),
                "it is passed over, and what else it should hold is not counted",
                if there == remote.log_ref && there != LOCAL_REF {
                    // Somebody's branch, most likely.
                    format!(
                        "git config {} ANOTHER-REF",
                        quote::word(&format!("remote.{}.sqRef", remote.name))
                    )
                } else {
                    format!(
                        "git push --no-verify {word} {}\ngit sq sync {word}",
                        quote::word(&format!(":{there}"))
                    )
                },
                None,
            );
        }
    }

    fn local_ref(&mut self, health: &Health) {
        let stale = health.locks.iter().filter(|(_, age)| *age >= LOCK_IS_STALE);
        for (path, age) in stale {
            let shown = path.to_string_lossy();
            self.found(
                (Ailment::StaleLock, Error),
                format!("{shown} is {} minutes old", age.as_secs() / 60),
                "nothing can be recorded while it is there, and a program that was killed left it",
                format!("rm {}", quote::path(&shown)),
                (*age >= LOCK_IS_DEAD).then(|| Cure::RemoveLock(path.clone())),
            );
        }
        if !health.odd.is_empty() {
            let shown: Vec<&str> = health.odd.iter().take(SHOWN).map(String::as_str).collect();
            let more = match health.odd.len().saturating_sub(SHOWN) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            self.found(
                (Ailment::OddNotes, Warning),
                format!(
                    "{LOCAL_REF} holds what is no note, or one twice: {}{more}",
                    shown.join(", ")
                ),
                "no entry can be read there, and a note that stands twice can't be added to",
                format!("git ls-tree -r {LOCAL_REF}"),
                None,
            );
        }
        if health.missing > 0 {
            self.unknown.push(format!(
                "{} not in this repository (`git fsck` says which)",
                has(health.missing, "note")
            ));
        }
        if health.is_truncated {
            self.found(
                (Ailment::TruncatedLog, Warning),
                "the log's own history is cut off, as a fetch with --depth does it",
                "what was in the log before can't be compared; its lines are all here",
                "git fetch --unshallow",
                None,
            );
        }
    }

    /// Entries that no branch has any more.
    fn orphans(&mut self) -> Result<(), Failure> {
        let Some(tip) = self.repo.head()?.commit else {
            return Ok(());
        };
        let (history, log) = history_and_log(self.repo, tip, &LogTips::read(self.repo)?)?;
        for stray in strays(self.repo, &log, &history)? {
            let entries = stray.lines.iter().filter(|line| line.orphaned).count();
            if entries > 0 {
                self.orphans.push(Orphan {
                    commit: stray.anchor.to_string(),
                    entries,
                    gone: !self.repo.has_object(stray.anchor),
                });
            }
        }
        if self.orphans.is_empty() {
            return Ok(());
        }
        let commits = count(self.orphans.len(), "commit");
        if !history.cut_at().is_empty() || !history.missing().is_empty() {
            self.orphans.clear();
            self.unknown.push(format!(
                "whether a branch has the entries of {commits} can't be known, because history is cut off here"
            ));
            return Ok(());
        }
        self.found(
            (Ailment::Orphans, Warning),
            format!("entries are on {commits} that no branch has"),
            "no figure counts them",
            "git sq carry --dry-run",
            None,
        );
        Ok(())
    }

    fn lines(&mut self, health: Health) {
        if !health.lost.is_empty() {
            self.found(
                (Ailment::LostLines, Error),
                format!("the reflog has {} that the log lacks", count(health.lost.len(), "line")),
                "something other than git sq wrote to the log, and they are lost when git clears the reflog",
                "git sq doctor --fix",
                Some(Cure::Append(health.lost)),
            );
        }
        if health.is_past_gone {
            self.unknown.push(
                "the reflog names states of the log that git has cleared away: whether they held more can't be told"
                    .into(),
            );
        }
        for (remote, lines) in health.unread {
            self.found(
                (Ailment::UnreadLines, Warning),
                format!(
                    "{} came from {remote}, which is no remote any more",
                    count(lines.len(), "line")
                ),
                "nothing reads what came from there",
                "git sq doctor --fix",
                Some(Cure::Append(lines)),
            );
        }
    }
}

/// `1 line is`, `2 lines are`.
fn has(number: usize, noun: &str) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", count(number, noun))
}
