//! What is judged, one by one.

use crate::timeline::{SessionAnswer, Timeline};

#[derive(Clone, Copy)]
pub struct Unit {
    pub look: usize,
    pub question: usize,
    pub answer: Option<SessionAnswer>,
    pub entry: u32,
    pub replaced_by: Option<SessionAnswer>,
}

/// The looks to judge, in the order of time: those at questions that say what they depend on.
pub fn units(timeline: &Timeline) -> Vec<Unit> {
    let answers = timeline.looks.iter().map(|look| look.answers.len() + look.replaced.len());
    let mut units = Vec::with_capacity(answers.sum());
    let is_judged = |question: &usize| timeline.questions.questions[*question].says_dependencies();
    for (place, look) in timeline.looks.iter().enumerate() {
        let unit = |question: usize, answer: Option<SessionAnswer>| Unit {
            look: place,
            question,
            answer,
            entry: answer.map_or(look.last, |answer| answer.entry),
            replaced_by: None,
        };
        let answers = look.answers.iter().filter(|(one, _)| is_judged(one));
        units.extend(answers.map(|(question, answer)| unit(*question, Some(*answer))));
        let left_out = look.left_out.iter().filter(|one| is_judged(one));
        units.extend(left_out.map(|question| unit(*question, None)));
        let replaced = look.replaced.iter().filter(|(one, ..)| is_judged(one));
        units.extend(replaced.map(|(question, answer, by)| Unit {
            replaced_by: Some(*by),
            ..unit(*question, Some(*answer))
        }));
    }
    units.sort_by_key(|unit| (unit.entry, unit.answer.is_none()));
    units
}
