use super::{Facts, Found, error};

pub fn judge(facts: &Facts) -> Vec<Found> {
    let loosened = facts.proposed.loosened.iter();
    let loosened = loosened.filter(|(laxer, _)| !laxer.is_in_place);
    let found = loosened.map(|(laxer, diff)| {
        let help = format!(
            "`{diff}` shows it: if it is intended, merge it into the base branch first; otherwise revert it"
        );
        error(format!("{} {}", laxer.about, laxer.what), help).about(&laxer.about)
    });
    found.collect()
}
