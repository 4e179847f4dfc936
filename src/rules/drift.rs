use super::{Facts, Found, error, session};

pub fn check(facts: &Facts) -> Vec<Found> {
    let of_files = facts.proposed.drifts.iter().map(|(name, change, is_asked)| {
        let first = if *is_asked { "" } else { "merges the base into this branch and then " };
        let help = format!(
            "if it is meant to change, a person {first}runs `git sq triage {name} --expected --because TEXT` on this branch"
        );
        error(format!("this branch changed {name}: {change}"), help).about(name)
    });
    let recorded = facts.survey.drifts.iter().map(|drift| {
        let (name, session) = (&drift.question, session(&drift.sid, drift.by.as_ref()));
        let more = match drift.drifts {
            1 => String::new(),
            more => format!(", the last of {more} drifts"),
        };
        let message = format!("{name} changed in {session}: {}{more}", drift.change);
        let help = match &drift.error {
            Some((who, why)) => {
                format!("{who} called it an error: {why}; fix it, and answer {name} anew")
            }
            None => format!("`git sq triage {name}` shows it, and takes a person's verdict"),
        };
        error(message, help).about(name)
    });
    of_files.chain(recorded).collect()
}
