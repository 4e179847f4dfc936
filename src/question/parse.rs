//! Parses a question store into a set of questions, or into errors with their places.

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    fmt,
    ops::Range,
};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapDeserializer},
};
use serde_json::{Value, json, value::RawValue};

use super::{Problem, Question, QuestionSet, Settings, Status, StoreError, StoreSchema};

/// The keys of `standing_questions/v1`, of the store and of a question.
const V1_KEYS: &str = "_schema _note questions id q importance status evidence_hint";

/// A store of standing questions: human-owned, tracked, derived anew by each session.
// Settings and questions are read one by one, so that each has an error of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("patternProperties" = {"^x-": true}))]
pub struct StoreDocument<'t> {
    #[serde(rename = "_schema")]
    schema: StoreSchema,
    /// A reminder for whoever reads the file raw.
    _note: Option<String>,
    #[serde(rename = "$schema")]
    _json_schema: Option<String>,
    #[serde(borrow)]
    #[schemars(with = "Option<Settings>")]
    settings: Option<&'t RawValue>,
    #[schemars(with = "Vec<Question>", length(min = 1))]
    questions: Vec<&'t RawValue>,
}

/// Reads the store in `bytes`; `name` is where they came from. The work is linear in the number of questions.
pub fn parse(name: &str, bytes: &[u8]) -> Result<QuestionSet, StoreError> {
    let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let end = text.len();
    let mut reader = Reader {
        text,
        problems: Vec::new(),
    };
    let set = if end == bytes.len() {
        reader.store()
    } else {
        Err(Problem::new(end..end, "invalid UTF-8"))
    };
    match reader.keep(set) {
        Some(set) if reader.problems.is_empty() => Ok(set),
        _ => {
            let mut problems = reader.problems;
            problems.sort_by_key(|problem| problem.span.start);
            Err(StoreError {
                name: name.to_owned(),
                text: text.to_owned(),
                is_tracked: true,
                problems,
            })
        }
    }
}

/// Collects problems, so that one run shows many.
struct Reader<'t> {
    text: &'t str,
    problems: Vec<Problem>,
}

impl<'t> Reader<'t> {
    fn keep<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.problems.push(problem)).ok()
    }

    fn store(&mut self) -> Result<QuestionSet, Problem> {
        let root = serde_json::from_str(self.text).map_err(|e| syntax_problem(self.text, &e))?;
        let top = Object::new(self.text, root)?;
        let document: StoreDocument = top.typed()?;
        let schema = document.schema;
        self.check_keys(&top, schema);
        if document.questions.is_empty() {
            self.problems
                .push(top.problem("questions", "expected at least one question"));
        }
        let mut set = QuestionSet {
            schema,
            settings: Settings::default(),
            questions: Vec::with_capacity(document.questions.len()),
        };
        if let Some(raw) = document.settings {
            set.settings = self.settings(raw)?;
        }
        let mut seen = Seen::default();
        for raw in document.questions {
            let object = Object::new(self.text, raw);
            let read = object.and_then(|object| Ok((object.typed::<Question>()?, object)));
            let Some((question, object)) = self.keep(read) else {
                continue;
            };
            self.check_keys(&object, schema);
            let mistakes = question.mistakes(schema).into_iter();
            self.problems
                .extend(mistakes.map(|(key, message)| object.problem(key, message)));
            if let Some((message, help)) = seen.clash(&question) {
                self.problems.push(object.problem("id", message).help(help));
            }
            set.questions.push(question);
        }
        Ok(set)
    }

    /// Refuses keys of the newer format in a store of the older one.
    fn check_keys(&mut self, object: &Object, schema: StoreSchema) {
        for member in &object.members {
            if schema == StoreSchema::V1 && V1_KEYS.split(' ').all(|key| key != member.key) {
                let message = format!("`{}` needs standing_questions/v2", member.key);
                self.problems.push(
                    Problem::new(member.key_span.clone(), message)
                        .help("set `_schema` to \"standing_questions/v2\""),
                );
            }
        }
    }

    /// Settings may be nested (`"staleness": {"max": 5}`) or dotted (`"staleness.max": 5`).
    fn settings(&mut self, raw: &'t RawValue) -> Result<Settings, Problem> {
        let mut leaves = Vec::new();
        for member in Object::new(self.text, raw)?.members {
            match Object::new(self.text, member.value) {
                Ok(group) if !group.members.is_empty() => {
                    let inner = group.members.into_iter();
                    leaves.extend(inner.map(|leaf| (format!("{}.{}", member.key, leaf.key), leaf)));
                }
                _ => leaves.push((member.key.clone(), member)),
            }
        }
        let mut settings = Settings::default();
        let mut tree = json!({});
        let mut names = HashSet::new();
        for (name, leaf) in &leaves {
            if !names.insert(name) {
                let message = format!("duplicate setting `{name}`");
                self.problems
                    .push(Problem::new(leaf.key_span.clone(), message));
                continue;
            }
            let mut value: Value =
                serde_json::from_str(leaf.value.get()).map_err(|error| leaf.problem(&error))?;
            if let Some(group) = value.as_object_mut() {
                group.retain(|key, _| !key.starts_with("x-"));
            }
            let mut grown = tree.clone();
            match name.split_once('.') {
                Some((group, key)) if !grown[group].is_array() => grown[group][key] = value,
                _ => grown[name] = value,
            }
            match Settings::deserialize(&grown) {
                Ok(read) => (settings, tree) = (read, grown),
                Err(error) => self.problems.push(leaf.problem(&error)),
            }
        }
        Ok(settings)
    }
}

/// The questions that were read so far.
#[derive(Default)]
struct Seen {
    versions: HashSet<(String, u32)>,
    active: HashMap<String, u32>,
}

impl Seen {
    /// Adds a question; what is wrong if it can't stand beside the others, and what to do.
    fn clash(&mut self, question: &Question) -> Option<(String, &'static str)> {
        let Question { id, version, .. } = question;
        if !self.versions.insert((id.clone(), *version)) {
            let message = format!("duplicate id \"{}\"", question.name());
            let help = "give a new wording the next `version`, and a new question a new id";
            return Some((message, help));
        }
        if question.status != Status::Active {
            return None;
        }
        let other = self.active.insert(id.clone(), *version)?;
        let message = format!("two active versions of \"{id}\": {other} and {version}");
        let help = "mark the older one \"deprecated\", or the newer one \"trial\"";
        Some((message, help))
    }
}

/// A JSON object that knows the places of its keys and values. Keys that begin with `x-` are the user's own.
struct Object<'t> {
    span: Range<usize>,
    members: Vec<Member<'t>>,
}

struct Member<'t> {
    key: String,
    key_span: Range<usize>,
    value: &'t RawValue,
    span: Range<usize>,
}

impl<'t> Object<'t> {
    fn new(text: &'t str, raw: &'t RawValue) -> Result<Self, Problem> {
        let whole = span(text, raw);
        let pairs =
            members(raw).ok_or_else(|| Problem::new(whole.clone(), "expected an object"))?;
        let mut members = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let (key_span, span) = (span(text, key), span(text, value));
            // Half of a surrogate pair is JSON, but not a string.
            let key: String = serde_json::from_str(key.get())
                .map_err(|_| Problem::new(key_span.clone(), "invalid escape"))?;
            if key.starts_with("x-") {
                continue;
            }
            if value.get() == "null" {
                return Err(Problem::new(span, "unexpected null").help("omit the key instead"));
            }
            members.push(Member {
                key,
                key_span,
                value,
                span,
            });
        }
        Ok(Self {
            span: whole,
            members,
        })
    }

    fn typed<T: Deserialize<'t>>(&self) -> Result<T, Problem> {
        let current = Cell::new(None);
        let members = self.members.iter().inspect(|m| current.set(Some(*m)));
        let pairs = members.map(|member| (member.key.as_str(), member.value));
        T::deserialize(MapDeserializer::new(pairs)).map_err(
            |error: serde_json::Error| match current.get() {
                Some(member) if !is_about(&error, "missing field") => member.problem(&error),
                _ => Problem::new(self.span.start..self.span.start + 1, message(&error)),
            },
        )
    }

    /// An error at the value of `key`.
    fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        let member = self.members.iter().find(|member| member.key == key);
        Problem::new(
            member.map_or(&self.span, |member| &member.span).clone(),
            message,
        )
    }
}

impl Member<'_> {
    fn problem(&self, error: &serde_json::Error) -> Problem {
        if is_about(error, "unknown field") {
            Problem::new(self.key_span.clone(), message(error)).help("custom keys begin with `x-`")
        } else if is_about(error, "duplicate field") {
            Problem::new(self.key_span.clone(), message(error))
        } else if without_place(error) == "expected value" {
            let expected = match self.key.as_str() {
                "shape" | "trigger" => "expected a string or an object",
                "probe" => "expected an object",
                _ => "expected a string",
            };
            Problem::new(self.span.clone(), expected)
        } else {
            Problem::new(self.span.clone(), message(error))
        }
    }
}

/// Returns true if an error of this kind is about the object that is read, and not about one inside it.
fn is_about(error: &serde_json::Error, kind: &str) -> bool {
    error.line() == 0 && error.to_string().starts_with(kind)
}

/// The words of `serde_json` in ours, without the place and without the value that was found.
fn message(error: &serde_json::Error) -> String {
    let text = without_place(error);
    let (found, expected) = text.rsplit_once(", expected ").unwrap_or((&text, ""));
    let key = ["unknown", "missing", "duplicate"]
        .iter()
        .find_map(|kind| Some((kind, found.strip_prefix(kind)?.strip_prefix(" field")?)));
    match (key, expected) {
        (Some((kind, name)), _) => format!("{kind} key{name}"),
        (None, "") => text,
        (None, "u8" | "u32") => "expected a whole number".into(),
        (None, "f64") => "expected a number".into(),
        (None, "a sequence") => "expected an array".into(),
        (None, expected) if expected.starts_with("struct") => "expected an object".into(),
        (None, expected) => format!("expected {expected}"),
    }
}

/// The message without ` at line 1 column 2`, which errors inside a value have.
fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((what, _)) if error.line() > 0 => what.to_owned(),
        _ => message,
    }
}

fn syntax_problem(text: &str, error: &serde_json::Error) -> Problem {
    let lines = text.split_inclusive('\n');
    let before: usize = lines.take(error.line().max(1) - 1).map(str::len).sum();
    // The column is a 1-based count of bytes; 0 means the end of the line before.
    let column = before + error.column().max(1) - 1;
    let is_boundary = |index: &usize| text.is_char_boundary(*index);
    let start = (0..=column).rev().find(is_boundary).unwrap_or(0);
    let length = text[start..].chars().next().map_or(0, char::len_utf8);
    let message = format!("invalid JSON: {}", without_place(error));
    Problem::new(start..start + length, message)
}

/// Where `raw`, a slice of `text`, begins and ends in it.
pub(super) fn span(text: &str, raw: &RawValue) -> Range<usize> {
    let start = raw.get().as_ptr().addr() - text.as_ptr().addr();
    start..start + raw.get().len()
}

/// The keys and values of an object.
pub(super) fn members(raw: &RawValue) -> Option<Vec<(&RawValue, &RawValue)>> {
    let mut object = serde_json::Deserializer::from_str(raw.get());
    object.deserialize_map(Pairs).ok()
}

struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Vec<(&'de RawValue, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        std::iter::from_fn(|| map.next_entry().transpose()).collect()
    }
}
