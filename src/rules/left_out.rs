use super::{Facts, Found, flagged, session, warning};
use crate::finding::Rule;

pub fn judge(facts: &Facts) -> Vec<Found> {
    flagged::by(facts, Rule::LeftOut)
        .map(|one| {
            let session = session(&one.sid, one.by.as_ref());
            let (question, commit) = (&one.question, &one.commit);
            let message = format!("{session} at {commit} left out {question}: {}", one.why);
            let help = "answer it in the next session: `git sq brief` says what is due";
            warning(message, help).about(&one.sid).question(question)
        })
        .collect()
}
