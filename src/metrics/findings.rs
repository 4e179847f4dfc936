//! What the figures mean for the gate: findings with a rule, a severity and a remedy.

mod log;
mod sessions;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::{
    log::{conduct, of_log},
    sessions::{drifts, left_out, named, quiet_runs, unanswered, wrong_answers},
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
    /// A session left out a question that every session has to answer, or that was exposed.
    LeftOut,
    /// A session said the opposite of what a probe found.
    ClaimContradictsProbe,
    /// An exposed answer, or a delta, cites nothing.
    NoEvidence,
    /// What an answer cites is not there.
    CitationFails,
    /// No cited line lies in what the question watches.
    OffWatch,
    /// No cited line is one that matters.
    OffTarget,
    /// An answer cites more than anybody reads.
    TooWide,
    /// The answer is not in what it cites.
    NotInQuote,
    /// The answer differs and the delta does not say so, or the other way round.
    AnswerVsDelta,
    /// A delta, and nothing changed.
    DeltaWithoutChange,
    /// A delta, and nothing changed that the question watches.
    DeltaOutsideWatch,
    /// A delta, and nothing changed in what it and the answer before cite.
    SameEvidence,
    /// Too many exposed answers in a row with a delta, or without one.
    AnswersAlike,
    /// Several readers found another answer than was recorded.
    SecondLook,
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
    left_out(survey, &mut found);
    named(survey, &mut found);
    drifts(survey, &mut found);
    wrong_answers(survey, settings, &mut found);
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
                "{} was last re-derived {} sessions ago, in {}",
                question.q_id,
                question.staleness,
                short_sid(sid)
            ),
            None => format!(
                "{} was never re-derived in {} sessions",
                question.q_id, question.staleness
            ),
        };
        found.push(Finding {
            rule: Rule::Stale,
            severity: Severity::Error,
            message: format!("{since} (limit {})", question.limit),
            about: Some(question.q_id.clone()),
            question: None,
            help: "re-derive it in the next session, or retire it: a question nobody asks is decoration"
                .into(),
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
