use super::{Facts, Found, warning};

pub fn judge(facts: &Facts) -> Vec<Found> {
    let found = facts.survey.watches_nothing.iter().map(|(name, spec)| {
        let message = format!("{name} watches {spec}, which matches no file");
        warning(
            message,
            "correct the pathspecs: what nothing matches can't change",
        )
        .about(name)
    });
    found.collect()
}
