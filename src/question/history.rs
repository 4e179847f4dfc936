//! Changes of one question by one change of the store.

use std::collections::BTreeSet;

use super::{Question, QuestionSet, Status, name};

/// The changes of a question's versions between two stores, a sentence each.
pub fn changes(id: &str, old: &QuestionSet, new: &QuestionSet) -> Vec<String> {
    let numbers = |set: &QuestionSet| -> Vec<u32> {
        set.questions
            .iter()
            .filter(|question| question.id == id)
            .map(|question| question.version)
            .collect()
    };
    let versions: BTreeSet<u32> = numbers(old).into_iter().chain(numbers(new)).collect();
    versions
        .into_iter()
        .flat_map(|version| {
            let name = name(id, version);
            let what = match (old.find(id, version), new.find(id, version)) {
                (None, Some(new)) => vec![added(new)],
                (Some(_), None) => vec!["was removed".into()],
                (Some(old), Some(new)) => changed(old, new),
                (None, None) => Vec::new(),
            };
            what.into_iter().map(move |what| format!("{name} {what}"))
        })
        .collect()
}

fn added(question: &Question) -> String {
    let reason = reason(question);
    format!("was added{reason}: {}", question.text)
}

fn changed(old: &Question, new: &Question) -> Vec<String> {
    let mut found = Vec::new();
    if old.status != new.status {
        let is_new = old.reason != new.reason;
        let reason = if is_new { reason(new) } else { String::new() };
        let what = match new.status {
            Status::Active => "was made active",
            Status::Trial => "was put on trial",
            Status::Deprecated => "was deprecated",
            Status::Retired => "was retired",
        };
        found.push(format!("{what}{reason}"));
    }
    if old.text != new.text {
        found.push(format!("was changed in place: {}", new.text));
    }
    if old.importance != new.importance {
        let (from, to) = (old.importance.0, new.importance.0);
        found.push(format!("went from importance {from} to {to}"));
    }
    if old.dependencies() != new.dependencies() {
        found.push(match &*new.dependencies() {
            [] => "watches nothing any more".into(),
            watched => format!("watches {}", watched.join(", ")),
        });
    }
    found
}

/// Why a version or its status is there, in brackets.
fn reason(question: &Question) -> String {
    let reason = question.reason.as_ref();
    reason.map_or(String::new(), |reason| format!(" ({reason})"))
}
