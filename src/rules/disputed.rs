use super::{Facts, Found, session, warning};
use crate::metrics::Standing;

pub fn judge(facts: &Facts) -> Vec<Found> {
    facts.survey.second.open.iter().filter_map(|answer| {
        let correction = answer.correction.as_ref()?;
        let at_tip = facts.survey.standings.get(&answer.name())?;
        let is_open = matches!(at_tip.standing, Standing::Fails | Standing::Disputed);
        let name = is_open.then(|| answer.name())?;
        let first = answer.first.as_ref().map_or_else(String::new, |first| {
            format!(", which {} said first", session(&first.sid, first.by.as_ref()))
        });
        let message = format!(
            "{name}: {} corrected the answer of {} (entry {}){first}, and the dispute is open",
            session(&correction.sid, correction.by.as_ref()),
            session(&answer.sid, answer.by.as_ref()),
            answer.entry
        );
        let help = format!(
            "look before you build on it: `git sq show {}`; other sessions, or a person by `git sq triage {} {name} --agree --because '...'`, settle it",
            answer.entry, correction.entry
        );
        Some(warning(message, help).about(&name).question(&name))
    }).collect()
}
