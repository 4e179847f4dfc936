use super::{Facts, Found, session, warning};

pub fn check(facts: &Facts) -> Vec<Found> {
    let open = facts.survey.second.open.iter().filter(|answer| answer.is_disputed());
    open.map(|answer| {
        let name = answer.name();
        let first = answer.first.as_ref().map_or_else(String::new, |first| {
            format!(", which {} said first", session(&first.sid, first.by.as_ref()))
        });
        let given = format!(
            "the answer of {} (entry {}){first}",
            session(&answer.sid, answer.by.as_ref()),
            answer.entry
        );
        let correction = answer.correction.as_ref();
        let side = correction.map_or(&answer.entry, |correction| &correction.entry);
        let who = correction.map_or("a reader disputes".to_owned(), |correction| {
            format!("{} corrected", session(&correction.sid, correction.by.as_ref()))
        });
        let message = format!("{name}: {who} {given}, and the dispute is open");
        let help = format!(
            "look before you build on it: `git sq show {}`; another author in another clone, or a person by `git sq triage {side} {name} --agree --because '...'`, settles it",
            answer.entry
        );
        warning(message, help).about(&name).question(&name)
    })
    .collect()
}
