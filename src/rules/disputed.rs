use super::{Facts, Found, session, warning};
use crate::metrics::State;

pub fn judge(facts: &Facts) -> Vec<Found> {
    let is_disputed = |name: &str| {
        let mut at_tip = facts.survey.at_tip.iter();
        at_tip.any(|one| one.question == name && one.state == State::Disputed)
    };
    facts.survey.second.open.iter().filter_map(|one| {
        let correction = one.correction.as_ref()?;
        let name = Some(one.name()).filter(|name| is_disputed(name))?;
        let message = format!(
            "{name}: {} corrected the answer of {} (entry {}), and the dispute is open",
            session(&correction.sid, correction.by.as_ref()),
            session(&one.sid, one.by.as_ref()),
            one.entry
        );
        let help = format!(
            "look before you build on it: `git sq show {name}`; other sessions, or a person by `git sq triage {} {name} --agree --because '...'`, settle it",
            correction.entry
        );
        Some(warning(message, help).about(&name).question(&name))
    }).collect()
}
