use super::{Facts, Found, session, warning};

pub fn judge(facts: &Facts) -> Vec<Found> {
    let found = facts.survey.broken_chains.iter().map(|broken| {
        let message = format!(
            "{} has entries ({}) that do not continue the log of the clone they name: they count as another clone's",
            session(&broken.sid, broken.by.as_ref()),
            broken.lines
        );
        let help = "ask whoever is named whether they wrote them: `git sq log --all`, `git log -p refs/notes/sq`";
        warning(message, help).about(&broken.sid)
    });
    found.collect()
}
