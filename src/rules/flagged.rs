use super::{ACCEPT, Facts, Found, error, session, warning};
use crate::{
    finding::Rule,
    metrics::{Flagged, Standing},
};

pub fn judge(facts: &Facts) -> Vec<Found> {
    let (window, max) = (&facts.survey.window, facts.settings.flagged.max);
    let disputed = facts.survey.standings.that_are(Standing::Disputed).count();
    let and_disputed = match disputed {
        0 => String::new(),
        1 => ", and 1 question is disputed".to_owned(),
        more => format!(", and {more} questions are disputed"),
    };
    let message = format!(
        "rules flag {} of the last {} answers that they apply to{and_disputed} (limit {max})",
        window.flagged, window.looks
    );
    let help = format!("derive these answers again and compare; {ACCEPT}");
    let is_over = window.flagged > 0 && window.flagged + disputed > max as usize;
    is_over.then(|| error(message, help)).into_iter().collect()
}

/// The answers of the window that a rule flags, newest first.
pub fn by(facts: &Facts, rule: Rule) -> impl Iterator<Item = &Flagged> {
    facts.survey.flagged.iter().filter(move |flagged| flagged.rule == rule)
}

pub fn answers(facts: &Facts, rule: Rule) -> Vec<Found> {
    by(facts, rule).map(answer).collect()
}

pub fn answer(flagged: &Flagged) -> Found {
    let session = session(&flagged.sid, flagged.by.as_ref());
    let message = format!(
        "{} of {session} at {}, entry {}: {}",
        flagged.question, flagged.commit, flagged.entry, flagged.why
    );
    let help = format!(
        "answer it again with the lines it rests on; see `git sq check --explain {}`",
        flagged.rule.name()
    );
    warning(message, help).about(&flagged.sid).question(&flagged.question)
}
