use super::{Facts, Found, warning};

pub fn check(facts: &Facts) -> Vec<Found> {
    facts
        .survey
        .watches_nothing
        .iter()
        .map(|(name, spec)| {
            let message = format!("{name} watches {spec}, which matches no file");
            warning(message, "correct the pathspecs: files that do not exist never change")
                .about(name)
        })
        .collect()
}
