//! Findings about sessions of the tip's history.

use jiff::{SignedDuration, Timestamp};

use super::{Finding, Rule};
use crate::{
    entry::{Person, Ts, short_sid},
    metrics::{Run, Survey},
    question::{QuietSettings, Settings},
};

pub fn quiet_runs(survey: &Survey, settings: &QuietSettings, found: &mut Vec<Finding>) {
    let max = settings.max_run;
    for run in &survey.quiet.runs {
        let what = format!("report no change while HEAD moves (limit {max})");
        let help =
            "derive two or three answers by hand and compare".to_owned() + &accept_through(run);
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
                "`git sq brief` shows what a session has to answer",
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

/// A session and the person, where that is known.
pub fn session(sid: &str, by: Option<&Person>) -> String {
    let by = by.filter(|person| !person.name.is_empty());
    let by = by.map_or_else(String::new, |person| format!(" ({})", person.name));
    format!("session {}{by}", short_sid(sid))
}
