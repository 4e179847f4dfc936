//! Findings about answers: what rules flag, what is disputed, and how questions stand at the tip.

use super::{Finding, Rule, sessions::session};
use crate::{
    finding::Severity,
    metrics::{AtTip, Flagged, NEVER_DIFFERS, Staleness, State, Survey},
    question::{self, Settings},
};

/// Without `unasked.max`, more commits than this are a warning.
const UNASKED: usize = 30;

/// A person's way to close what honest work can't.
const ACCEPT: &str = "a person who has dealt with it closes it by `git sq check --accept`";

/// The looks that rules flag: too many are an error; each answer has a finding of its own, those of one rule together.
pub fn flagged(survey: &Survey, settings: &Settings, found: &mut Vec<Finding>) {
    let (window, max) = (&survey.window, settings.flagged.max);
    if window.flagged > max as usize {
        found.push(Finding {
            rule: Rule::Flagged,
            severity: Severity::Error,
            message: format!(
                "{} of the last {} looks that could have been flagged are (limit {max})",
                window.flagged, window.looks
            ),
            about: None,
            question: None,
            help: format!("derive these answers again and compare; {ACCEPT}"),
        });
    }
    let is_told = |one: &&Flagged| {
        let mut wrong = survey.second.wrong.iter();
        one.rule == Rule::SecondLook && wrong.any(|wrong| wrong.entry == one.entry)
    };
    let mut flagged: Vec<&Flagged> = survey.flagged.iter().collect();
    flagged.retain(|one| !is_told(one));
    flagged.sort_by_key(|one| one.rule);
    found.extend(flagged.into_iter().map(|one| {
        let session = session(&one.sid, one.by.as_ref());
        let (question, commit, why) = (&one.question, &one.commit, &one.why);
        let message = match one.rule {
            Rule::LeftOut => format!("{session} at {commit} left out {question}: {why}"),
            Rule::LeftBehind => {
                format!("{commit}, where {session} answered (entry {}), {why}", one.entry)
            }
            _ => format!(
                "{question} of {session} at {commit}, entry {}: {why}",
                one.entry
            ),
        };
        let help = match one.rule {
            Rule::LeftOut => {
                "answer it in the next session: `git sq brief` says what is due".into()
            }
            Rule::LeftBehind => "`git sq carry` copies the entry to the commit that took its place; a person who has looked at the rewrite accepts it by `git sq check --accept`".into(),
            rule => format!(
                "answer it again with the lines it rests on; `git sq check --explain {}` says more",
                rule.name()
            ),
        };
        Finding {
            question: Some(question.clone()).filter(|name| !name.is_empty()),
            ..Finding::warning(one.rule, &one.sid, message, help)
        }
    }));
}

pub fn never_differs(survey: &Survey, found: &mut Vec<Finding>) {
    found.extend(survey.never_differs.iter().map(|one| {
        let (name, answers) = (&one.question, one.answers);
        let message = format!(
            "the last {answers} answers to {name} whose files had changed all report no change"
        );
        if answers < NEVER_DIFFERS {
            let help = format!(
                "another session should look again: `git sq brief` asks it to look at entry {}",
                one.entry
            );
            Finding::warning(Rule::NeverDiffers, name, message, help)
        } else {
            let help = "narrow its `watch` or `lines`, have another session look again, or retire the question";
            Finding::error(Rule::NeverDiffers, name, message, help)
        }
    }));
}

/// Answers that were found wrong: the gate fails from a certain one on, unless a person accepted it.
pub fn wrong_answers(survey: &Survey, settings: &Settings, found: &mut Vec<Finding>) {
    let wrong = survey.second.wrong.iter();
    let open = wrong.filter(|one| !settings.accepted.contains(&one.entry));
    found.extend((1..).zip(open).map(|(number, one)| {
        let name = question::name(&one.q_id, one.q_version);
        let given = session(&one.sid, one.by.as_ref());
        let caught = one.correction.as_ref().map_or_else(String::new, |caught| {
            format!("; caught by {}", session(&caught.sid, caught.by.as_ref()))
        });
        let message = format!(
            "the answer of {given} to {name} is wrong: {} found another one{caught}",
            match one.readers {
                1 => "1 other session".to_owned(),
                more => format!("{more} other sessions"),
            }
        );
        let help = format!("`git sq show {}` has it; {ACCEPT}", one.entry);
        let finding = if number < settings.second.gate {
            Finding::warning(Rule::SecondLook, &one.sid, message, help)
        } else {
            Finding::error(Rule::SecondLook, &one.sid, message, help)
        };
        Finding {
            question: Some(name),
            ..finding
        }
    }));
}

/// Answers about which two sessions disagree.
pub fn disputed(survey: &Survey, found: &mut Vec<Finding>) {
    let is_disputed = |name: &str| {
        let mut at_tip = survey.at_tip.iter();
        at_tip.any(|one| one.question == name && one.state == State::Disputed)
    };
    let open = survey.second.open.iter();
    let open = open.filter(|one| is_disputed(&one.name()));
    let disputed = open.filter_map(|one| Some((one, one.correction.as_ref()?)));
    found.extend(disputed.map(|(one, correction)| {
        let name = one.name();
        let message = format!(
            "{name}: {} corrected the answer of {} (entry {}), and nobody settled it",
            session(&correction.sid, correction.by.as_ref()),
            session(&one.sid, one.by.as_ref()),
            one.entry
        );
        let help = format!(
            "look before you build on it: `git sq show {name}`; other sessions, or a person by `git sq triage {} {name} --agree --because '...'`, settle it",
            correction.entry
        );
        Finding {
            question: Some(name.clone()),
            ..Finding::warning(Rule::Disputed, &name, message, help)
        }
    }));
}

/// Questions that one record at the tip would mend.
pub fn at_tip(survey: &Survey, settings: &Settings, found: &mut Vec<Finding>) {
    let row_of = |name: &str| {
        let mut rows = survey.staleness.iter();
        rows.find(|row| question::name(&row.q_id, row.q_version) == name)
    };
    // One that no session was asked yet can't have an answer, and one that is stale is an error already.
    let is_open = |row: &Staleness| row.staleness > 0 && !row.flagged;
    let was_asked = |one: &&AtTip| row_of(&one.question).is_some_and(is_open);
    let never = survey.at_tip.iter();
    let never = never
        .filter(|one| one.state == State::Never)
        .filter(was_asked);
    let never: Vec<&str> = never.map(|one| one.question.as_str()).collect();
    if let [first, others @ ..] = never.as_slice() {
        let message = match others.len() {
            0 => format!("no answer to {first} counts"),
            _ => format!("no answer counts to {}", never.join(", ")),
        };
        found.push(Finding {
            rule: Rule::Never,
            severity: Severity::Warning,
            message,
            about: None,
            question: None,
            help: "record an answer at the tip: `git sq brief`".into(),
        });
    }
    for one in &survey.at_tip {
        let max = settings.staleness.max;
        // Whoever settles a dispute looks at what changed, too.
        let is_told = one.state == State::Disputed && one.missed <= max as usize;
        let is_told = is_told || row_of(&one.question).is_none();
        let Some(changed) = one.changed.as_ref().filter(|_| !is_told) else {
            continue;
        };
        let name = &one.question;
        let at = one.commit.as_deref().and_then(|commit| commit.get(..10));
        let message = format!(
            "{name} is outdated: {changed} since {}, where it was answered",
            at.unwrap_or_default()
        );
        let help = "record an answer at the tip: `git sq brief`";
        let finding = if one.missed > max as usize {
            let missed = one.missed;
            let message =
                format!("{message}, and {missed} sessions since did not look (limit {max})");
            Finding::error(Rule::Outdated, name, message, help)
        } else {
            Finding::warning(Rule::Outdated, name, message, help)
        };
        found.push(Finding {
            question: Some(name.clone()),
            ..finding
        });
    }
}

/// Commits that nobody answered for.
pub fn unasked(survey: &Survey, settings: &Settings, found: &mut Vec<Finding>) {
    let (commits, max) = (survey.unasked, settings.unasked.max);
    let severity = match max {
        Some(max) if commits > max as usize => Severity::Error,
        _ if commits > UNASKED => Severity::Warning,
        _ => return,
    };
    let limit = max.map_or_else(String::new, |max| format!(" (limit {max})"));
    found.push(Finding {
        rule: Rule::Unasked,
        severity,
        message: format!(
            "{commits} commits changed something watched since the last answer of anybody{limit}"
        ),
        about: None,
        question: None,
        help: "record the answers at the tip: `git sq brief`".into(),
    });
}
