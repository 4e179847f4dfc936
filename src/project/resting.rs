//! The questions that a session need not answer: nothing that they depend on changed, and later sessions have time to ask
//! them.

use std::collections::BTreeMap;

use crate::{
    metrics::Survey,
    question::{Question, QuestionSet, Trigger},
};

/// The questions that rest in this session, each with the number of later sessions within which it is asked. `answered`
/// are the names of those that the session has answered; `is_counted` says if the survey counts the session.
pub fn resting(
    set: &QuestionSet,
    survey: &Survey,
    answered: &[String],
    is_counted: bool,
) -> BTreeMap<String, usize> {
    let pool = set.active().filter(|question| may_rest(question));
    let pool: Vec<(&Question, String)> =
        pool.map(|question| (question, question.name().to_string())).collect();
    let is_answered = |name: &String| answered.contains(name);
    let done = pool.iter().filter(|(_, name)| is_answered(name)).count();
    let slack = pool
        .into_iter()
        .filter(|(_, name)| {
            let is_good = survey
                .standings
                .get(name)
                .is_some_and(|at_tip| at_tip.standing.is_good() && at_tip.commit.is_some());
            is_good && !is_answered(name)
        })
        .filter_map(|(question, name)| {
            let row = survey.row(&name)?;
            let passed = row.staleness.saturating_sub(usize::from(is_counted));
            // Half of the limit: work on two branches keeps it after a merge.
            let slack = (row.limit as usize / 2).saturating_sub(passed);
            Some((slack, 3 - question.importance.0.min(3), name))
        });
    let mut slack: Vec<_> = slack.collect();
    slack.sort_by_key(|(slack, importance, _)| (*slack, *importance));
    let slacks: Vec<usize> = slack.iter().map(|(slack, ..)| *slack).collect();
    slack.into_iter().skip(asked_of(&slacks, done)).map(|(slack, _, name)| (name, slack)).collect()
}

/// The smallest number of questions that is enough if every session answers that many, those with the least slack first.
/// A slack is the number of sessions that may still pass without an answer; `slacks` are sorted. `answered` is the number
/// that the session has answered already.
fn asked_of(slacks: &[usize], answered: usize) -> usize {
    (answered + 1..)
        .zip(slacks)
        .map(|(number, slack)| number.div_ceil(slack + 1))
        .max()
        .unwrap_or_default()
        .saturating_sub(answered)
}

/// A question that says nothing of what it depends on is asked each time.
fn may_rest(question: &Question) -> bool {
    question.trigger == Trigger::EverySession
        && !question.watch.is_empty()
        && question.probe.is_none()
}
