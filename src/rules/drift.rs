use super::{Facts, Found, error, session};

pub fn judge(facts: &Facts) -> Vec<Found> {
    facts
        .survey
        .drifts
        .iter()
        .map(|one| {
            let (name, session) = (&one.question, session(&one.sid, one.by.as_ref()));
            let more = match one.drifts {
                1 => String::new(),
                more => format!(", the last of {more} drifts"),
            };
            let message = format!("{name} changed in {session}: {}{more}", one.change);
            let help = format!("`git sq triage {name}` shows it, and takes a person's verdict");
            error(message, help).about(name)
        })
        .collect()
}
