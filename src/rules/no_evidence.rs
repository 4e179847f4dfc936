use super::{Facts, Found, flagged::answers};
use crate::finding::Rule;

pub fn judge(facts: &Facts) -> Vec<Found> {
    answers(facts, Rule::NoEvidence)
}
