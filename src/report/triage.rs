//! Drifts, for people to judge.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Dates, Output, Style, asides, count, escape, who::who};
use crate::{
    entry::{Person, VerdictWord, short_sid},
    git::Mailmap,
    metrics::{Drift, Fate},
    question::{Severity, name},
    timeline::Timeline,
};

/// Drifts, or verdicts that were just given.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Triage {
    /// Newest first.
    pub drifts: Vec<DriftRow>,
    /// The verdicts that were just given.
    pub given: Vec<GivenRow>,
    /// Why there may be more.
    pub unknown: Vec<String>,
    #[serde(skip)]
    pub dates: Dates,
}

/// A delta that is no first derivation.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct DriftRow {
    pub q_id: String,
    pub q_version: u32,
    pub severity: Severity,
    /// The answer before, where it was recorded: a value, `{"sha256": …}` of a long one, or `{"gone": true}`.
    pub old: Option<Value>,
    pub new: Option<Value>,
    pub note: Option<String>,
    /// The entry's id.
    pub entry: String,
    pub sid: String,
    pub ts: String,
    pub agent: Option<String>,
    /// Whose git identity it was written under, as `.mailmap` has it.
    pub by: Option<Person>,
    /// The commit that carries the entry.
    pub commit: String,
    pub subject: Option<String>,
    pub open: bool,
    /// A person's last word on it.
    pub verdict: Option<VerdictWord>,
    /// What settled it, in words.
    pub settled: Option<String>,
    /// What changed, in a line.
    #[serde(skip)]
    words: String,
}

/// A verdict that was just given.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GivenRow {
    pub entry: String,
    pub sid: String,
    pub q_id: String,
    pub q_version: u32,
    pub verdict: VerdictWord,
}

impl DriftRow {
    /// A drift, with the subject of its commit.
    pub fn new(
        drift: &Drift,
        timeline: &Timeline,
        subject: Option<String>,
        mailmap: &Mailmap,
    ) -> Self {
        let (events, row) = (&timeline.events, timeline.row(drift.change.now.entry));
        let verdict = match &drift.fate {
            Fate::Judged(one) => Some(one.body.verdict),
            _ => None,
        };
        Self {
            q_id: drift.q_id.clone(),
            q_version: drift.q_version,
            severity: drift.severity,
            old: drift.old.clone(),
            new: drift.new.clone(),
            note: drift.note.clone(),
            entry: drift.entry.clone(),
            sid: drift.sid.clone(),
            ts: events.ts(row).to_string(),
            agent: events.agent(row).map(str::to_owned),
            by: events.by(row).map(|by| mailmap.resolve(&by)),
            commit: events.anchor(row.anchor).to_string(),
            subject,
            open: drift.is_open(),
            verdict,
            settled: fate_words(&drift.fate, &drift.sid),
            words: drift.words(),
        }
    }

    fn text(&self, dates: &Dates, style: Style) -> String {
        let name = style.name(&escape(&name(&self.q_id, self.q_version)));
        let blocking = match self.severity {
            Severity::Blocking if self.open => style.error(" (blocking)"),
            Severity::Blocking => " (blocking)".into(),
            Severity::Informational => String::new(),
        };
        let when = dates.text(&self.ts);
        let who = escape(&who(&when, self.agent.as_deref(), self.by.as_ref()));
        let subject = escape(self.subject.as_deref().unwrap_or_default());
        let settled = self.settled.iter().map(|words| {
            let words = style.wrap(&escape(words), 4, 6);
            format!("    {words}\n")
        });
        format!(
            "{name} {}{blocking}\n    session {}, {who}\n    {} {subject}\n{}",
            escape(&self.words),
            escape(short_sid(&self.sid)),
            style.commit(&self.commit[..10]),
            settled.collect::<String>()
        )
    }
}

/// What settled a drift of session `sid`, in words, not escaped.
pub fn fate_words(fate: &Fate, sid: &str) -> Option<String> {
    match fate {
        Fate::Open => None,
        Fate::Expected(words) => Some(format!("expected {words}")),
        Fate::TakenBack(by) if by == sid => Some("is again what it was".into()),
        Fate::TakenBack(by) => Some(format!("taken back in session {}", short_sid(by))),
        Fate::Judged(one) => {
            let by = one.source.by.as_ref();
            let by = by.map_or("somebody", |person| person.name.as_str());
            let (word, note) = (one.body.verdict.name(), &one.body.note);
            Some(format!("verdict: {word} ({by}): {note}"))
        }
    }
}

impl GivenRow {
    fn text(&self) -> String {
        let name = escape(&name(&self.q_id, self.q_version));
        let (word, sid) = (self.verdict.name(), escape(short_sid(&self.sid)));
        format!("Recorded: {name} in session {sid}: {word}\n")
    }
}

impl Output for Triage {
    const SCHEMA: &'static str = "sq.triage/v1";

    fn text(&self, style: Style) -> String {
        let given: String = self.given.iter().map(GivenRow::text).collect();
        let rows = self.drifts.iter().map(|row| row.text(&self.dates, style));
        let rows: String = rows.collect();
        let open = self.drifts.iter().filter(|row| row.open).count();
        let is_blocking = |row: &&DriftRow| row.open && row.severity == Severity::Blocking;
        let total = match self.drifts.iter().filter(is_blocking).count() {
            _ if !given.is_empty() => String::new(),
            0 if open == 0 => "No open drifts.\n".into(),
            0 => count(open, "open drift") + "\n",
            blocking => format!("{}, {blocking} blocking\n", count(open, "open drift")),
        };
        given + &rows + &total + &asides(&[], &self.unknown, style)
    }
}
