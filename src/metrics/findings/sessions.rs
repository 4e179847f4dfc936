//! Findings about sessions of the tip's history.

use jiff::{SignedDuration, Timestamp};

use super::{Finding, Rule};
use crate::{
    entry::{Person, Ts, short_sid},
    finding::Severity,
    metrics::{Named, Run, Survey, flagged_entries},
    question::{self, QuietSettings, Settings},
};

/// How a person closes what is flagged.
const ACCEPT: &str = "; when you have looked into it, `git sq check --accept` closes it";

pub fn quiet_runs(survey: &Survey, settings: &QuietSettings, found: &mut Vec<Finding>) {
    let max = settings.max_run;
    let help = "re-derive two or three answers by hand and compare";
    let flagged = flagged_entries(survey);
    for run in &survey.quiet.runs {
        let in_run = |one: &&Named| !one.is_of_question && run.sids.contains(&one.sid);
        let mut named = survey.named.iter().filter(in_run).peekable();
        let what = if named.peek().is_some() {
            format!("gave answers that rules name (limit {max})")
        } else {
            format!("report no change while HEAD moves (limit {max})")
        };
        let help = if named.any(|one| flagged.contains(&one.entry)) {
            help.to_owned() + ACCEPT
        } else {
            help.to_owned() + &accept_through(run)
        };
        found.push(of_run(Rule::QuietRun, run, &what, &help, settings));
    }
}

pub fn unanswered(survey: &Survey, settings: &Settings, found: &mut Vec<Finding>) {
    let max = settings.unanswered.max_run;
    let runs = &survey.unanswered.runs;
    let what = format!("ended without an answer (limit {max})");
    for run in runs {
        let help = "answer the questions now: `git sq brief`".to_owned() + &accept_through(run);
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

/// How a person closes a run of sessions that said nothing.
fn accept_through(run: &Run) -> String {
    let ended = run.ended.parse::<Timestamp>().unwrap_or_default();
    let through = ended.saturating_add(SignedDuration::from_secs(1));
    let through = through.unwrap_or(Timestamp::MAX);
    format!(
        "; when you have dealt with it, set \"settings\": {{\"quiet\": {{\"accepted_through\": \"{through}\"}}}} in the question store"
    )
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

pub fn left_out(survey: &Survey, found: &mut Vec<Finding>) {
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

/// The answers that rules name, each with a finding of its own; those of one rule stand together.
pub fn named(survey: &Survey, found: &mut Vec<Finding>) {
    let mut named: Vec<&Named> = survey.named.iter().collect();
    named.sort_by_key(|one| (one.rule, one.is_of_question));
    found.extend(named.into_iter().map(|one| {
        let session = session(&one.sid, one.by.as_ref());
        let entry = match one.entry.as_str() {
            "" => String::new(),
            entry => format!(", entry {entry}"),
        };
        let (question, commit, why) = (&one.question, &one.commit, &one.why);
        let message = match one.rule {
            Rule::LeftOut => format!("{session} at {commit} left out {question}: {why}"),
            _ => format!("{question} of {session} at {commit}{entry}: {why}"),
        };
        let (about, help) = if one.is_of_question {
            (question, OF_QUESTION.to_owned())
        } else {
            (&one.sid, help(one.rule))
        };
        Finding {
            question: Some(question.clone()),
            ..Finding::warning(one.rule, about, message, help)
        }
    }));
    found.extend(survey.alike.map(|(length, is_delta)| {
        let what = if is_delta { "with" } else { "without" };
        let message = format!("{length} exposed answers in a row {what} a delta");
        let help = "re-derive two or three of them by hand and compare";
        Finding {
            rule: Rule::AnswersAlike,
            severity: Severity::Warning,
            message,
            about: None,
            question: None,
            help: help.into(),
        }
    }));
}

/// What has to be done about a question that does not fit what is cited for it.
const OF_QUESTION: &str = "correct `watch` and `lines` of the question; from its third session on, the sessions are named";

fn help(rule: Rule) -> String {
    match rule {
        Rule::ClaimContradictsProbe => {
            "the probe counts; `git sq show` has both, and a question may ask more than its probe reads"
                .into()
        }
        Rule::LeftOut => "`git sq brief` marks what is exposed: answer that in the next session".into(),
        _ => format!(
            "re-derive it and record it with what it rests on; `git sq check --explain {}` says more",
            rule.name()
        ),
    }
}

pub fn drifts(survey: &Survey, found: &mut Vec<Finding>) {
    let drifts = survey.drifts.iter();
    found.extend(drifts.map(|one| {
        let (name, session) = (&one.question, session(&one.sid, one.by.as_ref()));
        let more = match one.drifts {
            1 => String::new(),
            more => format!(", the last of {more} drifts"),
        };
        Finding::error(
            Rule::Drift,
            name,
            format!("{name} changed in {session}: {}{more}", one.change),
            format!("`git sq triage {name}` shows it, and takes a person's verdict"),
        )
    }));
}

/// Answers that readers agree are wrong: the gate fails from a certain one on, unless a person accepted it.
pub fn wrong_answers(survey: &Survey, settings: &Settings, found: &mut Vec<Finding>) {
    let wrong = survey.second.wrong.iter();
    let open = wrong.filter(|one| !settings.accepted.contains(&one.entry));
    found.extend((1..).zip(open).map(|(number, one)| {
        let (name, session) = (
            question::name(&one.q_id, one.q_version),
            session(&one.sid, one.by.as_ref()),
        );
        let message = format!(
            "the answer of {session} to {name} is wrong: {} readers found another one",
            one.readers
        );
        let help = format!("`git sq show {}` has it", one.entry) + ACCEPT;
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

/// A session and the person, where that is known.
pub fn session(sid: &str, by: Option<&Person>) -> String {
    let by = by.filter(|person| !person.name.is_empty());
    let by = by.map_or_else(String::new, |person| format!(" ({})", person.name));
    format!("session {}{by}", short_sid(sid))
}
