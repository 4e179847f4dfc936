use super::{Facts, Found, error, warning};

/// More commits than this are a warning.
const MANY: usize = 30;

/// Days that may pass without an answer, however many commits: a vacation is no neglect.
const DAYS: i64 = 14;

pub fn check(facts: &Facts) -> Vec<Found> {
    let ((commits, days), max) = (facts.survey.unasked, facts.settings.unasked.max);
    let counted = if commits == 1 { "1 commit".into() } else { format!("{commits} commits") };
    let message = format!(
        "{counted} in {days} days changed something watched since the last answer of anybody"
    );
    let help = "record the answers at HEAD: `git sq brief`";
    if facts.is_default_branch && days > DAYS && commits > max as usize {
        return vec![error(format!("{message} (limit {max}, after {DAYS} days)"), help)];
    }
    let many = commits > MANY.min(max as usize);
    many.then(|| warning(message, help)).into_iter().collect()
}
