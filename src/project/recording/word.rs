//! Whether an answer is a delta: the tool's word where it can compare, else the session's.

use serde_json::Value;

use super::{
    Matched,
    before::{Before, Last},
};
use crate::{
    entry::{cut, one_line, short_sid},
    evidence::{CitedFate, CitedRow, Cites, Found, news},
    project::Project,
    question::is_same_answer,
    timeline::short,
};

/// The most characters of an answer that are shown.
const SHOWN: usize = 600;

/// Settles which answers are deltas, and notes what they are. Gives what the session has to say or to cite first.
pub fn settle(project: &Project, before: &Before, answers: &mut [Matched]) -> Vec<String> {
    let has_entry = |id: &str| project.has_entry(id);
    let here = Cites::new(&project.repo, project.tip, &has_entry);
    let mut unsaid = Vec::new();
    for answer in answers.iter_mut().filter(|answer| !answer.probed) {
        let last = before.last_by_others(answer.question);
        let cited = last.into_iter().flat_map(|last| {
            let rows = last.cites.iter().map(|cite| here.look_up(cite));
            rows.map(|row| CitedRow {
                cite: last.shown(row.cite),
                ..row
            })
        });
        let cited: Vec<CitedRow> = cited.collect();
        let changed = cited.iter().find(|row| is_changed(row));
        match (delta(answer, last, changed.is_some()), last, &answer.answer) {
            (Some(delta), ..) => answer.delta = delta,
            (None, Some(last), Some(now)) => unsaid.push(ask(answer, last, now, &cited)),
            (None, ..) => unsaid.push(format!(
                "{} has no answer: give it with --answer, --same or --delta",
                answer.question.name()
            )),
        }
        let name = answer.question.name();
        match changed {
            _ if !answer.cites.is_empty() => {}
            Some(row) if !answer.delta => unsaid.push(format!(
                "the last answer to {name} cited {}\ncite what it rests on now, as in --cite '{name}=path:from-to'",
                fate(row)
            )),
            _ if answer.question.requires_evidence() => unsaid.push(format!(
                "{name} requires evidence: cite lines of a tracked file, as in --cite '{name}=src/lib.rs:12-20'"
            )),
            _ => {}
        }
        answer.note = answer.note.take().or_else(|| note(answer, last));
    }
    unsaid
}

/// What is new in an answer that has no note.
fn note(answer: &Matched, last: Option<&Last>) -> Option<String> {
    let now = Found::Value(answer.answer.clone()?);
    let shown = last.filter(|last| last.mark.is_none());
    let then = shown.and_then(|last| last.answer.clone()).map(Found::Value);
    let is_new = answer.delta || last.is_none();
    is_new.then(|| news(then.as_ref(), &now, &[])).flatten()
}

/// Whether an answer differs from the last one; None where only the session can say it and has not.
fn delta(answer: &Matched, last: Option<&Last>, is_exposed: bool) -> Option<bool> {
    let shape = answer.question.shape.as_ref();
    let (Some(now), Some(last)) = (&answer.answer, last) else {
        let computed = answer.answer.as_ref().map(|_| false);
        return computed
            .filter(|_| shape.is_some())
            .or(answer.said)
            .or(computed);
    };
    let then = last.answer.as_ref();
    let same = then.map(|then| is_same_answer(shape, then, now));
    match (same, answer.said) {
        (Some(same), _) if shape.is_some() => Some(!same),
        (Some(true), None) if !is_exposed => Some(false),
        (_, said) => said,
    }
}

/// Asks for the word, with both answers side by side.
fn ask(answer: &Matched, last: &Last, now: &Value, cited: &[CitedRow]) -> String {
    let name = answer.question.name();
    let old = last.answer.as_ref().map(text);
    let old = old.or_else(|| last.note.clone());
    let old = last.shown(old.unwrap_or_else(|| format!("(see `git sq show {name}`)")));
    let mut lines = vec![
        format!("is the answer to {name} the same as the last one?"),
        format!(
            "old ({} on {}): {}",
            short_sid(&last.sid),
            short(last.commit),
            cut(&one_line(&old), SHOWN).0
        ),
        format!("new: {}", cut(&text(now), SHOWN).0),
    ];
    lines.extend(
        cited
            .iter()
            .map(|row| format!("the old one cited {}", fate(row))),
    );
    lines.push(format!(
        "say it beside the answer: --same {name}, or --delta '{name}=what changed' (json: \"delta\")"
    ));
    let lines: Vec<String> = lines.iter().map(|line| one_line(line)).collect();
    lines.join("\n")
}

fn is_changed(row: &CitedRow) -> bool {
    matches!(row.fate, Some(CitedFate::Changed | CitedFate::Gone))
}

/// What became of a citation.
fn fate(row: &CitedRow) -> String {
    let fate = match row.fate {
        Some(CitedFate::Holds) => "which holds",
        Some(CitedFate::Changed) => "which changed since",
        Some(CitedFate::Gone) => "which is gone",
        _ => "which can't be looked up",
    };
    one_line(&format!("{}, {fate}", row.cite))
}

fn text(value: &Value) -> String {
    let text = value.as_str().map(str::to_owned);
    text.unwrap_or_else(|| value.to_string())
}
