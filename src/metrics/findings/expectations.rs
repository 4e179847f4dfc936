//! Findings about answers that must hold.

use super::{Finding, Rule};
use crate::{
    finding::Severity,
    metrics::{Failing, Survey},
    question,
};

pub fn expectations(survey: &Survey, found: &mut Vec<Finding>) {
    found.extend(survey.failing.iter().map(|one| {
        let Failing {
            question: name,
            expected,
            at,
            ..
        } = one;
        match &one.found {
            Ok(answer) => Finding {
                severity: match one.severity {
                    question::Severity::Blocking => Severity::Error,
                    question::Severity::Informational => Severity::Warning,
                },
                ..Finding::warning(
                    Rule::Failing,
                    name,
                    format!("{name} is {answer} at {at}, expected {expected}"),
                    format!("mend it, and record the answer at the tip if no probe gives it; if the expectation is wrong: `git sq question reword {name}`"),
                )
            },
            Err(why) => Finding::warning(
                Rule::NotRun,
                name,
                format!("{name} has no answer of the tip, expected {expected}: {why}"),
                format!("`git sq record` runs an approved command; `git sq approve {name}` shows it"),
            ),
        }
    }));
}
