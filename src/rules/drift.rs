use super::{Facts, Found, ProposedDrift, error, session, warning};

pub fn check(facts: &Facts) -> Vec<Found> {
    let of_files = facts.proposed.drifts.iter().map(|drift| {
        let ProposedDrift { question: name, place, change, is_asked, is_judged } = drift;
        let first = if *is_asked { "" } else { "merges the base into this branch and then " };
        let help = format!(
            "if it is meant to change, a person {first}runs `git sq triage {name} --expected --because TEXT` on this branch"
        );
        let place = place.as_ref().filter(|place| *place != name);
        let place = place.map(|place| format!(" in {place}")).unwrap_or_default();
        let found = if *is_judged { error } else { warning };
        found(format!("this branch changed {name}{place}: {change}"), help).about(name)
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
