//! Drifts: deltas seen as something for a person, and what settled each.

use std::{collections::HashMap, iter::successors};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    entry::{Person, Verdict, VerdictWord},
    question::{Severity, name},
    session::Event,
    timeline::{Change, SessionAnswer, Timeline},
};

/// How many drifts back an answer may return to what it was.
const RETURNS: usize = 100;

/// The most characters of a value, or of a note, in a finding.
const SHOWN: usize = 60;

/// A delta that is no first derivation.
#[derive(Debug, Clone)]
pub struct Drift {
    pub change: Change,
    /// The id of the entry that has it.
    pub entry: String,
    pub sid: String,
    pub q_id: String,
    pub q_version: u32,
    pub severity: Severity,
    /// Whether this version of the question is still asked.
    pub is_asked: bool,
    /// The answer before, where it was recorded.
    pub old: Option<Value>,
    pub new: Option<Value>,
    pub note: Option<String>,
    pub fate: Fate,
}

/// What became of a drift.
#[derive(Debug, Clone)]
pub enum Fate {
    /// Nobody said anything of it.
    Open,
    /// What the question expects, in words.
    Expected(String),
    /// In this session the answer was what it had been before.
    TakenBack(String),
    /// The last word of a person on it.
    Judged(Box<Event<Verdict>>),
}

/// What an entry says of an answer.
#[derive(Debug, Clone, Default)]
pub struct Said {
    pub value: Option<Value>,
    pub note: Option<String>,
}

/// What people said of answers: by entry and question, oldest first.
#[derive(Debug, Default)]
pub struct Verdicts(HashMap<(String, String, u32), Vec<Event<Verdict>>>);

impl Verdicts {
    /// Puts verdicts in order; they come oldest first.
    pub fn of(given: Vec<Event<Verdict>>) -> Self {
        let mut verdicts = Self::default();
        for one in given {
            let body = &one.body;
            let key = (body.entry.clone(), body.q_id.clone(), body.q_version);
            verdicts.0.entry(key).or_default().push(one);
        }
        verdicts
    }

    /// The last word on an answer of session `sid`, which has none itself.
    pub fn on(&self, entry: &str, question: (&str, u32), sid: &str) -> Option<&Event<Verdict>> {
        let key = (entry.to_owned(), question.0.to_owned(), question.1);
        let given = self.0.get(&key)?.iter();
        let last = given.rev().find(|one| one.source.sid != sid)?;
        Some(last).filter(|one| one.body.verdict != VerdictWord::Open)
    }
}

/// The drifts of question versions that are wanted, oldest first. `read` gives what entries say of some answers.
pub fn drifts(
    timeline: &Timeline,
    verdicts: &Verdicts,
    is_wanted: impl Fn(u32) -> bool,
    read: impl FnOnce(&[SessionAnswer]) -> Vec<Said>,
) -> Vec<Drift> {
    let events = &timeline.events;
    let mut changes = timeline.changes(is_wanted);
    // Of what has no id nothing can be said.
    changes.retain(|change| !events.id(timeline.row(change.now.entry)).is_empty());
    let answers = changes
        .iter()
        .flat_map(|change| [change.before, change.now]);
    let answers = read(&answers.collect::<Vec<_>>());
    let pairs = answers.as_chunks::<2>().0.iter().cloned();
    let found = changes.iter().zip(pairs).map(|(&change, [old, new])| {
        let row = timeline.row(change.now.entry);
        let (id, version) = events.question(change.question);
        let (entry, sid) = (events.id(row), events.sid(row));
        let question = timeline.questions.find(id, version);
        let asked = question.filter(|question| question.status.is_asked());
        let verdict = verdicts.on(entry, (id, version), sid);
        Drift {
            change,
            entry: entry.to_owned(),
            sid: sid.to_owned(),
            q_id: id.to_owned(),
            q_version: version,
            is_asked: asked.is_some(),
            severity: asked.map(|question| question.severity).unwrap_or_default(),
            old: old.value,
            new: new.value,
            note: new.note,
            fate: verdict.map_or(Fate::Open, |one| Fate::Judged(Box::new(one.clone()))),
        }
    });
    let mut found: Vec<Drift> = found.collect();
    settle(timeline, &mut found);
    found
}

/// Finds what the tool itself can settle: a later answer that is again what it was, and what the question expects.
fn settle(timeline: &Timeline, drifts: &mut [Drift]) {
    // Of each question and session, the newest drift on its line of history that is not settled; of each, the one before.
    let mut newest: HashMap<(u32, u32), Option<usize>> = HashMap::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(drifts.len());
    for number in 0..drifts.len() {
        let Change {
            question, session, ..
        } = drifts[number].change;
        let mut line = timeline.line_before(session);
        let open = line.find_map(|place| newest.get(&(question, place)).copied());
        let open = open.flatten();
        let back: Vec<usize> = successors(open, |&one| before[one]).take(RETURNS).collect();
        let new = &drifts[number].new;
        let returns = |&one: &usize| new.is_some() && drifts[one].old == *new;
        let next = if let Some(first) = back.iter().position(returns) {
            let sid = drifts[number].sid.clone();
            for &one in back[..=first].iter().chain([&number]) {
                if matches!(drifts[one].fate, Fate::Open) {
                    drifts[one].fate = Fate::TakenBack(sid.clone());
                }
            }
            before.push(None);
            before[back[first]]
        } else {
            let expected = expected(timeline, &drifts[number]);
            let drift = &mut drifts[number];
            if let (Fate::Open, Some(words)) = (&drift.fate, expected) {
                drift.fate = Fate::Expected(words);
            }
            let stays = match &drift.fate {
                Fate::Open => true,
                Fate::Judged(one) => {
                    matches!(one.body.verdict, VerdictWord::Error | VerdictWord::Question)
                }
                Fate::Expected(_) | Fate::TakenBack(_) => false,
            };
            before.push(open);
            stays.then_some(number)
        };
        newest.insert((question, session), next);
    }
}

/// What its question expects, where that is what happened.
fn expected(timeline: &Timeline, drift: &Drift) -> Option<String> {
    let question = timeline.questions.find(&drift.q_id, drift.q_version)?;
    let expect = question.expect.as_ref()?;
    let values = drift.old.as_ref().zip(drift.new.as_ref());
    let allowed = values.and_then(|(old, new)| expect.allows(old, new));
    let is_allowed = allowed.unwrap_or_else(|| timeline.is_expected(drift.change.now));
    is_allowed.then(|| expect.words())
}

impl Drift {
    /// Whether it waits for a person.
    pub fn is_open(&self) -> bool {
        matches!(self.fate, Fate::Open)
    }

    /// Its question, with the version where that is not 1.
    pub fn name(&self) -> String {
        name(&self.q_id, self.q_version)
    }

    /// What changed: both answers, else the note.
    pub fn words(&self) -> String {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Object(fields) if fields.contains_key("gone") => "gone".into(),
            Value::Object(_) => "a long answer".into(),
            other => other.to_string(),
        };
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => format!("{} -> {}", cut(&text(old)), cut(&text(new))),
            _ => cut(self.note.as_deref().unwrap_or("no note")),
        }
    }
}

fn cut(text: &str) -> String {
    let line = crate::entry::one_line(text);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The open drifts of one blocking question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockingDrift {
    pub question: String,
    pub drifts: usize,
    /// The session of the newest one.
    pub sid: String,
    pub by: Option<Person>,
    /// What changed in that one.
    pub change: String,
}

/// The open ones of blocking questions, a row a question.
pub fn blocking(timeline: &Timeline, drifts: &[Drift]) -> Vec<BlockingDrift> {
    let open = drifts.iter().filter(|drift| drift.is_open());
    let mut found: Vec<BlockingDrift> = Vec::new();
    for drift in open.filter(|drift| drift.severity == Severity::Blocking) {
        let known = found.iter().position(|row| row.question == drift.name());
        let known = known.map(|place| found.remove(place).drifts);
        let row = timeline.row(drift.change.now.entry);
        found.push(BlockingDrift {
            question: drift.name(),
            drifts: known.unwrap_or(0) + 1,
            sid: drift.sid.clone(),
            by: timeline.events.by(row),
            change: drift.words(),
        });
    }
    found
}
