use super::{Facts, Found, warning};
use crate::{git::Oid, timeline::places};

pub fn check(facts: &Facts) -> Vec<Found> {
    let texts = &facts.survey.texts;
    let commits: Vec<Oid> = texts.iter().map(|(commit, _)| *commit).collect();
    let are = match texts.iter().map(|(_, lines)| lines).sum::<usize>() {
        0 => return Vec::new(),
        1 => "1 line of the log is text and no entry".to_owned(),
        more => format!("{more} lines of the log are text and no entries"),
    };
    let help = "it is ignored, and stays in the log; `git log refs/notes/sq` shows who wrote it; for notes of your own, leave out `--ref=sq`";
    vec![warning(format!("{are}: on {}", places(&commits)), help)]
}
