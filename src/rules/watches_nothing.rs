use super::{Facts, Found, warning};

pub fn check(facts: &Facts) -> Vec<Found> {
    facts
        .survey
        .watches_nothing
        .iter()
        .map(|(name, why)| {
            let message = format!("{name} watches {why}");
            warning(message, "correct the pathspecs: files that do not exist never change")
                .about(name)
        })
        .collect()
}
