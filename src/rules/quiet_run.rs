use super::{Facts, Found, common::of_run};

pub fn judge(facts: &Facts) -> Vec<Found> {
    let max = facts.settings.quiet.max_run;
    let quiet = &facts.survey.quiet;
    let help = "derive two or three answers by hand and compare";
    quiet
        .runs
        .iter()
        .map(|run| {
            // The figure above counts all questions, and the gate only these.
            let of = if run.length > quiet.longest_run {
                " of the questions without a `watch` or a probe"
            } else {
                ""
            };
            let what = format!("report no change{of} while HEAD moves (limit {max})");
            of_run(run, &what, help, facts)
        })
        .collect()
}
