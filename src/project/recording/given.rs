//! Answers as they are handed in, and the questions that they belong to.

use serde_json::Value;

use crate::{
    entry::{Citation, CommandRun},
    evidence::Found,
    question::{Question, QuestionRef, QuestionSet, canonical},
};

/// An answer, or a part of one, as it is handed in.
#[derive(Debug, Default)]
pub struct Given {
    /// `q4`, or `q4@2`.
    pub name: String,
    /// The session's word: whether the answer differs from the last one.
    pub delta: Option<bool>,
    pub note: Option<String>,
    pub answer: Option<Value>,
    pub cites: Vec<GivenCite>,
}

/// What an answer rests on, as it is handed in.
#[derive(Debug)]
pub struct GivenCite {
    /// As in `src/lib.rs:12-20`.
    pub at: String,
    /// Words that stand there.
    pub quote: Option<String>,
}

/// An answer that belongs to a question.
pub struct Matched<'s> {
    pub question: &'s Question,
    /// The session's word.
    pub said: Option<bool>,
    pub delta: bool,
    pub note: Option<String>,
    /// In canonical form, as it is recorded.
    pub answer: Option<Value>,
    /// Whether a probe gave it.
    pub probed: bool,
    /// How that ran, where it is a command.
    pub run: Option<CommandRun>,
    pub(super) given_cites: Vec<GivenCite>,
    /// The lines that it cites, at HEAD.
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
            probed: false,
            run: None,
            given_cites: Vec::new(),
            cites: Vec::new(),
        }
    }

    /// What the session said, where the tool found otherwise.
    pub fn claim(&self) -> Option<bool> {
        self.said.filter(|&said| said != self.delta)
    }

    /// Adds a part; the error says what is wrong with it.
    fn take(&mut self, given: Given) -> Result<(), String> {
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
        if let Some(answer) = given.answer {
            let read = canonical(self.question.shape.as_ref(), &answer);
            let value =
                read.map_err(|expected| format!("{answer} is no answer to {name}: {expected}"))?;
            self.answer = Some(Found::Value(value).recorded());
        }
        Ok(())
    }
}

/// Finds the question of each answer; what is wrong is added to `reasons`.
pub(super) fn match_questions<'s>(
    given: Vec<Given>,
    set: &'s QuestionSet,
    reasons: &mut Vec<String>,
) -> Vec<Matched<'s>> {
    let mut matched: Vec<Matched> = Vec::new();
    for part in given {
        let name = part.name.parse::<QuestionRef>();
        let question = match name.and_then(|name| set.asked(&name)) {
            Ok(question) => question,
            Err(reason) => {
                reasons.push(reason);
                continue;
            }
        };
        let is_its = |answer: &Matched| std::ptr::eq(answer.question, question);
        let place = matched.iter().position(is_its).unwrap_or(matched.len());
        if place == matched.len() {
            matched.push(Matched::to(question));
        }
        if let Err(reason) = matched[place].take(part) {
            reasons.push(reason);
            matched.remove(place);
        }
    }
    matched
}
