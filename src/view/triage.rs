use serde::Serialize;

use super::{Dates, Output, Style, asides, count, escape, words::who};
use crate::{
    entry::short_sid,
    metrics::{Drift, Fate, LookedAt},
    project::{ChangedFact, GivenVerdict},
    question::{Severity, name},
};

#[derive(Debug, Clone, Serialize)]
pub struct Triage {
    /// The blocking facts that this branch changed.
    pub facts: Vec<ChangedFact>,
    /// Newest first.
    pub drifts: Vec<Drift>,
    /// Answers that a correction disputes, oldest first.
    pub disputes: Vec<LookedAt>,
    pub given: Vec<GivenVerdict>,
    pub unknown: Vec<String>,
    #[serde(skip)]
    pub dates: Dates,
}

pub fn fate_words(fate: &Fate, sid: &str) -> Option<String> {
    match fate {
        Fate::Open => None,
        Fate::Closed => Some("closed by a person".into()),
        Fate::Expected { why } => Some(format!("expected {why}")),
        Fate::TakenBack { of: Some(of), .. } if of == sid => {
            Some("again what it was before this session changed it".into())
        }
        Fate::TakenBack { of: Some(of), .. } => {
            Some(format!("again what it was before session {}", short_sid(of)))
        }
        Fate::TakenBack { session, .. } if session == sid => {
            Some("taken back in the same session".into())
        }
        Fate::TakenBack { session, .. } => {
            Some(format!("taken back in session {}", short_sid(session)))
        }
        Fate::Judged { verdict, judge, why, mended, .. } => {
            let judge = judge.as_ref().map_or("unknown", |person| &person.name);
            let mended = mended
                .as_ref()
                .map_or_else(String::new, |sid| format!("; fixed in session {}", short_sid(sid)));
            let verdict = verdict.name();
            Some(format!("verdict: {verdict} ({judge}): {why}{mended}"))
        }
    }
}

impl Triage {
    fn drift(&self, drift: &Drift, style: Style) -> String {
        let blocking = match drift.severity {
            Severity::Blocking if drift.is_open() => style.error(" (blocking)"),
            Severity::Blocking => " (blocking)".into(),
            Severity::Informational => String::new(),
        };
        let when = self.dates.text(&drift.ts);
        let settled = fate_words(&drift.fate, &drift.sid).map(|words| {
            let words = style.wrap(&escape(&words), 4, 6);
            format!("    {words}\n")
        });
        format!(
            "{} {}{blocking}\n    session {}, {}\n    {} {}\n{}",
            style.name(&escape(&drift.name())),
            escape(&drift.words()),
            escape(short_sid(&drift.sid)),
            escape(&who(&when, drift.agent.as_deref(), drift.by.as_ref())),
            style.commit(&drift.commit[..10]),
            escape(drift.subject.as_deref().unwrap_or_default()),
            settled.unwrap_or_default()
        )
    }

    fn total(&self) -> String {
        let open: Vec<&Drift> = self.drifts.iter().filter(|drift| drift.is_open()).collect();
        let blocking = open.iter().filter(|drift| drift.severity == Severity::Blocking);
        let facts = self.facts.len();
        match (facts + open.len(), facts + blocking.count()) {
            _ if !self.given.is_empty() => String::new(),
            (0, _) => "No open drifts.\n".into(),
            (open, 0) => count(open, "open drift") + "\n",
            (open, blocking) => format!("{}, {blocking} blocking\n", count(open, "open drift")),
        }
    }
}

fn fact(fact: &ChangedFact, style: Style) -> String {
    let ChangedFact { question, place, change, .. } = fact;
    let place = place.iter().filter(|place| *place != question);
    let place: String = place.map(|place| format!(", in {}", escape(place))).collect();
    let name = escape(question);
    format!(
        "{} {}{}\n    changed on this branch{place}; if it is meant to: git sq triage {name} --expected --because '...'\n",
        style.name(&name),
        escape(change),
        style.error(" (blocking)")
    )
}

fn dispute(look: &LookedAt, style: Style) -> String {
    let name = escape(&look.name());
    let side = |sid: &str, commit: &str, entry: &str| {
        let (sid, commit) = (escape(short_sid(sid)), style.commit(&commit[..10]));
        format!("session {sid} at {commit}, entry {}", escape(entry))
    };
    let by = look.correction.as_ref().map_or("a reader".to_owned(), |correction| {
        side(&correction.sid, &correction.commit, &correction.entry)
    });
    let what = if look.correction.is_some() { "corrected" } else { "disputed" };
    let until = if look.ended { " until a later answer" } else { "" };
    format!(
        "{} disputed{until}\n    {}\n    {what} by {by}\n    git sq show {name} shows both; git sq triage ENTRY {name} --agree --because '...' decides\n",
        style.name(&name),
        side(&look.sid, &look.commit, &look.entry),
    )
}

impl Output for Triage {
    const SCHEMA: &'static str = "sq.triage/v1";

    fn text(&self, style: Style) -> String {
        let given = self.given.iter().map(|GivenVerdict { sid, verdict }| {
            let name = escape(&name(&verdict.q_id, verdict.q_version));
            let (word, sid) = (verdict.verdict.name(), escape(short_sid(sid)));
            format!("Recorded: {name} in session {sid}: {word}\n")
        });
        let drifts = self.drifts.iter().map(|drift| self.drift(drift, style));
        let disputes = self.disputes.iter().map(|look| dispute(look, style));
        let facts = self.facts.iter().map(|one| fact(one, style));
        given.chain(disputes).chain(facts).chain(drifts).collect::<String>()
            + &self.total()
            + &asides(&[], &self.unknown, style)
    }
}
