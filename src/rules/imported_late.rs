use super::{Facts, Found, warning};

pub fn check(facts: &Facts) -> Vec<Found> {
    let is_dated = "dated after the first entry recorded here";
    let message = match facts.survey.imported_late {
        0 => return Vec::new(),
        1 => format!("1 imported entry is {is_dated}"),
        more => format!("{more} imported entries are {is_dated}"),
    };
    let help = "their times cannot be verified: check where they came from with `git sq log --format json`";
    vec![warning(message, help)]
}
