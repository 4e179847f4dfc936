use super::{Facts, Found, accept, flagged, session, warning};
use crate::finding::Rule;

pub fn check(facts: &Facts) -> Vec<Found> {
    let all = &facts.survey.second.wrong;
    let is_told = |entry: &String| all.iter().any(|wrong| wrong.entry == *entry);
    let flagged = flagged::by(facts, Rule::SecondLook).filter(|flagged| !is_told(&flagged.entry));
    let open = all.iter().filter(|answer| !answer.closed);
    let wrong = open.map(|answer| {
        let name = answer.name();
        let given = session(&answer.sid, answer.by.as_ref());
        let caught = answer.correction.as_ref().map_or_else(String::new, |caught| {
            format!("; caught by {}", session(&caught.sid, caught.by.as_ref()))
        });
        let first = answer.first.as_ref().map_or_else(String::new, |first| {
            format!(", who carried on what {} said first,", session(&first.sid, first.by.as_ref()))
        });
        let readers = match answer.differ {
            1 => "1 other session".to_owned(),
            more => format!("{more} other sessions"),
        };
        let message = format!(
            "the answer of {given}{first} to {name} is wrong: {readers} found another one{caught}"
        );
        let help = format!("`git sq show {}` has it; {}", answer.entry, accept(&answer.entry));
        warning(message, help).about(&answer.sid).question(&name)
    });
    flagged.map(flagged::answer).chain(wrong).collect()
}
