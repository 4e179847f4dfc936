use super::{Facts, Found, common::of_run, session, warning};

pub fn check(facts: &Facts) -> Vec<Found> {
    let (unanswered, settings) = (&facts.survey.unanswered, &facts.settings);
    let max = settings.unanswered.max_run;
    let what = format!("ended without an answer (limit {max})");
    let help = "answer the questions now: `git sq brief`";
    let runs = unanswered.runs.iter().filter_map(|run| of_run(run, &what, help, facts));
    let is_in_run = |sid: &String| unanswered.runs.iter().any(|run| run.sids.contains(sid));
    let others = unanswered.sessions.iter().filter(|row| !is_in_run(&row.sid)).map(|row| {
        let session = session(&row.sid, row.by.as_ref());
        let message = format!("{session} ended without an answer");
        warning(message, "`git sq brief` shows what a session has to answer").about(&row.sid)
    });
    runs.chain(others).collect()
}
