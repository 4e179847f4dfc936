use super::{ACCEPT, Facts, Found, error, flagged, session, warning};
use crate::finding::Rule;

pub fn judge(facts: &Facts) -> Vec<Found> {
    let all = &facts.survey.second.wrong;
    let is_told = |entry: &String| all.iter().any(|wrong| wrong.entry == *entry);
    let flagged = flagged::by(facts, Rule::SecondLook).filter(|flagged| !is_told(&flagged.entry));
    let accepted = &facts.settings.accepted;
    let open = all.iter().filter(|answer| !accepted.contains(&answer.entry));
    let wrong = (1..).zip(open).map(|(number, answer)| {
        let name = answer.name();
        let given = session(&answer.sid, answer.by.as_ref());
        let caught = answer.correction.as_ref().map_or_else(String::new, |caught| {
            format!("; caught by {}", session(&caught.sid, caught.by.as_ref()))
        });
        let readers = match answer.differ {
            1 => "1 other session".to_owned(),
            more => format!("{more} other sessions"),
        };
        let message = format!(
            "the answer of {given} to {name} is wrong: {readers} found another one{caught}"
        );
        let help = format!("`git sq show {}` has it; {ACCEPT}", answer.entry);
        let found = if number < facts.settings.second.gate {
            warning(message, help)
        } else {
            error(message, help)
        };
        found.about(&answer.sid).question(&name)
    });
    flagged.map(flagged::answer).chain(wrong).collect()
}
