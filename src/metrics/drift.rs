//! Drifts: deltas that wait for a person's review, and their outcome.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    entry::{Person, Verdict, VerdictWord, clip, one_line},
    evidence::apart,
    question::{Severity, name},
    session::Event,
    timeline::{Change, SessionAnswer, Timeline},
};

const SHOWN: usize = 80;

#[derive(Debug, Clone, Serialize)]
pub struct Drift {
    pub q_id: String,
    pub q_version: u32,
    pub severity: Severity,
    /// The recorded answer before: a value, the beginning of a long one, or `{"gone": true}`.
    pub old: Option<Value>,
    pub new: Option<Value>,
    pub note: Option<String>,
    pub entry: String,
    pub sid: String,
    pub ts: String,
    pub agent: Option<String>,
    pub by: Option<Person>,
    pub commit: String,
    pub subject: Option<String>,
    #[serde(flatten)]
    pub fate: Fate,
    /// True if this version of the question is still active.
    #[serde(skip)]
    pub is_asked: bool,
    /// True if a person closed it in the file beside the store: of a blocking question, no line of the log closes it.
    #[serde(skip)]
    pub is_closed: bool,
    #[serde(skip)]
    pub change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum Fate {
    /// Waits for a person or, after an error, for a session.
    Open,
    /// A person closed it beside the question store.
    Closed,
    /// The question expects the change.
    Expected { why: String },
    /// In this session the answer was back to its old or to its expected value. A change back is its own end, and has `of`,
    /// the session whose change it undid.
    TakenBack {
        session: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        of: Option<String>,
    },
    Judged {
        verdict: VerdictWord,
        judge: Option<Person>,
        judged: String,
        why: String,
        /// For an error, the session that found it fixed.
        mended: Option<String>,
    },
}

pub type Said = (Option<Value>, Option<String>);

/// The last verdict on an answer of session `sid`, among `verdicts`, oldest first.
pub fn last_word(
    verdicts: &[Event<Verdict>],
    entry: &str,
    (id, version): (&str, u32),
    sid: &str,
) -> Option<Fate> {
    let last = verdicts.iter().rfind(|one| {
        let body = &one.body;
        body.entry == entry
            && (body.q_id.as_str(), body.q_version) == (id, version)
            && one.source.sid != sid
            // An unsigned verdict does not count.
            && one.source.writer.is_some()
    })?;
    Some(Fate::Judged {
        verdict: last.body.verdict,
        judge: last.source.by.clone(),
        judged: last.ts.to_string(),
        why: last.body.note.clone(),
        mended: None,
    })
}

impl Fate {
    pub fn word(&self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::Expected { .. } => "as expected",
            Self::TakenBack { .. } => "taken back",
            Self::Judged { verdict, .. } => verdict.name(),
        }
    }
}

impl Drift {
    pub(super) fn redact(&mut self, timeline: &Timeline) {
        let mark = |answer: SessionAnswer| timeline.events.redaction(timeline.row(answer.entry));
        if mark(self.change.before).is_some() {
            self.old = None;
        }
        if let Some(mark) = mark(self.change.now) {
            self.new = None;
            self.note = Some(mark.to_owned());
        }
    }

    /// Returns true if it waits for a person or, for an error, for a session that finds it fixed.
    pub fn is_open(&self) -> bool {
        match &self.fate {
            Fate::Open => true,
            Fate::Judged { verdict: VerdictWord::Error, mended, .. } => mended.is_none(),
            Fate::Judged { .. } => self.severity == Severity::Blocking && !self.is_closed,
            Fate::Closed | Fate::Expected { .. } | Fate::TakenBack { .. } => false,
        }
    }

    pub(super) fn mend(&mut self, by: &str) {
        match &mut self.fate {
            Fate::Open => self.fate = Fate::TakenBack { session: by.to_owned(), of: None },
            Fate::Judged { verdict: VerdictWord::Error, mended, .. } => {
                *mended = mended.take().or_else(|| Some(by.to_owned()));
            }
            _ => {}
        }
    }

    /// The question, with its version unless that is 1.
    pub fn name(&self) -> String {
        name(&self.q_id, self.q_version)
    }

    /// The change: both answers if they are short, else the note.
    pub fn words(&self) -> String {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Object(fields) => fields.contains_key("gone").then(|| "missing".into()),
            Value::Array(_) => None,
            other => Some(other.to_string()),
        };
        let short = |text: &str| clip(&one_line(text), SHOWN);
        let [old, new] = [&self.old, &self.new].map(|value| value.as_ref().and_then(text));
        match (old.map(|old| short(&old)), new.map(|new| short(&new)), &self.old, &self.new) {
            (Some(was), Some(is), Some(old), Some(new)) if was == is => apart(old, new),
            (Some(was), Some(is), ..) => format!("{was} -> {is}"),
            _ => short(self.note.as_deref().unwrap_or("no note")),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockingDrift {
    pub question: String,
    pub drifts: usize,
    pub sid: String,
    pub by: Option<Person>,
    pub change: String,
    /// Who called it an error, and why.
    pub error: Option<(String, String)>,
}

/// The open drifts of blocking questions, one row per question.
pub fn blocking(drifts: &[Drift]) -> Vec<BlockingDrift> {
    let open = drifts.iter().filter(|drift| drift.is_open());
    let mut found: Vec<BlockingDrift> = Vec::new();
    for drift in open.filter(|drift| drift.severity == Severity::Blocking) {
        let known = found.iter().position(|row| row.question == drift.name());
        let known = known.map(|place| found.remove(place).drifts);
        found.push(BlockingDrift {
            question: drift.name(),
            drifts: known.unwrap_or(0) + 1,
            sid: drift.sid.clone(),
            by: drift.by.clone(),
            change: drift.words(),
            error: match &drift.fate {
                Fate::Judged { verdict: VerdictWord::Error, judge, why, .. } => {
                    let judge = judge.as_ref().map_or("a person", |person| &person.name);
                    Some((judge.to_owned(), why.clone()))
                }
                _ => None,
            },
        });
    }
    found
}
