//! What the figures mean for the gate: findings with a rule, a severity and a remedy.

use std::collections::BTreeSet;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Run, Survey};
use crate::{
    entry::{Person, Ts, short_sid},
    finding::Severity,
    git::Oid,
    question::{Loosening, QuietSettings, Settings},
    timeline::{places, short},
};

/// Why something was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// There is no entry at all.
    NoSessions,
    /// A question was not re-derived for too many sessions.
    Stale,
    /// Too many sessions in a row report no change while HEAD moves.
    QuietRun,
    /// A session ended without an answer.
    Unanswered,
    /// Too many sessions in a row ended without an answer.
    UnansweredRun,
    /// A session left out a question that every session has to answer.
    LeftOut,
    /// The tip's question store is laxer than the one that judges.
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
                _ => "after a rewritten history, `git sq carry` copies the entries to the new commits",
            }
            .into(),
        });
    }
    stale(survey, &mut found);
    quiet_runs(survey, &settings.quiet, &mut found);
    unanswered(survey, settings, &mut found);
    left_out(survey, &mut found);
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
            help: "re-derive it in the next session, or retire it: a question nobody asks is decoration"
                .into(),
        });
    }
}

/// What has to be done about a run that is too long, besides accepting it.
const CLOSE: &str =
    "; when you have dealt with it, set quiet.accepted_through in the question store";

fn quiet_runs(survey: &Survey, settings: &QuietSettings, found: &mut Vec<Finding>) {
    let max = settings.max_run;
    let what = format!("report no change while HEAD moves (limit {max})");
    let help = "re-derive two or three answers by hand and compare".to_owned() + CLOSE;
    for run in &survey.quiet.runs {
        found.push(of_run(Rule::QuietRun, run, &what, &help, settings));
    }
}

fn unanswered(survey: &Survey, settings: &Settings, found: &mut Vec<Finding>) {
    let max = settings.unanswered.max_run;
    let runs = &survey.unanswered.runs;
    let what = format!("ended without an answer (limit {max})");
    let help = "answer the questions now: `git sq brief`".to_owned() + CLOSE;
    for run in runs {
        found.push(of_run(
            Rule::UnansweredRun,
            run,
            &what,
            &help,
            &settings.quiet,
        ));
    }
    let is_in_run = |sid: &String| runs.iter().any(|run| run.sids.contains(sid));
    for one in &survey.unanswered.sessions {
        if !is_in_run(&one.sid) {
            let session = session(&one.sid, one.by.as_ref());
            found.push(Finding::warning(
                Rule::Unanswered,
                &one.sid,
                format!("{session} ended without an answer"),
                "`git sq brief` shows what a session has to re-derive",
            ));
        }
    }
}

/// A finding about a run that is longer than the limit: an error unless a person accepted it.
fn of_run(rule: Rule, run: &Run, what: &str, help: &str, settings: &QuietSettings) -> Finding {
    let through = settings.accepted_through.map(Ts::from);
    let is_accepted = through.is_some_and(|through| run.ended.as_str() < through.as_str());
    let span = match (run.sids.first(), run.sids.last()) {
        (Some(first), Some(last)) => format!("{} to {}", short_sid(first), short_sid(last)),
        _ => String::new(),
    };
    let message = format!(
        "{} sessions in a row ({span}{}) {what}",
        run.length,
        by(&run.who)
    );
    if is_accepted {
        let message = message + "; accepted in the question store";
        let help = "no action needed: quiet.accepted_through closed it";
        Finding::warning(rule, &span, message, help)
    } else {
        Finding::error(rule, &span, message, help)
    }
}

/// Who answered, in words: `, by Ann with claude and Bob`.
fn by(who: &[(Option<Person>, Option<String>)]) -> String {
    let who = who.iter().filter_map(|(by, agent)| match (by, agent) {
        (Some(by), Some(agent)) => Some(format!("{} with {agent}", by.name)),
        (Some(by), None) => Some(by.name.clone()),
        (None, agent) => agent.clone(),
    });
    match who.collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        who => format!(", by {}", who.join(" and ")),
    }
}

fn left_out(survey: &Survey, found: &mut Vec<Finding>) {
    let sessions = survey.left_out.iter();
    found.extend(sessions.map(|one| {
        let (sid, questions) = (short_sid(&one.sid), one.questions.join(", "));
        Finding::warning(
            Rule::LeftOut,
            &one.sid,
            format!("session {sid} left out {questions}, which every session has to answer"),
            "`git sq brief` names the questions of importance 3 first",
        )
    }));
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

/// What the log itself holds, and lacks.
fn of_log(survey: &Survey, found: &mut Vec<Finding>) {
    let (removed, texts) = (&survey.removed, &survey.texts);
    let on = places(&removed.commits);
    let message = match (removed.lines, removed.own) {
        (0, None) => None,
        (0, Some((written, left))) => Some(format!(
            "this clone wrote {written} lines, and the log has {left} of them"
        )),
        (1, _) => Some(format!("1 line is gone from the log: it was on {on}")),
        (more, _) => Some(format!(
            "{more} lines are gone from the log: they were on {on}"
        )),
    };
    found.extend(message.map(|message| Finding {
        rule: Rule::LinesRemoved,
        severity: Severity::Error,
        message,
        about: None,
        help: "`git sq sync` and `git sq doctor --fix` put back what this clone knows of; `git log refs/notes/sq` shows who removed it"
            .into(),
    }));
    if !texts.is_empty() {
        let number = texts.iter().map(|text| text.lines).sum();
        let commits: Vec<Oid> = texts.iter().map(|text| text.commit).collect();
        let who = texts.iter().filter_map(|text| text.by.as_ref());
        let who: BTreeSet<&str> = who.map(|person| person.name.as_str()).collect();
        let by = match who.into_iter().collect::<Vec<_>>().as_slice() {
            [] => String::new(),
            who => format!(", by {}", who.join(" and ")),
        };
        let are = match number {
            1 => "1 line of the log is text and no entry".to_owned(),
            more => format!("{more} lines of the log are text and no entries"),
        };
        found.push(Finding {
            rule: Rule::ForeignText,
            severity: Severity::Warning,
            message: format!("{are}: on {}{by}", places(&commits)),
            about: None,
            help: "it counts for nothing and stays; for notes of your own, leave out `--ref=sq`"
                .into(),
        });
    }
}

/// What to do about a question that was edited.
const NEW_VERSION: &str = "put the old text back and add a new version";

/// Findings about how the tip's question store is laxer than the one that judges, each with the commit that did it.
pub fn loosenings(found: &[(Loosening, Oid)]) -> Vec<Finding> {
    let found = found.iter().map(|(laxer, commit)| {
        let rule = if laxer.is_in_place {
            Rule::VersionChangedInPlace
        } else {
            Rule::Loosened
        };
        let Loosening { about, what, .. } = laxer;
        let message = format!("{about} {what} (in {})", short(*commit));
        let help = if laxer.is_in_place {
            NEW_VERSION
        } else {
            "a person agrees to it by landing it on the base; else take it back"
        };
        Finding::error(rule, about, message, help)
    });
    found.collect()
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
    for broken in &survey.broken_chains {
        let session = session(&broken.sid, broken.by.as_ref());
        warn(
            Rule::BrokenChain,
            &broken.sid,
            format!(
                "{session} has entries ({}) that break the chain of the writer that they name: they count for nobody's session",
                broken.lines
            ),
            "ask whoever is named whether they wrote them: `git sq log --all`, `git log -p refs/notes/sq`",
        );
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
    format!("session {}{by}", short_sid(sid))
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
