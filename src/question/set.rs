//! The questions of one store, all versions of them, in the file's order.

use std::{borrow::Cow, collections::HashSet};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::{
    Closings, Expect, Importance, Probe, QuestionRef, RunOf, Settings, Severity, Shape, Status,
    Trigger, duration, lines_pattern,
    reference::{ID_RULE, is_valid_id},
};
use crate::entry::word;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum StoreSchema {
    #[default]
    #[serde(rename = "standing_questions/v1")]
    V1,
    #[serde(rename = "standing_questions/v2")]
    V2,
}

/// One version of a question. Its text is never edited in place: a new version is added, the old one stays.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("patternProperties" = {"^x-": true}))]
pub struct Question {
    #[schemars(regex(pattern = "^[a-z][a-z0-9_-]{0,63}$"))]
    pub id: String,
    #[serde(default = "first_version")]
    #[schemars(range(min = 1))]
    pub version: u32,
    /// The question; it names or implies where the truth lives.
    #[serde(rename = "q")]
    #[schemars(length(min = 1))]
    pub text: String,
    pub importance: Importance,
    #[serde(default)]
    pub status: Status,
    /// The place to look first; a hint, not a contract.
    pub evidence_hint: Option<String>,
    /// Why this version or this status.
    pub reason: Option<String>,
    /// A date or a time, as written.
    pub created: Option<String>,
    pub shape: Option<Shape>,
    /// Git pathspecs whose change can change the answer.
    #[serde(default)]
    pub watch: Vec<String>,
    /// A case-insensitive regular expression: which lines of the watched paths matter.
    #[schemars(length(min = 1))]
    pub lines: Option<String>,
    #[serde(default)]
    pub trigger: Trigger,
    pub severity: Option<Severity>,
    pub expect: Option<Expect>,
    pub probe: Option<Probe>,
    /// Sessions; overrides the setting `staleness.max`.
    pub max_staleness: Option<u32>,
    /// True if an answer needs citations. Without it, of importance 3 and with `watch` but no probe, one does.
    pub require_evidence: Option<bool>,
}

fn first_version() -> u32 {
    1
}

impl Question {
    /// Its name with the version where that is not 1.
    pub fn name(&self) -> QuestionRef {
        QuestionRef { id: self.id.clone(), version: (self.version != 1).then_some(self.version) }
    }

    /// Its probe, where that is a command.
    pub fn command(&self) -> Option<&RunOf> {
        match &self.probe {
            Some(Probe::Run(run)) => Some(run),
            _ => None,
        }
    }

    /// Returns true if its answer follows from files: a built-in probe derives it at any commit, and no session owes it.
    pub fn is_fact(&self) -> bool {
        self.probe.as_ref().is_some_and(Probe::is_built_in)
    }

    /// Returns true if the gate fails when its answer is not the expected one: an honest "no" of a session must not cost
    /// more than a false "yes", unless the store says so.
    pub fn blocks(&self) -> bool {
        self.severity.map_or(self.probe.is_some(), |severity| severity == Severity::Blocking)
    }

    /// The pathspecs that say what the answer depends on: what it watches, else what its built-in probe reads.
    pub fn dependencies(&self) -> Cow<'_, [String]> {
        match &self.probe {
            Some(probe) if self.watch.is_empty() => Cow::Owned(probe.reads()),
            _ => Cow::Borrowed(&self.watch),
        }
    }

    /// Returns true if it says what its answer depends on: then rules judge the answer.
    pub fn says_dependencies(&self) -> bool {
        self.probe.is_some() || !self.watch.is_empty()
    }

    /// Returns true if both answers depend on the same parts of the repository.
    pub fn depends_alike(&self, other: &Self) -> bool {
        self.watch == other.watch && self.lines == other.lines && self.probe == other.probe
    }

    /// Returns true if an answer needs citations: where somebody said so, or said where the truth lies and that it matters most.
    pub fn requires_evidence(&self) -> bool {
        let matters = self.importance.0 == 3 && !self.watch.is_empty();
        self.require_evidence.unwrap_or(matters && self.probe.is_none())
    }

    /// Broken rules that its types don't express: the key, and what was expected there.
    pub(super) fn mistakes(&self, schema: StoreSchema) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let mut expect = |key, holds: bool, message: &str| {
            if !holds {
                found.push((key, message.to_owned()));
            }
        };
        expect("id", is_valid_id(&self.id), ID_RULE);
        expect("version", self.version > 0, "expected at least 1");
        expect("q", !self.text.trim().is_empty(), "empty question");
        let importance = (1..=3).contains(&self.importance.0);
        expect("importance", importance, "expected 1, 2 or 3");
        let is_v1 = matches!(self.status, Status::Active | Status::Retired);
        let v1 = "expected `active` or `retired` in standing_questions/v1";
        expect("status", is_v1 || schema == StoreSchema::V2, v1);
        let is_date = |text: &String| {
            text.parse::<Timestamp>().is_ok() || text.parse::<jiff::civil::Date>().is_ok()
        };
        let date = "expected a date such as \"2026-11-21\", or a time with an offset";
        expect("created", self.created.as_ref().is_none_or(is_date), date);
        let words = !matches!(&self.shape, Some(Shape::Enum(words)) if words.len() < 2);
        expect("shape", words, "expected at least two words");
        let tolerance = match &self.shape {
            Some(Shape::Number(number)) => number.tolerance.as_ref().and_then(Number::as_f64),
            _ => None,
        };
        let tolerance = tolerance.is_none_or(|tolerance| tolerance >= 0.0);
        expect("shape", tolerance, "expected a tolerance of at least 0");
        let paths = !self.watch.iter().any(String::is_empty);
        expect("watch", paths, "empty pathspec");
        let lines = self.lines.as_deref() != Some("");
        expect("lines", lines, "empty regular expression");
        match &self.trigger {
            Trigger::Every(every) => {
                let message = "expected a duration such as \"7d\"";
                expect("trigger", duration(every).is_some(), message);
            }
            Trigger::Sessions(n) => expect("trigger", *n > 0, "expected at least 1 session"),
            Trigger::EverySession | Trigger::OnChange => {}
        }
        if let Some(Err(why)) = self.lines.as_deref().map(lines_pattern) {
            found.push(("lines", why));
        }
        let is_probed = self.probe.is_some();
        let expected =
            self.expect.as_ref().and_then(|expect| expect.mistake(self.shape.as_ref(), is_probed));
        found.extend(expected.map(|message| ("expect", message)));
        let probe = self.probe.as_ref().and_then(Probe::mistake);
        found.extend(probe.map(|message| ("probe", message)));
        found
    }
}

/// A whole store.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct QuestionSet {
    pub schema: StoreSchema,
    pub settings: Settings,
    pub questions: Vec<Question>,
    /// The closings by people.
    pub closed: Closings,
}

impl QuestionSet {
    /// The questions that are asked and measured, at most one version of each.
    pub fn active(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().filter(|q| q.status == Status::Active)
    }

    /// Asks nothing that another store did not ask; of a question that has a newer version since, the older one.
    pub fn ask_only(&mut self, began: &Self) {
        let then = |question: &Question| {
            let old = began.find(&question.id, question.version)?;
            Some(old.status).filter(|status| status.is_asked())
        };
        let is_late = |question: &Question| question.status.is_asked() && then(question).is_none();
        let late: HashSet<String> =
            self.questions.iter().filter(|one| is_late(one)).map(|one| one.id.clone()).collect();
        self.questions.retain(|question| !is_late(question));
        for question in self.questions.iter_mut().filter(|question| late.contains(&question.id)) {
            question.status = then(question).unwrap_or(question.status);
        }
    }

    /// One version of a question.
    pub fn find(&self, id: &str, version: u32) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id && question.version == version)
    }

    /// Finds a question by name: the version that it names, else the active one, else the newest.
    pub fn resolve(&self, name: &QuestionRef) -> Option<&Question> {
        self.place(name).map(|place| &self.questions[place])
    }

    /// As [`QuestionSet::resolve`]: its place in the list.
    pub(super) fn place(&self, name: &QuestionRef) -> Option<usize> {
        self.questions
            .iter()
            .enumerate()
            .filter(|(_, question)| name.names(&question.id, question.version))
            .max_by_key(|(_, question)| (question.status == Status::Active, question.version))
            .map(|(place, _)| place)
    }

    /// As [`QuestionSet::resolve`]; the error says that there is none.
    pub fn named(&self, name: &QuestionRef) -> Result<&Question, String> {
        self.resolve(name).ok_or_else(|| self.lacks(name))
    }

    pub(super) fn lacks(&self, name: &QuestionRef) -> String {
        let guess = self.guess(&name.id);
        format!("there is no question {name} in the store{guess}")
    }

    /// As [`QuestionSet::resolve`], for a question that takes answers; the error says why it takes none.
    pub fn asked(&self, name: &QuestionRef) -> Result<&Question, String> {
        let question = self.named(name)?;
        if question.status.is_asked() {
            Ok(question)
        } else {
            let status = word(&question.status);
            let way_back = match question.status {
                Status::Retired => ": delete its `status` in the question store to ask it again",
                _ => "",
            };
            Err(format!("{name} is {status}{way_back}"))
        }
    }

    /// To be said behind a wrong id.
    pub fn guess(&self, id: &str) -> String {
        let meant = self.meant_by(id).filter(|meant| *meant != id);
        meant.map_or_else(String::new, |meant| format!("; did you mean {meant}?"))
    }

    /// The id that a misspelled one most likely stands for.
    fn meant_by(&self, id: &str) -> Option<&str> {
        let id = id.to_lowercase();
        let near = self
            .questions
            .iter()
            .filter(|question| question.status.is_asked())
            .map(|question| (strsim::osa_distance(&question.id, &id), question.id.as_str()));
        let mut near: Vec<_> = near.filter(|(far, id)| *far <= id.len() / 3).collect();
        near.sort_unstable();
        near.dedup();
        match near.as_slice() {
            [(far, _), (next, _), ..] if far == next => None,
            [(_, id), ..] => Some(id),
            [] => None,
        }
    }

    /// Returns true if any active question says what its answer depends on.
    pub fn has_dependencies(&self) -> bool {
        self.active().any(Question::says_dependencies)
    }
}
