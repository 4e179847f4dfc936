//! Handed-in answers, and the questions that they belong to.

use serde_json::Value;

use crate::{
    entry::{Citation, CommandRun},
    evidence::Found,
    question::{Expect, Question, QuestionRef, QuestionSet, Shape, canonical, plain},
};

#[derive(Debug, Clone, Default)]
pub struct Given {
    /// `q4`, or `q4@2`.
    pub name: String,
    /// The session's own `delta`.
    pub delta: Option<bool>,
    pub note: Option<String>,
    pub answer: Option<Value>,
    /// True if the last answer was wrong, though nothing changed.
    pub wrong: bool,
    pub cites: Vec<GivenCite>,
}

#[derive(Debug, Clone)]
pub struct GivenCite {
    /// As in `src/lib.rs:12-20`.
    pub at: String,
    pub quote: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum State {
    Settled,
    Uncited,
    /// A given citation can't be pinned: what it was to show is not asked for again.
    Miscited,
    /// Neither the tool nor the session has decided yet whether it is a delta.
    Unsettled,
}

pub struct Matched<'s> {
    pub question: &'s Question,
    /// The session's own `delta`.
    pub said: Option<bool>,
    pub delta: bool,
    pub note: Option<String>,
    /// In canonical form, as it is recorded.
    pub answer: Option<Value>,
    /// The answer that a bare `same` repeats.
    pub repeats: Option<Value>,
    /// True if the last answer was wrong, though nothing changed.
    pub wrong: bool,
    pub corrects: Option<String>,
    pub(super) state: State,
    pub probed: bool,
    pub run: Option<CommandRun>,
    pub(super) given_cites: Vec<GivenCite>,
    pub cites: Vec<Citation>,
}

impl<'s> Matched<'s> {
    pub(super) fn to(question: &'s Question) -> Self {
        Self {
            question,
            said: None,
            delta: false,
            note: None,
            answer: None,
            repeats: None,
            wrong: false,
            corrects: None,
            state: State::Settled,
            probed: false,
            run: None,
            given_cites: Vec::new(),
            cites: Vec::new(),
        }
    }

    pub fn is_claimed(&self) -> bool {
        self.question.probe.is_some() && !self.probed
    }

    pub(super) fn has_answer(&self) -> bool {
        self.answer.is_some() || self.question.shape.is_none() && self.note.is_some()
    }

    /// Returns true if only its note says what the expectation is about.
    pub(super) fn hides_the_expected(&self) -> bool {
        let Question { expect, probe, .. } = self.question;
        let is_expected = expect.as_ref().is_some_and(Expect::must_hold);
        is_expected && probe.is_none() && self.answer.is_none()
    }

    pub fn claim(&self) -> Option<bool> {
        self.said.filter(|&said| said != self.delta)
    }

    /// The error says what is wrong with the part. `is_absent` returns true if no line matters to a question.
    fn take(&mut self, given: Given, is_absent: &dyn Fn(&Question) -> bool) -> Result<(), String> {
        let name = self.question.name();
        if self.said.is_some() && given.delta.is_some()
            || self.answer.is_some() && given.answer.is_some()
        {
            return Err(format!("duplicate answer to {name}"));
        }
        self.said = self.said.or(given.delta);
        self.given_cites.extend(given.cites);
        let note = given.note.map(|note| note.trim().to_owned());
        let note = note.filter(|note| !note.is_empty());
        if note.iter().any(|note| note.contains(['\n', '\r', '\0'])) {
            return Err(format!("the note on {name} has more than one line"));
        }
        self.note = self.note.take().or(note);
        self.wrong |= given.wrong;
        given.answer.map_or(Ok(()), |answer| self.value(&answer, is_absent))
    }

    /// Takes the text that was given for a question with a shape as its value, whatever the option; and that of a `same`
    /// where an answer is expected.
    fn value_of_note(&mut self, is_absent: &dyn Fn(&Question) -> bool) -> Result<(), String> {
        let Question { shape, probe, .. } = self.question;
        let is_answer = shape.is_some() || self.said == Some(false) && self.hides_the_expected();
        if !is_answer || probe.is_some() || self.answer.is_some() {
            return Ok(());
        }
        self.note.take().map_or(Ok(()), |note| self.value(&note.into(), is_absent))
    }

    fn value(
        &mut self,
        answer: &Value,
        is_absent: &dyn Fn(&Question) -> bool,
    ) -> Result<(), String> {
        let name = self.question.name();
        let value = read(self.question, answer, is_absent)
            .map_err(|expected| format!("{answer} is not an answer to {name}: {expected}"))?;
        self.answer = Some(Found::Value(value).recorded());
        Ok(())
    }
}

/// An answer in canonical form, which may be empty if no line matters; the error says what is expected. `none` is the
/// empty list.
pub(super) fn read(
    question: &Question,
    answer: &Value,
    is_absent: &dyn Fn(&Question) -> bool,
) -> Result<Value, String> {
    let shape = question.shape.as_ref();
    let is_list = matches!(shape, Some(Shape::List(_)));
    let nothing = nothing(shape, answer).filter(|_| is_list || is_absent(question));
    nothing.map_or_else(|| canonical(shape, answer), Ok)
}

/// The empty answer, if a text or a list says that there is nothing.
fn nothing(shape: Option<&Shape>, answer: &Value) -> Option<Value> {
    let says_nothing = match answer {
        Value::String(text) => ["", "none", "[]"].contains(&plain(text).to_lowercase().as_str()),
        Value::Array(items) => items.is_empty(),
        _ => false,
    };
    let empty = match shape {
        None | Some(Shape::Text) => Value::from(""),
        Some(Shape::List(_)) => Value::Array(Vec::new()),
        Some(_) => return None,
    };
    says_nothing.then_some(empty)
}

pub(super) fn match_questions<'s>(
    given: Vec<Given>,
    set: &'s QuestionSet,
    is_absent: &dyn Fn(&Question) -> bool,
    reasons: &mut Vec<String>,
) -> Vec<Matched<'s>> {
    let mut matched: Vec<Matched> = Vec::new();
    // The rest of what is given for these is not missed.
    let mut refused: Vec<&Question> = Vec::new();
    for part in given {
        let name = part.name.parse::<QuestionRef>();
        let name = name.map_err(|reason| reason + &set.guess(&part.name));
        let question = match name.and_then(|name| set.asked(&name)) {
            Ok(question) => question,
            Err(reason) => {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
                continue;
            }
        };
        if refused.iter().any(|one| std::ptr::eq(*one, question)) {
            continue;
        }
        let is_its = |answer: &Matched| std::ptr::eq(answer.question, question);
        let place = matched.iter().position(is_its).unwrap_or(matched.len());
        if place == matched.len() {
            matched.push(Matched::to(question));
        }
        if let Err(reason) = matched[place].take(part, is_absent) {
            reasons.push(reason);
            matched.remove(place);
            refused.push(question);
        }
    }
    matched.retain_mut(|answer| {
        answer.value_of_note(is_absent).map_err(|reason| reasons.push(reason)).is_ok()
    });
    matched
}
