use super::{Facts, Found, entries, session, warning};

pub fn check(facts: &Facts) -> Vec<Found> {
    facts.survey.suspects.iter().filter(|suspect| suspect.off_chain > 0).map(|suspect| {
        let what = [
            "that does not continue the log of the clone it names: it counts as another clone's",
            "that do not continue the log of the clone they name: they count as another clone's",
        ];
        let session = session(&suspect.sid, suspect.by.as_ref());
        let message = format!("{session} has {}", entries(suspect.off_chain, what));
        let help = "ask those named whether they wrote them: `git sq log --all`, `git log -p refs/notes/sq`";
        warning(message, help).about(&suspect.sid)
    }).collect()
}
