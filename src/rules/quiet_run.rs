use super::{Facts, Found, common::of_run};
use crate::{finding::Severity, metrics::Run, question::ClosedKind};

/// Questions that are named at most.
const NAMES: usize = 3;

pub fn check(facts: &Facts) -> Vec<Found> {
    // Nobody can end the run of a store that asks nothing.
    if facts.survey.active_questions == 0 {
        return Vec::new();
    }
    let max = facts.settings.quiet.max_run;
    let quiet = &facts.survey.quiet;
    let help = "derive two or three answers by hand and compare";
    // The figure above counts all questions, and the gate only these.
    let of = if quiet.counted.is_empty() {
        String::new()
    } else {
        let names = quiet.counted.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
        let more = if quiet.counted.len() > NAMES { ", ..." } else { "" };
        format!(" of {names}{more} (without a `watch`)")
    };
    let failing = quiet.runs.iter().filter_map(|run| {
        let what = format!("report no change{of} while HEAD moves (limit {max})");
        of_run(run, &what, help, facts)
    });
    let is_known = |run: &&Run| {
        facts.closed.has(ClosedKind::Run, &run.entry)
            || quiet.runs.iter().any(|known| known.ended == run.ended)
    };
    let current = quiet.current.as_ref().filter(|run| !is_known(run)).and_then(|run| {
        let what =
            format!("report no change while what they were asked about changes (limit {max})");
        Some(Found { severity: Severity::Warning, ..of_run(run, &what, help, facts)? })
    });
    failing.chain(current).collect()
}
