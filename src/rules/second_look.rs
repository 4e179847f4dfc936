use super::{ACCEPT, Facts, Found, error, flagged, session, warning};
use crate::finding::Rule;

pub fn judge(facts: &Facts) -> Vec<Found> {
    let all = &facts.survey.second.wrong;
    let is_told = |entry: &String| all.iter().any(|wrong| wrong.entry == *entry);
    let flagged = flagged::by(facts, Rule::SecondLook).filter(|one| !is_told(&one.entry));
    let accepted = &facts.settings.accepted;
    let open = all.iter().filter(|one| !accepted.contains(&one.entry));
    let wrong = (1..).zip(open).map(|(number, one)| {
        let name = one.name();
        let given = session(&one.sid, one.by.as_ref());
        let caught = one.correction.as_ref().map_or_else(String::new, |caught| {
            format!("; caught by {}", session(&caught.sid, caught.by.as_ref()))
        });
        let readers = match one.differ {
            1 => "1 other session".to_owned(),
            more => format!("{more} other sessions"),
        };
        let message = format!(
            "the answer of {given} to {name} is wrong: {readers} found another one{caught}"
        );
        let help = format!("`git sq show {}` has it; {ACCEPT}", one.entry);
        let found = if number < facts.settings.second.gate {
            warning(message, help)
        } else {
            error(message, help)
        };
        found.about(&one.sid).question(&name)
    });
    flagged.map(flagged::answer).chain(wrong).collect()
}
