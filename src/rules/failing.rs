use super::{Facts, Found, error, warning};
use crate::metrics::{AtTip, Source, Standing};

pub fn check(facts: &Facts) -> Vec<Found> {
    facts
        .survey
        .standings
        .that_are(Standing::Fails)
        .map(|at_tip| {
            let name = &at_tip.question;
            let found = at_tip.found.as_deref().unwrap_or_default();
            let expected = at_tip.expected.as_deref().unwrap_or_default();
            let at = &at_tip.answered_at(&facts.survey.tip)[..10];
            let message = format!("{name} fails: {found} at {at}, expected {expected}");
            let how = match at_tip.source {
                Source::Files => {
                    &*format!("fix the files (see `git sq facts {name}` and `git sq trace {name}`)")
                }
                Source::Command => "fix it and run it again with `git sq record`",
                Source::Sessions => "fix it and record the new answer with `git sq record`",
            };
            let wrong = if expected == AtTip::THERE || found.starts_with("missing (") {
                format!(
                    "if it is gone for good, give {name} another probe (`git sq question reword`), or retire it,"
                )
            } else {
                format!("if the expectation is wrong, change the `expect` of {name}")
            };
            let is_changed = facts.proposed.loosened.iter().any(|(laxer, _)| laxer.about == *name);
            let help = if at_tip.mended {
                "the base mends what this branch began with: merge or rebase".into()
            } else if is_changed {
                format!("{how}; what this branch asks of {name} instead counts once it is merged")
            } else {
                format!("{how}; {wrong} in the question store")
            };
            let found = if at_tip.blocks { error(message, help) } else { warning(message, help) };
            found.about(name)
        })
        .collect()
}
