use super::{Facts, Found, error};
use crate::timeline::short;

pub fn check(facts: &Facts) -> Vec<Found> {
    facts.proposed.blinded.iter().map(|(name, lost, fork)| {
        let message = format!("{name} no longer sees what it saw at {}: {lost}", short(*fork));
        let help = "move it back, or let a person give the question a new version (`git sq question reword`) that \
                    points to the new place: on this branch if it is a fact whose file is gone, else in the base";
        error(message, help).about(name)
    }).collect()
}
