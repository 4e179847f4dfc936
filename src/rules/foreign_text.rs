//! Text in the log that is no entry.

use std::collections::BTreeSet;

use super::{Facts, Found, warning};
use crate::{git::Oid, timeline::places};

pub fn judge(facts: &Facts) -> Vec<Found> {
    let texts = &facts.survey.texts;
    let commits: Vec<Oid> = texts.iter().map(|text| text.commit).collect();
    let who = texts.iter().filter_map(|text| text.by.as_ref());
    let who: BTreeSet<&str> = who.map(|person| person.name.as_str()).collect();
    let by = match who.into_iter().collect::<Vec<_>>().as_slice() {
        [] => String::new(),
        who => format!(", by {}", who.join(" and ")),
    };
    let are = match texts.iter().map(|text| text.lines).sum::<usize>() {
        0 => return Vec::new(),
        1 => "1 line of the log is text and no entry".to_owned(),
        more => format!("{more} lines of the log are text and no entries"),
    };
    let help = "it counts for nothing and stays; for notes of your own, leave out `--ref=sq`";
    vec![warning(format!("{are}: on {}{by}", places(&commits)), help)]
}
