use super::{Facts, Found, error};

pub fn judge(facts: &Facts) -> Vec<Found> {
    facts.proposed.loosened.iter().filter(|(laxer, _)| !laxer.is_in_place).map(|(laxer, diff)| {
        let help = format!(
            "`{diff}` shows it: if it is intended, merge it into the base branch first; otherwise revert it"
        );
        error(format!("{} {}", laxer.about, laxer.what), help).about(&laxer.about)
    }).collect()
}
