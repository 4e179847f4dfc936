//! Questions whose answer stayed the same for long although what they depend on changed.

use super::stats::is_exposed;
use crate::{
    question::{Question, Shape},
    timeline::{Lineage, Timeline},
};

/// This many sessions, and changes of what it depends on, are long.
const SESSIONS: usize = 20;
const EXPOSED: usize = 5;

/// A question that may have served its turn.
#[derive(Debug, PartialEq, Eq)]
pub struct Settled {
    pub question: String,
    /// The last sessions that answered it, without a delta.
    pub sessions: usize,
    /// In how many of them what it depends on had changed since the answer before.
    pub exposed: usize,
    /// Whether the tool, or a yes or no, answers it: then a test could ask.
    pub is_invariant: bool,
}

/// The active questions that say what they depend on and whose last answers were all the same.
pub fn settled(timeline: &Timeline, lineage: &mut dyn Lineage) -> Vec<Settled> {
    let mut settled = Vec::new();
    for question in timeline.questions.active() {
        let exposed = exposed_in_vain(timeline, lineage, question);
        settled.extend(exposed.map(|exposed| Settled {
            question: question.name().to_string(),
            sessions: SESSIONS,
            exposed,
            is_invariant: question.probe.is_some() || question.shape == Some(Shape::Boolean),
        }));
    }
    settled
}

/// How often a question was exposed in the last sessions that answered it; None where these are few, or found a delta.
fn exposed_in_vain(
    timeline: &Timeline,
    lineage: &mut dyn Lineage,
    question: &Question,
) -> Option<usize> {
    let number = timeline
        .events
        .question_number(&question.id, question.version)
        .filter(|_| !question.dependencies().is_empty())?;
    let places = (0..timeline.sessions.len()).rev();
    let answers = places.filter_map(|place| {
        let place = u32::try_from(place).ok()?;
        Some((place, timeline.answer_of(place, number)?))
    });
    let last: Vec<_> = answers.take(SESSIONS).collect();
    let is_same = last
        .iter()
        .all(|(_, answer)| !timeline.answer(*answer).delta);
    if last.len() < SESSIONS || !is_same {
        return None;
    }
    let exposed = last.into_iter().filter(|&(place, answer)| {
        let before = timeline.answer_before(place, number);
        before.is_some_and(|before| is_exposed(timeline, lineage, before, answer) == Some(true))
    });
    Some(exposed.count()).filter(|exposed| *exposed >= EXPOSED)
}
