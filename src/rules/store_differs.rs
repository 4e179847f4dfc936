use super::{Facts, Found, warning};

pub fn check(facts: &Facts) -> Vec<Found> {
    facts.store.iter().map(|[what, help]| warning(what, help)).collect()
}
