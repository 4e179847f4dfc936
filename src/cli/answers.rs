//! The answers that `record` is given, and the questions of the store that they belong to.

use std::path::Path;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{
    Failure,
    handed_in::{Object, read_object},
};
use crate::{
    project::{Given, GivenCite},
    question::{QuestionRef, QuestionSet},
    quote,
    view::joined,
};

/// The input of `git sq record --json`.
#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordInput {
    #[schemars(with = "Vec<ResultInput>")]
    results: Vec<Object<ResultInput>>,
    /// Record the answers even if rules flag them.
    #[serde(default)]
    sure: bool,
}

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [{"required": ["delta"]}, {"required": ["answer"]}]))]
struct ResultInput {
    /// `q4`, or `q4@2`.
    q_id: String,
    /// True if the fresh answer differs from the last recorded one; may be omitted if `answer` decides that.
    #[serde(default)]
    delta: Option<bool>,
    /// The change; required for a delta and for a first answer without `answer`.
    #[serde(default)]
    note: Option<String>,
    /// The answer itself, in the shape of its question; a question with nothing but null is not answered.
    #[serde(default, deserialize_with = "some")]
    answer: Option<Value>,
    /// True if the last answer was wrong, though nothing changed since: `answer` is the true one.
    #[serde(default)]
    wrong: bool,
    /// The evidence for the answer.
    #[serde(default)]
    cites: Vec<CiteInput>,
    #[serde(default)]
    q_version: Option<u32>,
}

impl ResultInput {
    /// Returns true for a part of a form that was left as it is.
    fn is_blank(&self) -> bool {
        let is_null = self.answer.as_ref().is_some_and(Value::is_null);
        let is_said = self.delta.is_some() || self.note.is_some() || self.wrong;
        is_null && !is_said && self.cites.is_empty()
    }
}

/// Tells a null from a key that is missing.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(
    untagged,
    expecting = "expected a citation such as \"src/lib.rs:3-9\" or {\"at\":\"src/lib.rs:3-9\",\"quote\":\"words that stand there\"}"
)]
enum CiteInput {
    At(String),
    Quoted(QuoteInput),
}

#[derive(Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct QuoteInput {
    /// As in `src/lib.rs:3-9`.
    at: String,
    /// The words that stand there; white space at the ends of lines is ignored.
    quote: String,
}

impl From<CiteInput> for GivenCite {
    fn from(input: CiteInput) -> Self {
        match input {
            CiteInput::At(at) => Self { at, quote: None },
            CiteInput::Quoted(QuoteInput { at, quote }) => Self { at, quote: Some(quote) },
        }
    }
}

const JSON_FORM: &str = "expected {\"results\":[{\"q_id\":\"q1\",\"answer\":\"the answer\",\"cites\":[\"src/lib.rs:12-20\"]},{\"q_id\":\"q4\",\"delta\":false}]}; time, id, session and HEAD are set by the tool";

/// The answers in options; mistakes are added to `reasons`.
pub fn from_options(
    all: &[(&str, &[String])],
    set: &QuestionSet,
    reasons: &mut Vec<String>,
) -> Vec<Given> {
    let (mut given, mut mistakes) = (Vec::new(), Vec::new());
    for (option, texts) in all {
        for text in *texts {
            let apart = several(option, text, set).filter(|_| *option != CITE);
            match (apart, text.split_once('=')) {
                (Some(apart), _) => mistakes.push(apart),
                (None, Some((name, value))) => given.push(part(option, name, Some(value))),
                (None, None) if *option == "--same " => {
                    let names = text.split(',').filter(|name| !name.trim().is_empty());
                    given.extend(names.map(|name| part(option, name, None)));
                }
                (None, None) if *option == "--delta " => given.push(part(option, text, None)),
                (None, None) if *option == CITE => {
                    let name = all.iter().find_map(|(_, texts)| texts.first()?.split_once('='));
                    let name = name.map_or("q1", |(name, _)| name);
                    mistakes.push(format!("expected {option}{name}={}", quote::word(text)));
                }
                (None, None) => mistakes.push(format!("expected {option}'{text}=…'")),
            }
        }
    }
    if mistakes.is_empty() {
        return given;
    }
    reasons.extend(mistakes);
    Vec::new()
}

pub const CITE: &str = "--cite ";

fn part(option: &str, name: &str, value: Option<&str>) -> Given {
    let mut given = Given { name: name.trim().to_owned(), ..Given::default() };
    let value = value.map(str::to_owned);
    match option {
        "--same " | "--delta " => {
            (given.delta, given.note) = (Some(option == "--delta "), value);
        }
        CITE => given.cites.extend(value.map(|at| GivenCite { at, quote: None })),
        _ => (given.wrong, given.answer) = (!option.is_empty(), value.map(Value::from)),
    }
    given
}

/// Suggests the correct form if one option has several answers with notes, as in `q1=a,q2=b`.
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
        format!("{option}{quote}{answer}{quote}")
    });
    let instead = joined(options, " ");
    (answers.len() > 1)
        .then(|| format!("an answer with a note needs an option of its own: write {instead}"))
}

fn is_question(name: &str, set: &QuestionSet) -> bool {
    let name = name.parse::<QuestionRef>();
    name.is_ok_and(|name| set.resolve(&name).is_some())
}

pub fn from_form(text: &str, set: &QuestionSet, reasons: &mut Vec<String>) -> Vec<Given> {
    let mut all: Vec<Given> = Vec::new();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, answer) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (name, answer) = (name.trim_end_matches(':'), answer.trim());
        let end = answer.find(|c: char| !c.is_alphabetic());
        let (word, note) = answer.split_at(end.unwrap_or(answer.len()));
        let note = note.trim().trim_start_matches(':').trim();
        if let ("cite", Some(last)) = (name, all.last_mut()) {
            last.cites.push(GivenCite { at: answer.to_owned(), quote: None });
            continue;
        }
        let option = match word {
            "same" => "--same ",
            "delta" => "--delta ",
            "wrong" => "--wrong ",
            _ => "",
        };
        match word {
            "same" | "delta" | "answer" | "wrong" => all.push(part(option, name, Some(note))),
            "" if answer.is_empty() && is_question(name, set) => {}
            _ => reasons.push(format!(
                "line {number} is not an answer: expected `q4 answer: VALUE`, `q4 same`, `q4 delta: what changed`, `q4 wrong: VALUE` or, below an answer, `cite src/lib.rs:12-20`, found {line:?}"
            )),
        }
    }
    all
}

/// The answers in a file, `-` for standard input, and the value of `sure`.
pub fn from_json(path: &Path) -> Result<(Vec<Given>, bool), Failure> {
    let input: RecordInput = read_object(path, "record", JSON_FORM)?;
    let given = input
        .results
        .into_iter()
        .map(|Object(result)| result)
        .filter(|result| !result.is_blank())
        .map(|result| Given {
            name: match result.q_version {
                Some(version) => format!("{}@{version}", result.q_id),
                None => result.q_id,
            },
            delta: result.delta,
            note: result.note,
            answer: result.answer.filter(|answer| !answer.is_null()),
            wrong: result.wrong,
            cites: result.cites.into_iter().map(Into::into).collect(),
        });
    Ok((given.collect(), input.sure))
}
