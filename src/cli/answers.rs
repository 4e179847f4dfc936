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
            CiteInput::Quoted(QuoteInput { at, quote }) => Self {
                at,
                quote: Some(quote),
            },
        }
    }
}

const JSON_FORM: &str = "expected {\"results\":[{\"q_id\":\"q1\",\"answer\":\"the answer\",\"cites\":[\"src/lib.rs:12-20\"]},{\"q_id\":\"q4\",\"delta\":false}]}; time, id, session and HEAD are set by the tool";

pub struct Options<'o> {
    pub same: &'o [String],
    pub delta: &'o [String],
    pub answer: &'o [String],
    pub wrong: &'o [String],
    pub cite: &'o [String],
}

impl Options<'_> {
    /// Mistakes are added to `reasons`.
    pub fn read(&self, set: &QuestionSet, reasons: &mut Vec<String>) -> Vec<Given> {
        let all = [
            ("--same", self.same),
            ("--delta", self.delta),
            ("--answer", self.answer),
            ("--wrong", self.wrong),
        ];
        let all = all
            .iter()
            .flat_map(|(option, texts)| texts.iter().map(move |text| (*option, text)));
        let wrong = all.filter_map(|(option, text)| several(option, text, set));
        let needs_value = [
            ("--answer", self.answer),
            ("--wrong", self.wrong),
            ("--cite", self.cite),
        ];
        let needs_value = needs_value.iter().flat_map(|(option, texts)| {
            let bare = texts.iter().filter(|text| !text.contains('='));
            bare.map(move |text| format!("expected {option} '{text}=…'"))
        });
        let wrong: Vec<String> = wrong.chain(needs_value).collect();
        if !wrong.is_empty() {
            reasons.extend(wrong);
            return Vec::new();
        }
        let mut all = Vec::new();
        for same in self.same {
            if same.contains('=') {
                all.push(part(same, |given, note| {
                    (given.delta, given.note) = (Some(false), note);
                }));
            } else {
                let names = same.split(',').filter(|name| !name.trim().is_empty());
                all.extend(names.map(|name| part(name, |given, _| given.delta = Some(false))));
            }
        }
        all.extend(self.delta.iter().map(|text| {
            part(text, |given, note| {
                (given.delta, given.note) = (Some(true), note);
            })
        }));
        all.extend(
            self.answer
                .iter()
                .map(|text| part(text, |given, answer| given.answer = answer.map(Value::from))),
        );
        all.extend(self.wrong.iter().map(|text| {
            part(text, |given, answer| {
                (given.wrong, given.answer) = (true, answer.map(Value::from));
            })
        }));
        all.extend(self.cite.iter().map(|text| {
            part(text, |given, at| {
                given.cites = at
                    .map(|at| GivenCite { at, quote: None })
                    .into_iter()
                    .collect();
            })
        }));
        all
    }
}

fn part(text: &str, set: impl FnOnce(&mut Given, Option<String>)) -> Given {
    let (name, value) = match text.split_once('=') {
        Some((name, value)) => (name, Some(value.to_owned())),
        None => (text, None),
    };
    let mut given = Given {
        name: name.trim().to_owned(),
        ..Given::default()
    };
    set(&mut given, value);
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
            last.cites.push(GivenCite {
                at: answer.to_owned(),
                quote: None,
            });
            continue;
        }
        match word {
            "same" | "delta" => all.push(Given {
                name: name.to_owned(),
                delta: Some(word == "delta"),
                note: Some(note.to_owned()),
                ..Given::default()
            }),
            "answer" | "wrong" => all.push(Given {
                name: name.to_owned(),
                answer: Some(note.into()),
                wrong: word == "wrong",
                ..Given::default()
            }),
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
    let results = input.results.into_iter().map(|Object(result)| result);
    let results = results.filter(|result| !result.is_blank());
    let given = results.map(|result| Given {
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
