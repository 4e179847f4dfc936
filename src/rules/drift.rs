use super::{Facts, Found, error, session};

pub fn check(facts: &Facts) -> Vec<Found> {
    facts
        .survey
        .drifts
        .iter()
        .map(|drift| {
            let (name, session) = (&drift.question, session(&drift.sid, drift.by.as_ref()));
            let more = match drift.drifts {
                1 => String::new(),
                more => format!(", the last of {more} drifts"),
            };
            let message = format!("{name} changed in {session}: {}{more}", drift.change);
            let help = format!("`git sq triage {name}` shows it, and takes a person's verdict");
            error(message, help).about(name)
        })
        .collect()
}
