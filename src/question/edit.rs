//! Changes the text of a question store, and leaves all else in it as it is.

use std::{collections::BTreeSet, ops::Range};

use jsonc_parser::{
    ast::{Object, Value as Syntax},
    common::Ranged,
};
use serde_json::{Value, json};

use super::{
    Question, QuestionRef, QuestionSet, Status, StoreSchema,
    reference::{ID_RULE, is_valid_id},
    syntax::syntax,
};
use crate::entry::word;

/// Before the path of a file that a probe can't do without.
const LITERAL: &str = ":(literal)";

/// The keys of a question in the first format.
const V1_KEYS: [&str; 2] = ["importance", "evidence_hint"];

/// Keys of a question, in the order of the file.
pub type Keys = Vec<(&'static str, Value)>;

/// A question to be added.
pub struct NewQuestion<'a> {
    pub id: &'a str,
    pub text: &'a str,
    /// The date, which a store of the first format does not have.
    pub created: String,
    /// Its other keys.
    pub keys: Keys,
}

/// A version to be added to a question.
pub struct NewVersion<'a> {
    /// The new wording, if it has one.
    pub text: Option<&'a str>,
    pub created: String,
    pub reason: Option<&'a str>,
    /// The keys that differ from the version before.
    pub keys: Keys,
    pub is_trial: bool,
}

/// A question store that is being changed.
pub struct StoreEdit<'t> {
    text: &'t str,
    set: &'t QuestionSet,
    top: Object<'t>,
    /// The range of the list of questions.
    list: Range<usize>,
    questions: Vec<Object<'t>>,
    changes: Vec<Change>,
    /// Questions that are added to an empty list.
    first: Vec<String>,
}

/// A range of the text, and its replacement.
type Change = (Range<usize>, String);

impl<'t> StoreEdit<'t> {
    /// The text of a store that says `set`; None where it does not.
    pub fn new(text: &'t str, set: &'t QuestionSet) -> Option<Self> {
        let Syntax::Object(mut top) = syntax(text).ok()? else {
            return None;
        };
        let list = top.take_array("questions")?;
        let range = list.start()..list.end();
        let questions = list.elements.into_iter().map(|value| match value {
            Syntax::Object(question) => Some(question),
            _ => None,
        });
        Some(Self {
            text,
            set,
            top,
            list: range,
            questions: questions.collect::<Option<_>>()?,
            changes: Vec::new(),
            first: Vec::new(),
        })
    }

    /// Adds a question behind the others.
    pub fn add(&mut self, new: &NewQuestion) -> Result<(), String> {
        if !is_valid_id(new.id) {
            return Err(format!("invalid question name {:?}: {ID_RULE}", new.id));
        }
        if self.set.questions.iter().any(|known| known.id == new.id) {
            return Err(format!("question {} already exists", new.id));
        }
        check_text(new.text)?;
        let needs_v2 = new.keys.iter().any(|(key, _)| !V1_KEYS.contains(key));
        if needs_v2 {
            self.need_v2();
        }
        let is_v2 = needs_v2 || self.set.schema == StoreSchema::V2;
        let created = is_v2.then(|| ("created", json!(new.created)));
        let members: Vec<_> = [("id", json!(new.id)), ("q", json!(new.text))]
            .iter()
            .chain(&new.keys)
            .chain(&created)
            .map(|(key, value)| (*key, spaced(value)))
            .collect();
        match self.questions.len().checked_sub(1) {
            None => {
                let members = joined(&members, ": ", ",\n      ");
                self.first.push(format!("    {{\n      {members}\n    }}"));
            }
            Some(place) => self.changes.extend(self.inserted(place, &members)),
        }
        Ok(())
    }

    /// Leaves out pathspecs in `watch` that are not there, and questions about nothing else.
    pub fn fit(&mut self, is_there: impl Fn(&Question, &str) -> bool) {
        let questions = self.set.questions.iter().zip(&self.questions);
        let kept = questions.filter_map(|(question, object)| {
            let specs = question.dependencies();
            let there: Vec<&String> =
                specs.iter().filter(|spec| is_there(question, spec)).collect();
            let text = object.text(self.text).to_owned();
            let is_absent = |spec: &String| spec.starts_with(LITERAL) && !there.contains(&spec);
            match object.get("watch") {
                _ if specs.iter().any(is_absent) => None,
                _ if specs.is_empty() || there.len() == specs.len() => Some(text),
                _ if there.is_empty() => None,
                Some(watch) => {
                    let old = watch.value.text(self.text);
                    Some(text.replacen(old, &spaced(&json!(there)), 1))
                }
                None => Some(text),
            }
        });
        let kept: Vec<String> = kept.collect();
        let list = self.separator(self.list.start, &self.questions);
        if let Some((first, last)) = self.questions.first().zip(self.questions.last()) {
            self.changes.push((first.start()..last.end(), kept.join(&list)));
        }
    }

    /// Adds a new version of an active question, and gives its number. Unless it is on trial, the old one is
    /// deprecated.
    pub fn add_version(&mut self, of: &QuestionRef, new: &NewVersion) -> Result<u32, String> {
        let place = self.find(of)?;
        let old = self.set.asked(of)?;
        if old.status != Status::Active {
            return Err(format!("{} is {}", old.name(), word(&old.status)));
        }
        let text = new.text.unwrap_or(&old.text);
        check_text(text)?;
        let mut versions = self.set.questions.iter().filter(|known| known.id == old.id);
        let is_said = |known: &&Question| {
            let is_tried = new.is_trial && known.status == Status::Trial;
            known.text == text && (is_tried || known.version == old.version)
        };
        if let Some(said) = versions.find(is_said).filter(|_| new.keys.is_empty()) {
            return Err(match new.text {
                Some(_) => format!("{} already says that", said.name()),
                None => format!("nothing is new about {}", said.name()),
            });
        }
        let newest = self
            .set
            .questions
            .iter()
            .filter(|known| known.id == old.id)
            .map(|known| known.version)
            .max();
        let version =
            newest.and_then(|newest| newest.checked_add(1)).ok_or("there is no higher version")?;
        let mut members = Vec::new();
        for member in &self.questions[place].properties {
            let (key, value) = (member.name.as_str(), member.value.text(self.text));
            match key {
                "version" | "status" | "reason" | "created" => {}
                "q" => members.push(("q", json!(text).to_string())),
                key => {
                    let mut new = new.keys.iter();
                    let new = new.find(|(new, _)| *new == key).map(|(_, new)| spaced(new));
                    members.push((key, new.unwrap_or_else(|| value.to_owned())));
                }
            }
            if key == "id" {
                members.push(("version", version.to_string()));
            }
        }
        let added = new.keys.iter().filter(|(key, _)| self.questions[place].get(key).is_none());
        members.extend(added.map(|(key, value)| (*key, spaced(value))));
        if self.set.schema == StoreSchema::V2 {
            members.push(("created", json!(new.created).to_string()));
        }
        members.extend(new.reason.map(|reason| ("reason", json!(reason).to_string())));
        if new.is_trial {
            members.push(("status", json!(Status::Trial).to_string()));
        }
        self.changes.extend(self.inserted(place, &members));
        if !new.is_trial {
            self.set_member(place, "status", Status::Deprecated);
        }
        self.need_v2();
        Ok(version)
    }

    /// Makes the version on trial the active one, deprecates the old one, and gives the new one's name.
    pub fn promote(&mut self, name: &QuestionRef) -> Result<String, String> {
        let all = &self.set.questions;
        let trials: Vec<usize> = (0..all.len())
            .filter(|place| {
                let question = &all[*place];
                question.status == Status::Trial && name.names(&question.id, question.version)
            })
            .collect();
        let place = match trials[..] {
            [] => return Err(format!("{name} is not on trial")),
            [place] => place,
            [place, ..] => {
                let one = all[place].name();
                return Err(format!(
                    "several versions of {name} are on trial: name one, such as {one}"
                ));
            }
        };
        let id = &all[place].id;
        let is_old = |question: &Question| question.id == *id && question.status == Status::Active;
        if let Some(old) = all.iter().position(is_old) {
            self.set_member(old, "status", Status::Deprecated);
        }
        self.set_member(place, "status", Status::Active);
        Ok(all[place].name().to_string())
    }

    /// Marks a question that is asked as retired, and with it what is on trial to replace it.
    pub fn retire(&mut self, names: &[QuestionRef], reason: Option<&str>) -> Result<(), String> {
        let places = names.iter().map(|name| {
            self.set.asked(name)?;
            self.find(name)
        });
        let mut places = places.collect::<Result<BTreeSet<_>, _>>()?;
        let all = &self.set.questions;
        let has_gone = |one: &Question| {
            let gone = places.iter().map(|&place| &all[place]);
            gone.filter(|gone| gone.status == Status::Active).any(|gone| gone.id == one.id)
        };
        let trials = (0..all.len()).filter(|&one| all[one].status == Status::Trial);
        let trials: Vec<usize> = trials.filter(|&one| has_gone(&all[one])).collect();
        places.extend(trials);
        for place in places {
            self.set_member(place, "status", Status::Retired);
            if let Some(reason) = reason {
                self.set_member(place, "reason", reason);
                self.need_v2();
            }
        }
        Ok(())
    }

    /// The changed text.
    pub fn finish(mut self) -> String {
        if !self.first.is_empty() {
            let list = format!("[\n{}\n  ]", self.first.join(",\n"));
            self.changes.push((self.list, list));
        }
        self.changes.sort_by_key(|(place, _)| place.start);
        let mut text = self.text.to_owned();
        for (place, new) in self.changes.into_iter().rev() {
            text.replace_range(place, &new);
        }
        text
    }

    fn find(&self, name: &QuestionRef) -> Result<usize, String> {
        self.set.place(name).ok_or_else(|| self.set.lacks(name))
    }

    /// Adds a question behind another one, in its formatting; the values are JSON.
    fn inserted(&self, place: usize, members: &[(&str, String)]) -> Option<Change> {
        let old = &self.questions[place];
        let (first, last) = old.properties.first().zip(old.properties.last())?;
        let colon = self.colon(old);
        let members = joined(members, colon, &self.separator(old.start(), &old.properties));
        let between = self.separator(self.list.start, &self.questions);
        let open = &self.text[old.start()..first.start()];
        let close = &self.text[last.end()..old.end()];
        let added = format!("{between}{open}{members}{close}");
        Some((old.end()..old.end(), added))
    }

    fn set_member(&mut self, question: usize, key: &str, value: impl serde::Serialize) {
        let object = &self.questions[question];
        let value = json!(value).to_string();
        let change = if let Some(known) = object.get(key) {
            (known.value.start()..known.value.end(), value)
        } else {
            let added = format!("\"{key}\"{}{value}", self.colon(object));
            self.appended(object.start(), &object.properties, &added)
        };
        self.changes.push(change);
    }

    /// Adds something behind the items of the list or object that begins at `start`.
    fn appended(&self, start: usize, items: &[impl Ranged], added: &str) -> Change {
        let end = items.last().map_or(start + 1, Ranged::end);
        (end..end, self.separator(start, items) + added)
    }

    /// The text between two items of the list or object that begins at `start`.
    fn separator(&self, start: usize, items: &[impl Ranged]) -> String {
        match items {
            [] => String::new(),
            [.., one, two] => self.text[one.end()..two.start()].to_owned(),
            [one] => match &self.text[start + 1..one.start()] {
                before if before.contains('\n') => format!(",{before}"),
                // As spaced as a key and its value.
                _ => self.colon(&self.top).trim_start().replacen(':', ",", 1),
            },
        }
    }

    /// The text between a key and its value.
    fn colon(&self, object: &Object) -> &'t str {
        let first = object.properties.first();
        first.map_or(": ", |first| &self.text[first.name.end()..first.value.start()])
    }

    /// Makes the store one of the second format, which has what the first has.
    fn need_v2(&mut self) {
        let schema = self.top.get("_schema").map(|member| &member.value);
        if let (StoreSchema::V1, Some(schema)) = (self.set.schema, schema) {
            let new = json!(StoreSchema::V2).to_string();
            self.changes.push((schema.start()..schema.end(), new));
        }
    }
}

fn joined(members: &[(&str, String)], colon: &str, between: &str) -> String {
    members
        .iter()
        .map(|(key, value)| format!("{}{colon}{value}", json!(key)))
        .collect::<Vec<_>>()
        .join(between)
}

/// JSON on one line, with a space behind each comma and colon.
fn spaced(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) => {
            let members: Vec<(&str, String)> =
                members.iter().map(|(key, value)| (key.as_str(), spaced(value))).collect();
            format!("{{{}}}", joined(&members, ": ", ", "))
        }
        value => value.to_string(),
    }
}

fn check_text(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("the question is empty".into());
    }
    Ok(())
}
