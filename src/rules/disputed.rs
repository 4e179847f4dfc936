use super::{Facts, Found, session, warning};
use crate::metrics::State;

pub fn judge(facts: &Facts) -> Vec<Found> {
    let is_disputed = |name: &str| {
        let mut at_tip = facts.survey.at_tip.iter();
        at_tip.any(|standing| standing.question == name && standing.state == State::Disputed)
    };
    facts.survey.second.open.iter().filter_map(|answer| {
        let correction = answer.correction.as_ref()?;
        let name = Some(answer.name()).filter(|name| is_disputed(name))?;
        let message = format!(
            "{name}: {} corrected the answer of {} (entry {}), and the dispute is open",
            session(&correction.sid, correction.by.as_ref()),
            session(&answer.sid, answer.by.as_ref()),
            answer.entry
        );
        let help = format!(
            "look before you build on it: `git sq show {name}`; other sessions, or a person by `git sq triage {} {name} --agree --because '...'`, settle it",
            correction.entry
        );
        Some(warning(message, help).about(&name).question(&name))
    }).collect()
}
