//! What the figures mean for the gate: findings with a rule, a severity and a remedy.

use schemars::JsonSchema;
use serde::Serialize;

use super::Survey;
use crate::{
    entry::{Person, Ts},
    finding::Severity,
    question::{QuietSettings, Settings},
};

/// Why something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// There is no entry at all.
    NoSessions,
    /// A question was not re-derived for too many sessions.
    Stale,
    /// Too many sessions in a row report no change while HEAD moves.
    QuietRun,
    /// A later entry may hide an alarm.
    LateEntry,
    /// Entries are earlier than the commit they name, or later than now.
    Clock,
    /// A session opened more tensions than the store allows.
    TensionFlood,
    /// A session opened and closed tensions without any citation.
    TensionUnfounded,
    /// Imported entries are dated after the first one that was made here.
    ImportedLate,
    /// More questions are active than people can keep alive.
    ManyQuestions,
    /// The tip has no question store.
    StoreNotCommitted,
    /// The worktree's question store differs from the tip's.
    StoreDiffers,
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
            help: match survey.elsewhere {
                0 => "start with `git sq brief`, then `git sq record`",
                _ => "history was rewritten, or this is another branch: `git notes --ref=sq list` names the commits",
            }
            .into(),
        });
    }
    stale(survey, &mut found);
    quiet_runs(survey, &settings.quiet, &mut found);
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
                "{} was last re-derived {} sessions ago, in {sid}",
                question.q_id, question.staleness
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
            help: "re-derive it in the next session, or retire it: a question nobody asks is decoration"
                .into(),
        });
    }
}

fn quiet_runs(survey: &Survey, settings: &QuietSettings, found: &mut Vec<Finding>) {
    let accepted_through = settings.accepted_through.map(Ts::from);
    let max_run = settings.max_run as usize;
    for run in survey.quiet.runs.iter().filter(|run| run.length > max_run) {
        let accepted = accepted_through
            .as_ref()
            .is_some_and(|through| run.ended.as_str() < through.as_str());
        let (first, last) = (run.sids.first(), run.sids.last());
        let span = match (first, last) {
            (Some(first), Some(last)) => format!("{first} to {last}"),
            _ => String::new(),
        };
        let who = run.who.iter().filter_map(|(by, agent)| match (by, agent) {
            (Some(by), Some(agent)) => Some(format!("{} with {agent}", by.name)),
            (Some(by), None) => Some(by.name.clone()),
            (None, agent) => agent.clone(),
        });
        let who: Vec<String> = who.collect();
        let by = match who.as_slice() {
            [] => String::new(),
            who => format!(", by {}", who.join(" and ")),
        };
        let message = format!(
            "{} sessions in a row ({span}{by}) report no change while HEAD moves (limit {})",
            run.length, settings.max_run
        );
        found.push(if accepted {
            Finding {
                rule: Rule::QuietRun,
                severity: Severity::Warning,
                message: message + "; accepted in the question store",
                about: Some(span),
                help: "no action needed: quiet.accepted_through closed it".into(),
            }
        } else {
            Finding {
                rule: Rule::QuietRun,
                severity: Severity::Error,
                message,
                about: Some(span),
                help: "re-derive two or three answers by hand and compare; when you have dealt with it, set quiet.accepted_through in the question store".into(),
            }
        });
    }
}

/// What the whole log says about sessions, reachable from the tip or not.
fn conduct(survey: &Survey, per_session: u32, found: &mut Vec<Finding>) {
    let mut warn = |rule, sid: &str, message: String, help: &str| {
        found.push(Finding {
            rule,
            severity: Severity::Warning,
            message,
            about: Some(sid.to_owned()),
            help: help.into(),
        });
    };
    for skewed in &survey.clock {
        let session = session(&skewed.sid, skewed.by.as_ref());
        for (number, what) in [
            (
                skewed.early,
                "dated earlier than the commit that they were made on",
            ),
            (
                skewed.ahead,
                "dated later than now: they count at the time of their commit",
            ),
        ] {
            if number > 0 {
                warn(
                    Rule::Clock,
                    &skewed.sid,
                    format!("{session} has entries ({number}) {what}"),
                    "check whose clock is wrong: `git sq log --format json`, `git log -p refs/notes/sq`",
                );
            }
        }
    }
    for conduct in &survey.tensions {
        let session = session(&conduct.sid, conduct.by.as_ref());
        if conduct.opened > per_session as usize {
            warn(
                Rule::TensionFlood,
                &conduct.sid,
                format!(
                    "{session} opened {} tensions (limit {per_session})",
                    conduct.opened
                ),
                "check whether they are worth keeping: `git sq tension list --all`",
            );
        }
        if conduct.unfounded > 0 {
            warn(
                Rule::TensionUnfounded,
                &conduct.sid,
                format!(
                    "{session} opened and closed {} of its tensions without any citation",
                    conduct.unfounded
                ),
                "cite where the answer is: --cite path:line",
            );
        }
    }
}

/// A session and the person, where that is known.
fn session(sid: &str, by: Option<&Person>) -> String {
    let by = by.filter(|person| !person.name.is_empty());
    let by = by.map_or_else(String::new, |person| format!(" ({})", person.name));
    format!("session {sid}{by}")
}

fn warnings(survey: &Survey, store: StoreNews, found: &mut Vec<Finding>) {
    let mut warn = |rule, about: Option<String>, message: String, help: &str| {
        found.push(Finding {
            rule,
            severity: Severity::Warning,
            message,
            about,
            help: help.into(),
        });
    };
    for late in &survey.late {
        warn(
            Rule::LateEntry,
            Some(late.sid.clone()),
            format!(
                "{} got an entry at {}, after its worktree had started another session: it may hide an alarm",
                session(&late.sid, late.by.as_ref()),
                late.ts
            ),
            "check what it changed: `git sq log`",
        );
    }
    if survey.imported_late > 0 {
        warn(
            Rule::ImportedLate,
            None,
            format!(
                "{} imported entries are dated after the first entry recorded here",
                survey.imported_late
            ),
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
