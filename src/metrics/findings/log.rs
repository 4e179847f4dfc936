//! Findings about the log itself, reachable from the tip or not.

use std::collections::BTreeSet;

use super::{Finding, Rule, sessions::session};
use crate::{finding::Severity, git::Oid, metrics::Survey, timeline::places};

/// What the log itself holds, and lacks.
pub fn of_log(survey: &Survey, found: &mut Vec<Finding>) {
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
        question: None,
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
            question: None,
            help: "it counts for nothing and stays; for notes of your own, leave out `--ref=sq`"
                .into(),
        });
    }
}

/// What the whole log says about sessions, reachable from the tip or not.
pub fn conduct(survey: &Survey, per_session: u32, found: &mut Vec<Finding>) {
    let mut warn = |rule, sid: &str, message: String, help: &str| {
        found.push(Finding {
            rule,
            severity: Severity::Warning,
            message,
            about: Some(sid.to_owned()),
            question: None,
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
                "dated later than now: they count for nothing until then",
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
                "{session} has entries ({}) that do not continue the log of the clone they name: they count as another clone's",
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
