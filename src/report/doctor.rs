//! The report of `doctor`: what is wrong with a clone, why it matters, and the command that fixes it.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Style, asides, count, escape};
use crate::metrics::Severity;

/// What `git sq doctor` found.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct Diagnosis {
    /// Errors first.
    pub problems: Vec<Problem>,
    /// Commits with entries that no branch contains.
    pub orphans: Vec<Orphan>,
    /// What could not be checked.
    pub unknown: Vec<String>,
}

/// A commit with entries that no branch contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Orphan {
    pub commit: String,
    /// How many of its entries are on no commit of a branch.
    pub entries: usize,
    /// Whether git has pruned it.
    pub gone: bool,
}

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    pub rule: Ailment,
    pub severity: Severity,
    pub what: String,
    /// Why it matters.
    pub why: String,
    /// The command that fixes it.
    pub command: String,
    /// Whether `--fix` fixed it in this run.
    pub fixed: bool,
}

/// What can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ailment {
    /// No remote shares the log, though there is an upstream.
    NotShared,
    /// A remote that shares the log is not fetched from, or not into its place.
    NotFetched,
    /// A fetch refspec puts the log where nothing reads it.
    StrayRefspec,
    /// A fetch refspec overwrites the local log.
    DangerousRefspec,
    /// A remote has `sq` set and can't share the log.
    CannotShare,
    /// A remote's push URL differs from its fetch URL.
    PushElsewhere,
    /// A remote is set up as a push mirror.
    MirrorPush,
    /// Plain `git notes` writes to the log.
    NotesRef,
    /// Git itself copies the log's notes when commits are rewritten.
    RewriteRef,
    /// `git log` no longer shows the log.
    NotShown,
    /// Git does not run one of the hooks.
    HookNotRun,
    /// The hooks would not find the program.
    NotOnPath,
    /// A remote rejects the log.
    Refused,
    /// Lines are on no remote that shares the log.
    NotPushed,
    /// A ref of the log is symbolic, is not a log, or can't be read.
    BadRef,
    /// A lock file is in the way of every write.
    StaleLock,
    /// The notes tree has something that is not a note, or a note twice.
    OddNotes,
    /// Notes are not in the repository.
    MissingNotes,
    /// The log's own history is truncated.
    TruncatedLog,
    /// The reflog has lines that the log lacks.
    LostLines,
    /// Lines were fetched from a remote that no longer exists.
    UnreadLines,
    /// Entries are on commits that no branch contains.
    Orphans,
    /// `sq.grace` is not a duration.
    BadGrace,
}

/// How many orphaned commits are shown; json has all.
const SHOWN: usize = 10;

fn short(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// The problems for people.
pub fn doctor_text(diagnosis: &Diagnosis, style: Style) -> String {
    let problems = diagnosis.problems.iter().map(|problem| {
        let label = match (problem.fixed, problem.severity) {
            (true, _) => style.good("fixed:"),
            (false, Severity::Error) => style.error("error:"),
            (false, Severity::Warning) => style.warning("warning:"),
        };
        let first = format!(
            "{label} {}: {}\n",
            escape(&problem.what),
            escape(&problem.why)
        );
        let commands = problem.command.lines().filter(|_| !problem.fixed);
        let commands = commands.map(|line| format!("  {}\n", style.dim(&escape(line))));
        let orphans = (problem.rule == Ailment::Orphans).then(|| orphans(&diagnosis.orphans));
        std::iter::once(first)
            .chain(commands)
            .chain(orphans)
            .collect()
    });
    let left = diagnosis.problems.iter().filter(|p| !p.fixed).count();
    let verdict = match (left, diagnosis.unknown.is_empty()) {
        (0, true) => style.good("Nothing is wrong with the log, its remotes and its hooks."),
        (0, false) => style.warning("No problem was found, but not everything could be checked."),
        (left, _) => count(left, "problem"),
    };
    let problems: String = problems.collect::<Vec<String>>().concat();
    problems + &asides(&[], &diagnosis.unknown, style) + &verdict + "\n"
}

fn orphans(orphans: &[Orphan]) -> String {
    let lines = orphans.iter().take(SHOWN).map(|orphan| {
        let gone = if orphan.gone { ", gone" } else { "" };
        let entries = count(orphan.entries, "line");
        format!("    {} ({entries}{gone})\n", short(&orphan.commit))
    });
    let more = orphans.len().checked_sub(SHOWN).filter(|&more| more > 0);
    let more = more.map(|more| format!("    and {}\n", count(more, "more commit")));
    lines.chain(more).collect()
}
