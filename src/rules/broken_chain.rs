use super::{Facts, Found, entries, session, warning};

pub fn judge(facts: &Facts) -> Vec<Found> {
    facts.survey.suspects.iter().filter(|one| one.off_chain > 0).map(|one| {
        let what = [
            "that does not continue the log of the clone it names: it counts as another clone's",
            "that do not continue the log of the clone they name: they count as another clone's",
        ];
        let session = session(&one.sid, one.by.as_ref());
        let message = format!("{session} has {}", entries(one.off_chain, what));
        let help = "ask whoever is named whether they wrote them: `git sq log --all`, `git log -p refs/notes/sq`";
        warning(message, help).about(&one.sid)
    }).collect()
}
