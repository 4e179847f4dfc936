use super::{Facts, Found, error, warning};

/// Without `unasked.max`, more commits than this are a warning.
const MANY: usize = 30;

pub fn judge(facts: &Facts) -> Vec<Found> {
    let (commits, max) = (facts.survey.unasked, facts.settings.unasked.max);
    let message =
        format!("{commits} commits changed something watched since the last answer of anybody");
    let help = "record the answers at the tip: `git sq brief`";
    match max {
        Some(max) if commits > max as usize => {
            vec![error(format!("{message} (limit {max})"), help)]
        }
        _ if commits > MANY => {
            let limit = max.map_or_else(String::new, |max| format!(" (limit {max})"));
            vec![warning(message + &limit, help)]
        }
        _ => Vec::new(),
    }
}
