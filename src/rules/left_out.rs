use super::{Facts, Found, flagged, session, warning};
use crate::finding::Rule;

pub fn check(facts: &Facts) -> Vec<Found> {
    flagged::by(facts, Rule::LeftOut)
        .map(|flagged| {
            let session = session(&flagged.sid, flagged.by.as_ref());
            let (question, commit) = (&flagged.question, &flagged.commit);
            let message = format!("{session} at {commit} left out {question}: {}", flagged.why);
            let help = "answer it in the next session: `git sq brief` says what is due";
            warning(message, help).about(&flagged.sid).question(question)
        })
        .collect()
}
