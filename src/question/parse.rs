//! Parses a question store into a set of questions, or into errors with their places.

use std::{
    cell::Cell,
    collections::{HashMap, HashSet},
    ops::Range,
};

use jsonc_parser::{
    ast::{self, ObjectProp},
    common::Ranged as _,
};
use schemars::JsonSchema;
use serde::{
    Deserialize,
    de::{IgnoredAny, value::MapDeserializer},
};
use serde_json::{Value, json, value::RawValue};

use super::{
    Closed, ClosedKind, Closings, Problem, Question, QuestionSet, Settings, Status, StoreError,
    StoreSchema,
    syntax::{span, syntax, without_place},
};

/// The keys of `standing_questions/v1`, of the store and of a question.
const V1_KEYS: &str = "_schema _note questions id q importance status evidence_hint";

/// A store of standing questions: human-owned, tracked, derived anew by each session.
// Settings and questions are read one by one, so that each has an error of its own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("patternProperties" = {"^x-": true}))]
pub struct StoreDocument {
    #[serde(rename = "_schema")]
    schema: StoreSchema,
    /// A reminder for whoever reads the file raw.
    _note: Option<String>,
    #[serde(rename = "$schema")]
    _json_schema: Option<String>,
    #[serde(rename = "settings")]
    #[schemars(with = "Option<Settings>")]
    _settings: Option<IgnoredAny>,
    #[schemars(with = "Vec<Question>")]
    questions: Vec<IgnoredAny>,
}

/// The most questions of a store, and the most problems that are looked for. A dozen questions is usual, and each may have
/// patterns to compile.
const MOST_QUESTIONS: usize = 1000;
const MOST_PROBLEMS: usize = 100;

/// Reads the store in `bytes`; `name` is where they came from. The work is linear in the number of questions.
pub fn parse(name: &str, bytes: &[u8]) -> Result<QuestionSet, StoreError> {
    let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let end = text.len();
    let mut reader = Reader { text, problems: Vec::new() };
    let set = if end == bytes.len() {
        reader.store()
    } else {
        let help = "save the file as UTF-8, without a byte order mark";
        Err(Problem::new(end..end, "invalid UTF-8").help(help))
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

impl Reader<'_> {
    fn keep<T>(&mut self, result: Result<T, Problem>) -> Option<T> {
        result.map_err(|problem| self.problems.push(problem)).ok()
    }

    fn store(&mut self) -> Result<QuestionSet, Problem> {
        let root = syntax(self.text)?;
        let top = Object::new(self.text, &root)?;
        let document: StoreDocument = top.typed()?;
        let schema = document.schema;
        self.check_keys(&top, schema);
        let mut set = QuestionSet {
            schema,
            settings: Settings::default(),
            questions: Vec::with_capacity(document.questions.len()),
            closed: Closings::default(),
        };
        if let Some(settings) = top.get("settings") {
            set.settings = self.settings(&settings.value)?;
            let Settings { accepted, ignore_lines, .. } = &set.settings;
            let looks = accepted.iter().map(|id| Closed::new(ClosedKind::Look, id));
            let lines = ignore_lines.iter().map(|id| Closed::new(ClosedKind::Unknown, id));
            set.closed.0.extend(looks.chain(lines));
        }
        let questions = top.get("questions").and_then(|list| list.value.as_array());
        if let Some(list) = questions.filter(|list| list.elements.len() > MOST_QUESTIONS) {
            let message = format!("more than {MOST_QUESTIONS} questions");
            return Err(Problem::new(span(list), message));
        }
        let mut seen = Seen::default();
        for value in questions.into_iter().flat_map(|list| &list.elements) {
            if self.problems.len() >= MOST_PROBLEMS {
                break;
            }
            let object = Object::new(self.text, value);
            let read = object.and_then(|object| Ok((object.typed::<Question>()?, object)));
            let Some((question, object)) = self.keep(read) else {
                continue;
            };
            self.check_keys(&object, schema);
            let mistakes = question.mistakes(schema).into_iter();
            self.problems.extend(mistakes.map(|(key, message)| object.problem(key, message)));
            if let Some((message, help)) = seen.clash(&question, schema) {
                self.problems.push(object.problem("id", message).help(help));
            }
            set.questions.push(question);
        }
        Ok(set)
    }

    /// Refuses keys of the newer format in a store of the older one.
    fn check_keys(&mut self, object: &Object, schema: StoreSchema) {
        for member in &object.members {
            let name = member.name.as_str();
            if schema == StoreSchema::V1 && V1_KEYS.split(' ').all(|key| key != name) {
                let message = format!("`{name}` needs standing_questions/v2");
                let problem = Problem::new(span(&member.name), message);
                let help = "set `_schema` to \"standing_questions/v2\"";
                self.problems.push(problem.help(help));
            }
        }
    }

    /// Settings may be nested (`"staleness": {"max": 5}`) or dotted (`"staleness.max": 5`).
    fn settings(&mut self, value: &ast::Value) -> Result<Settings, Problem> {
        let mut leaves = Vec::new();
        for member in Object::new(self.text, value)?.members {
            let name = member.name.as_str();
            match Object::new(self.text, &member.value) {
                Ok(group) if !group.members.is_empty() => {
                    let dotted = |leaf: &ObjectProp| format!("{name}.{}", leaf.name.as_str());
                    leaves.extend(group.members.into_iter().map(|leaf| (dotted(leaf), leaf)));
                }
                _ => leaves.push((name.to_owned(), member)),
            }
        }
        let mut settings = Settings::default();
        let mut tree = json!({});
        let mut names = HashSet::new();
        for (name, leaf) in &leaves {
            if !names.insert(name) {
                let message = format!("duplicate setting `{name}`");
                self.problems.push(Problem::new(span(&leaf.name), message));
                continue;
            }
            let mut value = Value::from(leaf.value.clone());
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
                Err(error) => self.problems.push(member_problem(leaf, &error)),
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
    fn clash(
        &mut self,
        question: &Question,
        schema: StoreSchema,
    ) -> Option<(String, &'static str)> {
        let Question { id, version, .. } = question;
        if !self.versions.insert((id.clone(), *version)) {
            let message = format!("duplicate id \"{}\"", question.name());
            let help = match schema {
                StoreSchema::V1 => {
                    "give a new question a new id; `version`, for a new wording, needs standing_questions/v2"
                }
                StoreSchema::V2 => {
                    "give a new wording the next `version`, and a new question a new id"
                }
            };
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

/// An object without the members that are the user's own: their keys begin with `x-`.
struct Object<'a> {
    text: &'a str,
    span: Range<usize>,
    members: Vec<&'a ObjectProp<'a>>,
}

impl<'a> Object<'a> {
    fn new(text: &'a str, value: &'a ast::Value<'a>) -> Result<Self, Problem> {
        let object =
            value.as_object().ok_or_else(|| Problem::new(span(value), "expected an object"))?;
        let members =
            object.properties.iter().filter(|member| !member.name.as_str().starts_with("x-"));
        let members: Vec<_> = members.collect();
        let mut values = members.iter().map(|member| &member.value);
        if let Some(null) = values.find_map(ast::Value::as_null_keyword) {
            return Err(Problem::new(span(null), "unexpected null").help("omit the key instead"));
        }
        Ok(Self { text, span: span(object), members })
    }

    fn get(&self, key: &str) -> Option<&'a ObjectProp<'a>> {
        self.members.iter().find(|member| member.name.as_str() == key).copied()
    }

    fn typed<T: Deserialize<'a>>(&self) -> Result<T, Problem> {
        let current = Cell::new(None);
        let members = self.members.iter().inspect(|m| current.set(Some(**m)));
        // As text, so that serde_json refuses what is twice in an inner object.
        let pairs = members.flat_map(|member| {
            let value = serde_json::from_str::<&RawValue>(member.value.text(self.text));
            value.map(|value| (member.name.as_str(), value))
        });
        T::deserialize(MapDeserializer::new(pairs)).map_err(|error| match current.get() {
            Some(member) if !is_about(&error, "missing field") => member_problem(member, &error),
            _ => Problem::new(self.span.start..self.span.start + 1, message(&error)),
        })
    }

    /// An error at the value of `key`.
    fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        let value = self.get(key).map(|member| span(&member.value));
        Problem::new(value.unwrap_or_else(|| self.span.clone()), message)
    }
}

fn member_problem(member: &ObjectProp, error: &serde_json::Error) -> Problem {
    let (key, value) = (span(&member.name), span(&member.value));
    let message = message(error);
    if is_about(error, "unknown field") {
        return Problem::new(key, message).help("custom keys begin with `x-`");
    }
    if is_about(error, "duplicate field") {
        return Problem::new(key, message);
    }
    let message = match (message, member.name.as_str()) {
        (text, _) if text != "expected value" => text,
        (_, "shape" | "trigger") => "expected a string or an object".into(),
        (_, "probe") => "expected an object".into(),
        _ => "expected a string".into(),
    };
    Problem::new(value, message)
}

/// Returns true if an error of this kind is about the object that is read, and not about one inside it.
fn is_about(error: &serde_json::Error, kind: &str) -> bool {
    error.line() == 0 && error.to_string().starts_with(kind)
}

/// The words of `serde_json` in ours, without the place and without the value that was found.
fn message(error: &serde_json::Error) -> String {
    let text = without_place(error);
    let (found, expected) = text.rsplit_once(", expected ").unwrap_or((&text, ""));
    match expected {
        _ if found.contains(" field `") => found.replacen(" field `", " key `", 1),
        "" => text,
        "u8" | "u32" => "expected a whole number".into(),
        "f64" => "expected a number".into(),
        "a sequence" => "expected an array".into(),
        expected if expected.starts_with("struct") => "expected an object".into(),
        expected => format!("expected {expected}"),
    }
}
