//! What the figures mean for the gate: findings with a rule, a severity and a remedy.

mod expectations;
mod log;
mod looks;
mod sessions;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::{
    expectations::expectations,
    log::{conduct, of_log},
    looks::{at_tip, disputed, flagged, never_differs, unasked, wrong_answers},
    sessions::{drifts, quiet_runs, unanswered},
};
use super::Survey;
use crate::{
    entry::short_sid,
    finding::Severity,
    git::Oid,
    question::{Loosening, Settings},
    timeline::short,
};

/// Why something was found.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    ValueEnum,
)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// There is no entry at all.
    NoSessions,
    /// A question was not re-derived for too many sessions.
    Stale,
    /// Too many sessions in a row are suspicious.
    QuietRun,
    /// A session ended without an answer.
    Unanswered,
    /// Too many sessions in a row ended without an answer.
    UnansweredRun,
    /// Too many of the last looks are flagged.
    Flagged,
    /// A session answered others, and left out a question whose answer may have changed.
    LeftOut,
    /// An answer that had a reason to change cites nothing that bears it out.
    NoEvidence,
    /// The answer is not what its evidence shows.
    NotShown,
    /// A delta, although nothing that the answer rests on changed.
    NothingChanged,
    /// The answers to a question never differ though what it depends on does.
    NeverDiffers,
    /// A look whose commit a rewrite took out of the default branch.
    LeftBehind,
    /// Others derived an answer again and found another one.
    SecondLook,
    /// Two sessions disagree about the same commit.
    Disputed,
    /// What a question depends on changed since the answer that counts.
    Outdated,
    /// No answer to a question counts.
    Never,
    /// Many commits changed something watched, and nobody answered.
    Unasked,
    /// The answer to a blocking question changed, and nobody said what that is.
    Drift,
    /// The tip's question store may be laxer than the one that judges.
    Loosened,
    /// A version of a question does not ask what it asked before.
    VersionChangedInPlace,
    /// The pathspecs of a question match no file.
    WatchesNothing,
    /// Entries are earlier than the commit they name, or later than now.
    Clock,
    /// Entries do not fit the chain of the writer that they name.
    BrokenChain,
    /// A session opened more tensions than the store allows.
    TensionFlood,
    /// A session opened and closed tensions without any citation.
    TensionUnfounded,
    /// Imported entries are dated after the first one that was made here.
    ImportedLate,
    /// More questions are active than people can keep alive.
    ManyQuestions,
    /// Lines that the log had are gone.
    LinesRemoved,
    /// Text in the log that is no entry.
    ForeignText,
    /// The tip has no question store.
    StoreNotCommitted,
    /// The worktree's question store differs from the tip's.
    StoreDiffers,
    /// The answer is not what the question expects.
    Failing,
    /// No run of a command says whether the answer is what the question expects.
    NotRun,
    /// A question no longer sees what it saw on the base.
    Blinded,
}

impl Rule {
    /// Its name in findings and on the command line.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// What the gate finds.
pub type Finding = crate::finding::Finding<Rule>;

/// How the question store that was used relates to the one in the worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreNews {
    Committed,
    /// The worktree's was used, because the tip has none.
    NotCommitted,
    /// The tip's was used, and the worktree's differs.
    Differs,
}

/// Looks through the figures; errors come first.
///
/// Where there is a remote that was never asked, an empty log is unknown, not a finding.
pub fn findings(survey: &Survey, settings: &Settings, store: StoreNews) -> Vec<Finding> {
    let mut found = Vec::new();
    // What can't be read may be a session.
    if survey.sessions == 0 && survey.unknown.is_empty() && !survey.may_be_elsewhere {
        found.push(Finding {
            rule: Rule::NoSessions,
            severity: Severity::Error,
            message: match survey.elsewhere {
                0 => "no session has recorded anything yet".into(),
                n => format!("no session is in this history: all {n} entries are on commits that it does not contain"),
            },
            about: None,
            question: None,
            help: match survey.elsewhere {
                0 => "start with `git sq brief`, then `git sq record`",
                _ => "after a rewritten history, `git sq carry` copies the entries to the new commits",
            }
            .into(),
        });
    }
    stale(survey, &mut found);
    quiet_runs(survey, &settings.quiet, &mut found);
    unanswered(survey, settings, &mut found);
    flagged(survey, settings, &mut found);
    never_differs(survey, &mut found);
    expectations(survey, &mut found);
    wrong_answers(survey, settings, &mut found);
    disputed(survey, &mut found);
    at_tip(survey, settings, &mut found);
    unasked(survey, settings, &mut found);
    drifts(survey, &mut found);
    questions(survey, &mut found);
    of_log(survey, &mut found);
    conduct(survey, settings.tension.per_session, &mut found);
    warnings(survey, store, &mut found);
    found.sort_by_key(|finding| finding.severity);
    found
}

fn stale(survey: &Survey, found: &mut Vec<Finding>) {
    // An empty log has one finding, not one for each question.
    for question in survey
        .staleness
        .iter()
        .filter(|s| s.flagged && survey.sessions > 0)
    {
        let since = match &question.last_sid {
            Some(sid) => format!(
                "{} was last answered {} sessions ago, in {}",
                question.q_id,
                question.staleness,
                short_sid(sid)
            ),
            None => format!(
                "{} was never answered in {} sessions",
                question.q_id, question.staleness
            ),
        };
        found.push(Finding {
            rule: Rule::Stale,
            severity: Severity::Error,
            message: format!("{since} (limit {})", question.limit),
            about: Some(question.q_id.clone()),
            question: None,
            help: "record an answer at the tip, or retire the question".into(),
        });
    }
}

/// What the questions themselves are asked about.
fn questions(survey: &Survey, found: &mut Vec<Finding>) {
    let changed = survey.changed_in_place.iter().map(|(name, sid)| {
        let sid = short_sid(sid);
        let message = format!("{name} was changed in place since session {sid} answered it");
        Finding::error(Rule::VersionChangedInPlace, name, message, NEW_VERSION)
    });
    found.extend(changed);
    let nothing = survey.watches_nothing.iter().map(|(name, spec)| {
        let message = format!("{name} watches {spec}, which matches no file");
        let help = "correct the pathspecs: what nothing matches can't change";
        Finding::warning(Rule::WatchesNothing, name, message, help)
    });
    found.extend(nothing);
}

/// What to do about a question that was edited.
const NEW_VERSION: &str = "put the old text back and add a new version";

/// What a proposal changes since it left the branch that it is held against.
#[derive(Default)]
pub struct Proposed {
    /// Each with the command that shows it.
    pub loosened: Vec<(Loosening, String)>,
    /// Questions, what each no longer sees, and where it saw it.
    pub blinded: Vec<(String, String, Oid)>,
}

/// Findings about what a proposal changes in the questions and in what they see.
pub fn proposed(proposed: &Proposed) -> Vec<Finding> {
    let loosened = proposed.loosened.iter().map(|(laxer, diff)| {
        let (rule, help) = if laxer.is_in_place {
            (Rule::VersionChangedInPlace, NEW_VERSION.to_owned())
        } else {
            let help = format!(
                "`{diff}` shows it: if it is intended, merge it into the base branch first; otherwise revert it"
            );
            (Rule::Loosened, help)
        };
        let message = format!("{} {}", laxer.about, laxer.what);
        Finding::error(rule, &laxer.about, message, &help)
    });
    let blinded = proposed.blinded.iter().map(|(name, lost, fork)| {
        let message = format!("{name} no longer sees what it saw at {}: {lost}", short(*fork));
        let help = "move it back, or let a person give the question a new version (`git sq question reword`) that \
                    looks where it is now and lands on the base";
        Finding::error(Rule::Blinded, name, message, help)
    });
    loosened.chain(blinded).collect()
}

fn warnings(survey: &Survey, store: StoreNews, found: &mut Vec<Finding>) {
    let mut warn = |rule, about: Option<String>, message: String, help: &str| {
        found.push(Finding {
            rule,
            severity: Severity::Warning,
            message,
            about,
            question: None,
            help: help.into(),
        });
    };
    if survey.imported_late > 0 {
        warn(
            Rule::ImportedLate,
            None,
            match survey.imported_late {
                1 => "1 imported entry is dated after the first entry recorded here".into(),
                more => {
                    format!("{more} imported entries are dated after the first entry recorded here")
                }
            },
            "their times cannot be verified: check where they came from with `git sq log --format json`",
        );
    }
    let questions = survey.active_questions;
    if questions > crate::question::MANY {
        warn(
            Rule::ManyQuestions,
            None,
            format!(
                "{questions} active questions, more than {}",
                crate::question::MANY
            ),
            "retire what no longer earns its keep: the long tail goes stale and hides the rest",
        );
    }
    match store {
        StoreNews::Committed => {}
        StoreNews::NotCommitted => warn(
            Rule::StoreNotCommitted,
            None,
            "the question store is not committed yet: the worktree's copy was used".into(),
            "commit it, so that everybody answers the same questions",
        ),
        StoreNews::Differs => warn(
            Rule::StoreDiffers,
            None,
            "the worktree's question store differs from the committed one, which was used".into(),
            "commit or revert the change",
        ),
    }
}
