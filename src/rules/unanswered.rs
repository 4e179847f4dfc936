use super::{Facts, Found, run::of_run, session, warning};

pub fn judge(facts: &Facts) -> Vec<Found> {
    let (unanswered, settings) = (&facts.survey.unanswered, &facts.settings);
    let max = settings.unanswered.max_run;
    let what = format!("ended without an answer (limit {max})");
    let runs = unanswered.runs.iter();
    let help = "answer the questions now: `git sq brief`";
    let runs = runs.map(|run| of_run(run, &what, help, facts));
    let is_in_run = |sid: &String| unanswered.runs.iter().any(|run| run.sids.contains(sid));
    let others = unanswered.sessions.iter().filter(|one| !is_in_run(&one.sid)).map(|one| {
        let session = session(&one.sid, one.by.as_ref());
        let message = format!("{session} ended without an answer");
        warning(message, "`git sq brief` shows what a session has to answer").about(&one.sid)
    });
    runs.chain(others).collect()
}
