//! Too many sessions in a row report no change while HEAD moves.

use super::{Facts, Found, run::of_run};

pub fn judge(facts: &Facts) -> Vec<Found> {
    let max = facts.settings.quiet.max_run;
    let what = format!("report no change while HEAD moves (limit {max})");
    let runs = facts.survey.quiet.runs.iter();
    let help = "derive two or three answers by hand and compare";
    runs.map(|run| of_run(run, &what, help, &facts.settings.quiet))
        .collect()
}
