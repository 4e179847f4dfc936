use super::{Facts, Found, accept, error, session, warning};
use crate::{finding::Rule, metrics::Flagged};

pub fn check(facts: &Facts) -> Vec<Found> {
    let (open, max) = (facts.survey.flagged_looks.open, facts.settings.flagged.max);
    let judged = facts.survey.standings.judged();
    let disputed = judged.filter(|at_tip| !at_tip.disputed.is_empty()).count();
    let and_disputed = match disputed {
        0 => String::new(),
        1 => ", and 1 question is disputed".to_owned(),
        more => format!(", and {more} questions are disputed"),
    };
    let looks = if open == 1 { "1 look is".to_owned() } else { format!("{open} looks are") };
    let message = format!(
        "{looks} flagged, and not answered again with evidence{and_disputed} (limit {max})"
    );
    let help = format!(
        "derive these answers again, where HEAD contains them, and record them with --cite; {}",
        accept("ENTRY")
    );
    let is_over = open > 0 && open + disputed > max as usize;
    is_over.then(|| error(message, help)).into_iter().collect()
}

/// The open flags of a rule, newest first.
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
        "answer it again with the lines that show it; see `git sq check --explain {}`",
        flagged.rule.name()
    );
    warning(message, help).about(&flagged.sid).question(&flagged.question)
}
