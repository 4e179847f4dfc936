//! The report of `record`: every delta, and a warning if no delta is suspicious.

use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::{Output, Style, asides, count, escape, fate_words, log::label};
use crate::{
    entry::{CommandRun, short_sid, value_text},
    project::{Drifts, Matched, Since},
    question::{self, Expect, Question},
};

#[derive(Debug, Clone, Default, Serialize)]
pub struct Recorded {
    /// Empty if there was nothing new, and no entry was written.
    pub id: String,
    pub sid: String,
    pub head: String,
    pub ts: String,
    pub answers: Vec<RecordedAnswer>,
    pub left: Vec<String>,
    pub dirty: bool,
    pub since: Option<Since>,
    /// Questions that this session had answered before: the new answers replace the old ones.
    pub replaces: Vec<String>,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct RecordedAnswer {
    pub q_id: String,
    pub q_version: u32,
    pub delta: bool,
    pub first: bool,
    pub note: Option<String>,
    /// In canonical form; a long one as `{"sha256", "bytes", "begins"}`.
    pub answer: Option<Value>,
    pub cites: Vec<String>,
    pub probed: bool,
    /// True if the session answered in place of the question's probe.
    pub claimed: bool,
    /// The session's own `delta`, if the tool found otherwise.
    pub claim: Option<bool>,
    pub corrects: Option<String>,
    /// The reason why a delta needs no verdict, or that it waits for one.
    pub drift: Option<String>,
    /// What is expected of it, if it is not so.
    pub expected: Option<String>,
    pub run: Option<CommandRun>,
}

impl RecordedAnswer {
    /// `first` is true if this version of the question was never answered before.
    pub fn of(answer: &Matched, first: bool) -> Self {
        let Question { expect, shape, .. } = answer.question;
        let expect = expect.as_ref().filter(|expect| expect.must_hold());
        let fails = |expect: &&Expect| {
            let given = answer.answer.as_ref().or(answer.repeats.as_ref());
            given.is_some_and(|given| expect.holds(shape.as_ref(), given) == Some(false))
        };
        Self {
            q_id: answer.question.id.clone(),
            q_version: answer.question.version,
            delta: answer.delta,
            first,
            note: answer.note.clone(),
            answer: answer.answer.clone(),
            cites: answer.cites.iter().map(ToString::to_string).collect(),
            probed: answer.probed,
            claimed: answer.is_claimed(),
            claim: answer.claim(),
            corrects: answer.corrects.clone(),
            drift: None,
            expected: expect.filter(fails).map(Expect::words),
            run: answer.run.clone(),
        }
    }

    fn text(&self, style: Style) -> String {
        let word = label(self.delta, self.first, style);
        let name = style.name(&question::name(&self.q_id, self.q_version));
        let answer = self.answer.as_ref().filter(|_| !self.probed);
        let note = self.note.clone().or_else(|| answer.map(value_text));
        let note = note.map_or(String::new(), |note| format!(": {}", escape(&note)));
        let probed = match &self.run {
            Some(run) => format!(" (ran in {:.1} s)", Duration::from_millis(run.ms).as_secs_f64()),
            None if self.probed => " (probe)".into(),
            None if self.claimed => " (claimed)".into(),
            None => String::new(),
        };
        let claim = self.claim.map(|claim| match (claim, self.probed) {
            (true, true) => "you recorded a delta, but its probe finds no change",
            (true, false) => "you recorded a delta, but the answer is the last one",
            (false, true) => "you recorded `same`, but its probe finds a change",
            (false, false) => "you recorded `same`, but the answer differs from the last one",
        });
        let corrects = self.corrects.as_ref().map(|id| format!("corrects entry {id}"));
        let cites = (!self.cites.is_empty()).then(|| format!("cites {}", self.cites.join(", ")));
        let fails = self.expected.as_ref().map(|words| format!("fails: expected {words}"));
        let notes = [claim.map(str::to_owned), corrects, cites, fails, self.drift.clone()];
        let notes = notes.iter().flatten().map(|note| format!("      {}\n", escape(note)));
        format!("{word} {name}{probed}{note}\n{}", notes.collect::<String>())
    }
}

impl Recorded {
    pub fn has_delta(&self) -> bool {
        self.answers.iter().any(|answer| answer.delta)
    }

    pub fn tell(&mut self, drifts: &Drifts) {
        for answer in self.answers.iter_mut().filter(|answer| answer.delta) {
            let question = (answer.q_id.as_str(), answer.q_version);
            let fate = drifts.fate(&self.id, question, &self.sid, true);
            let name = question::name(question.0, question.1);
            let waits = || format!("waits for a person's verdict: git sq triage {name}");
            answer.drift = fate.map(|fate| fate_words(&fate, &self.sid).unwrap_or_else(waits));
        }
    }
}

impl Output for Recorded {
    const SCHEMA: &'static str = "sq.record/v1";

    fn text(&self, style: Style) -> String {
        let answers = self.answers.iter().map(|answer| answer.text(style));
        let mut judged = self.answers.iter().filter(|answer| !answer.probed);
        let answered_before = judged.any(|answer| !answer.first);
        let since = self.since.as_ref();
        let silence = since
            .filter(|since| since.commits > 0 && !since.files.is_empty())
            .filter(|_| answered_before && !self.has_delta())
            .map(|since| silence_text(since, style));
        let left = left(&self.left);
        let (head, sid) = (style.commit(&self.head[..10]), escape(short_sid(&self.sid)));
        let done = match self.answers.len() {
            0 => format!(
                "Nothing new: session {sid} has already recorded what the probes find on {head}.\n"
            ),
            answered => {
                let answers = count(answered, "answer");
                format!("Recorded {answers} on {head} (session {sid}).\n")
            }
        };
        let replaced = (!self.replaces.is_empty()).then(|| {
            let names = self.replaces.join(", ");
            format!("  This replaces what the session had recorded for {names}.\n")
        });
        answers
            .chain(silence)
            .chain([asides(&self.warnings, &[], style), left, done])
            .chain(replaced)
            .collect()
    }
}

fn silence_text(since: &Since, style: Style) -> String {
    format!(
        "{} despite {} and {} since session {}.\n",
        style.warning("NO DELTA"),
        count(since.commits, "commit"),
        count(since.files.len(), "changed file"),
        escape(short_sid(&since.sid))
    )
}

/// The questions that the session still has to answer.
pub fn left(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names => format!("Still to answer in this session: {}.\n", names.join(", ")),
    }
}
