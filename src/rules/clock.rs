use super::{Facts, Found, entries, session, warning};

const HELP: &str =
    "check whose clock is wrong: `git sq log --format json`, `git log -p refs/notes/sq`";

pub fn check(facts: &Facts) -> Vec<Found> {
    let mut found = Vec::new();
    for skewed in &facts.survey.suspects {
        let session = session(&skewed.sid, skewed.by.as_ref());
        let early = ["dated before its commit", "dated before their commits"];
        let ahead = [
            "dated in the future: it does not count until then",
            "dated in the future: they do not count until then",
        ];
        for (number, what) in [(skewed.early, early), (skewed.ahead, ahead)] {
            if number > 0 {
                let message = format!("{session} has {}", entries(number, what));
                found.push(warning(message, HELP).about(&skewed.sid));
            }
        }
    }
    found
}
