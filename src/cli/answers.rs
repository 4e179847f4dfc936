//! The answers that `record` is given, and the questions of the store that they belong to.

use std::path::Path;

use serde::Deserialize;

use super::{
    Failure,
    handed_in::{Object, read_object},
};
use crate::{
    project::Matched,
    question::{QuestionRef, QuestionSet},
};

/// What `git sq record --json` reads.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordInput {
    #[schemars(with = "Vec<ResultInput>")]
    results: Vec<Object<ResultInput>>,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct ResultInput {
    /// `q4`, or `q4@2`.
    q_id: String,
    /// Whether the fresh answer differs from the last recorded one.
    delta: bool,
    /// What changed; needed with a delta and with a first derivation.
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    q_version: Option<u32>,
}

/// An answer as it was handed in.
pub struct Given {
    name: String,
    delta: bool,
    note: Option<String>,
}

const JSON_FORM: &str = "expected {\"results\":[{\"q_id\":\"q1\",\"delta\":false},{\"q_id\":\"q4\",\"delta\":true,\"note\":\"what changed\"}]}; time, id, session and HEAD are set by the tool";

/// The answers of a command line; what is wrong is added to `reasons`.
pub fn from_options(
    same: &[String],
    delta: &[String],
    set: &QuestionSet,
    reasons: &mut Vec<String>,
) -> Vec<Given> {
    let options = same.iter().map(|text| ("--same", text));
    let options = options.chain(delta.iter().map(|text| ("--delta", text)));
    let several: Vec<String> = options
        .filter_map(|(option, text)| several(option, text, set))
        .collect();
    if !several.is_empty() {
        reasons.extend(several);
        return Vec::new();
    }
    let given = |name: &str, delta, note: Option<&str>| Given {
        name: name.trim().to_owned(),
        delta,
        note: note.map(str::to_owned),
    };
    let mut all = Vec::new();
    for same in same {
        if let Some((name, note)) = same.split_once('=') {
            all.push(given(name, false, Some(note)));
        } else {
            let names = same.split(',').filter(|name| !name.trim().is_empty());
            all.extend(names.map(|name| given(name, false, None)));
        }
    }
    all.extend(delta.iter().map(|delta| match delta.split_once('=') {
        Some((name, note)) => given(name, true, Some(note)),
        None => given(delta, true, None),
    }));
    all
}

/// What to write where one option has several answers with notes, as in `q1=a,q2=b`.
fn several(option: &str, text: &str, set: &QuestionSet) -> Option<String> {
    let is_answer = |text: &&str| {
        let name = text.split_once('=').map(|(name, _)| name.trim());
        name.is_some_and(|name| is_question(name, set))
    };
    let mut answers: Vec<String> = Vec::new();
    for part in text.split(',') {
        match answers.last_mut() {
            Some(last) if !is_answer(&part) => last.extend([",", part]),
            _ => answers.push(part.trim().to_owned()),
        }
    }
    let options = answers.iter().map(|answer| {
        let quote = if answer.contains('=') { "'" } else { "" };
        format!("{option} {quote}{answer}{quote}")
    });
    let options: Vec<String> = options.collect();
    (answers.len() > 1).then(|| {
        let instead = options.join(" ");
        format!("an answer with a note needs an option of its own: write {instead}")
    })
}

fn is_question(name: &str, set: &QuestionSet) -> bool {
    let name = name.parse::<QuestionRef>();
    name.is_ok_and(|name| set.resolve(&name).is_some())
}

/// The answers in a form that was filled in; what is wrong is added to `reasons`.
pub fn from_form(text: &str, set: &QuestionSet, reasons: &mut Vec<String>) -> Vec<Given> {
    let mut all = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, answer) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (name, answer) = (name.trim_end_matches(':'), answer.trim());
        let end = answer.find(|c: char| !c.is_alphabetic());
        let (word, note) = answer.split_at(end.unwrap_or(answer.len()));
        let note = note.trim().trim_start_matches(':').trim();
        match word {
            "same" | "delta" => all.push(Given {
                name: name.to_owned(),
                delta: word == "delta",
                note: Some(note.to_owned()),
            }),
            "" if answer.is_empty() && is_question(name, set) => {}
            _ => reasons.push(format!(
                "line {number} is no answer: expected `q4 same` or `q4 delta: what changed`, found {line:?}"
            )),
        }
    }
    all
}

/// The answers in a file, `-` for standard input.
pub fn from_json(path: &Path) -> Result<Vec<Given>, Failure> {
    let input: RecordInput = read_object(path, "record", JSON_FORM)?;
    let given = input.results.into_iter().map(|Object(result)| Given {
        name: match result.q_version {
            Some(version) => format!("{}@{version}", result.q_id),
            None => result.q_id,
        },
        delta: result.delta,
        note: result.note,
    });
    Ok(given.collect())
}

/// Finds the question of each answer; what is wrong is added to `reasons`.
pub fn match_questions<'s>(
    given: Vec<Given>,
    set: &'s QuestionSet,
    reasons: &mut Vec<String>,
) -> Vec<Matched<'s>> {
    let mut matched: Vec<Matched> = Vec::new();
    for answer in given {
        let question = answer
            .name
            .parse::<QuestionRef>()
            .and_then(|name| set.asked(&name));
        let question = match question {
            Ok(question) => question,
            Err(reason) => {
                reasons.push(reason);
                continue;
            }
        };
        let same =
            |m: &Matched| m.question.id == question.id && m.question.version == question.version;
        if matched.iter().any(same) {
            reasons.push(format!("duplicate answer to {}", question.name()));
            continue;
        }
        let note = answer.note.map(|note| note.trim().to_owned());
        if note
            .as_ref()
            .is_some_and(|note| note.contains(['\n', '\r', '\0']))
        {
            reasons.push(format!(
                "the note on {} has more than one line",
                question.name()
            ));
        }
        matched.push(Matched {
            question,
            delta: answer.delta,
            note: note.filter(|note| !note.is_empty()),
            probed: None,
            cites: Vec::new(),
        });
    }
    matched
}
