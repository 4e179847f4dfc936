//! Changes the text of a question store, and leaves all else in it as it is.

use std::ops::Range;

use serde_json::{json, value::RawValue};

use super::{
    QuestionRef, QuestionSet, Status, StoreSchema,
    parse::{members, span},
    reference::{ID_RULE, is_valid_id},
};

/// A question to be added.
pub struct NewQuestion<'a> {
    pub id: &'a str,
    pub text: &'a str,
    pub importance: u8,
    pub evidence_hint: Option<&'a str>,
    pub watch: &'a [String],
}

/// A question store that is being changed.
pub struct StoreEdit<'t> {
    text: &'t str,
    set: &'t QuestionSet,
    root: &'t RawValue,
    settings: Option<&'t RawValue>,
    schema: Range<usize>,
    /// What stands between two questions.
    between: String,
    questions: Vec<Object<'t>>,
    changes: Vec<(Range<usize>, String)>,
}

/// An object with its formatting.
struct Object<'t> {
    span: Range<usize>,
    members: Vec<(String, &'t RawValue)>,
    /// What stands before the first key, between two members, around a colon, and behind the last value.
    open: &'t str,
    comma: &'t str,
    colon: &'t str,
    close: &'t str,
    /// Where the last value ends.
    end: usize,
}

impl<'t> StoreEdit<'t> {
    /// The text of a store that says `set`; None where it does not.
    pub fn new(text: &'t str, set: &'t QuestionSet) -> Option<Self> {
        let root: &RawValue = serde_json::from_str(text).ok()?;
        let top = members(root)?;
        let value = |key: &str| {
            let mut top = top.iter();
            top.find_map(|(name, value)| (string(name)? == key).then_some(*value))
        };
        let (schema, list) = (value("_schema")?, value("questions")?);
        let list_start = span(text, list).start + 1;
        let list: Vec<&RawValue> = serde_json::from_str(list.get()).ok()?;
        let spans: Vec<Range<usize>> = list.iter().map(|raw| span(text, raw)).collect();
        let between = match spans.as_slice() {
            [] => return None,
            [one] => format!(",{}", &text[list_start..one.start]),
            [.., one, two] => text[one.end..two.start].to_owned(),
        };
        let questions = list.into_iter().map(|raw| Object::new(text, raw));
        let questions: Vec<Object> = questions.collect::<Option<_>>()?;
        let is_whole = questions.len() == set.questions.len();
        is_whole.then(|| Self {
            root,
            settings: value("settings"),
            schema: span(text, schema),
            text,
            set,
            between,
            questions,
            changes: Vec::new(),
        })
    }

    /// Adds a question behind the others.
    ///
    /// # Errors
    /// Why that can't be.
    pub fn add(&mut self, new: &NewQuestion) -> Result<(), String> {
        if !is_valid_id(new.id) {
            return Err(format!("invalid question name {:?}: {ID_RULE}", new.id));
        }
        if self.set.questions.iter().any(|known| known.id == new.id) {
            return Err(format!("there is a question {} already", new.id));
        }
        check_text(new.text)?;
        let mut members = vec![
            ("id", json!(new.id).to_string()),
            ("q", json!(new.text).to_string()),
            ("importance", new.importance.to_string()),
        ];
        members.extend(
            new.evidence_hint
                .map(|hint| ("evidence_hint", json!(hint).to_string())),
        );
        if !new.watch.is_empty() {
            let watch = new.watch.iter().map(|spec| json!(spec).to_string());
            members.push((
                "watch",
                format!("[{}]", watch.collect::<Vec<_>>().join(", ")),
            ));
            self.need_v2();
        }
        if let Some(last) = self.questions.last() {
            let added = format!("{}{}", self.between, last.like(&members));
            self.changes.push((last.span.end..last.span.end, added));
        }
        Ok(())
    }

    /// Adds a new version of the active question `id`, deprecates the old one, and gives the number.
    ///
    /// # Errors
    /// Why that can't be.
    pub fn reword(&mut self, id: &str, text: &str, reason: Option<&str>) -> Result<u32, String> {
        let place = self.find(&id.parse()?)?;
        let old = &self.set.questions[place];
        if old.status != Status::Active {
            return Err(format!("{} is {}", old.name(), old.status.as_str()));
        }
        check_text(text)?;
        if old.text == text {
            return Err(format!("{} says that already", old.name()));
        }
        let versions = self.set.questions.iter().filter(|known| known.id == old.id);
        let newest = versions.map(|known| known.version).max();
        let version = newest
            .unwrap_or(0)
            .checked_add(1)
            .ok_or("there is no higher version")?;
        let object = &self.questions[place];
        let mut members = Vec::new();
        for (key, value) in &object.members {
            match key.as_str() {
                "version" | "status" | "reason" | "created" => {}
                "q" => members.push(("q", json!(text).to_string())),
                key => members.push((key, value.get().to_owned())),
            }
            if key == "id" {
                members.push(("version", version.to_string()));
            }
        }
        members.extend(reason.map(|reason| ("reason", json!(reason).to_string())));
        let added = format!("{}{}", self.between, object.like(&members));
        let end = object.span.end;
        self.set_member(place, "status", Status::Deprecated.as_str());
        self.changes.push((end..end, added));
        self.need_v2();
        Ok(version)
    }

    /// Marks a question that is asked as retired.
    ///
    /// # Errors
    /// Why that can't be.
    pub fn retire(&mut self, name: &QuestionRef, reason: Option<&str>) -> Result<(), String> {
        self.set.asked(name)?;
        let place = self.find(name)?;
        self.set_member(place, "status", Status::Retired.as_str());
        if let Some(reason) = reason {
            self.set_member(place, "reason", reason);
            self.need_v2();
        }
        Ok(())
    }

    /// Adds entries to those that a person accepts, and gives the new ones.
    pub fn accept<'e>(&mut self, entries: &'e [String]) -> Vec<&'e String> {
        let known = &self.set.settings.accepted;
        let new = entries.iter().filter(|entry| !known.contains(entry));
        let new: Vec<&String> = new.collect();
        if new.is_empty() {
            return new;
        }
        let ids: Vec<String> = new.iter().map(|id| json!(id).to_string()).collect();
        let ids = ids.join(", ");
        let settings = self.settings.and_then(members).unwrap_or_default();
        let mut settings = settings.into_iter();
        let known = settings.find(|(key, _)| string(key).as_deref() == Some("accepted"));
        let member = format!("\"accepted\": [{ids}]");
        let change = match (known, self.settings) {
            (Some((_, list)), _) => self.inside(list, &ids),
            (None, Some(settings)) => self.inside(settings, &member),
            (None, None) => {
                let end = self.schema.end;
                let separator = self.separator(self.root);
                (end..end, format!("{separator}\"settings\": {{ {member} }}"))
            }
        };
        self.changes.push(change);
        self.need_v2();
        new
    }

    /// The change that adds something behind all that a list or an object has.
    fn inside(&self, raw: &RawValue, added: &str) -> (Range<usize>, String) {
        let whole = span(self.text, raw);
        let inner = self.text[whole.start + 1..whole.end - 1].trim_end();
        let end = whole.start + 1 + inner.len();
        let separator = match inner.trim_start() {
            "" => String::new(),
            _ => self.separator(raw),
        };
        (end..end, separator + added)
    }

    /// What stands between two members of a list or an object: a new line where its first one has its own.
    fn separator(&self, raw: &RawValue) -> String {
        let inner = &self.text[span(self.text, raw)][1..];
        let before = &inner[..inner.len() - inner.trim_start().len()];
        if before.contains('\n') {
            format!(",{before}")
        } else {
            ", ".into()
        }
    }

    /// The changed text.
    pub fn finish(mut self) -> String {
        self.changes.sort_by_key(|(place, _)| place.start);
        let mut text = String::with_capacity(self.text.len());
        let mut done = 0;
        for (place, new) in self.changes {
            text.extend([&self.text[done..place.start], &new]);
            done = place.end;
        }
        text + &self.text[done..]
    }

    /// The place of the question that a name means.
    fn find(&self, name: &QuestionRef) -> Result<usize, String> {
        let meant = self.set.resolve(name);
        let mut all = self.set.questions.iter();
        meant
            .and_then(|meant| all.position(|one| std::ptr::eq(one, meant)))
            .ok_or_else(|| format!("there is no question {name} in the store"))
    }

    fn set_member(&mut self, question: usize, key: &str, value: &str) {
        let object = &self.questions[question];
        let value = json!(value).to_string();
        let known = object.members.iter().find(|(name, _)| name == key);
        let change = known.map(|(_, known)| (span(self.text, known), value.clone()));
        self.changes.push(change.unwrap_or_else(|| {
            let Object { comma, colon, .. } = object;
            let added = format!("{comma}\"{key}\"{colon}{value}");
            (object.end..object.end, added)
        }));
    }

    /// Makes the store one of the second format, which has what the first has.
    fn need_v2(&mut self) {
        if self.set.schema == StoreSchema::V1 {
            let schema = json!(StoreSchema::V2).to_string();
            self.changes.push((self.schema.clone(), schema));
        }
    }
}

impl<'t> Object<'t> {
    /// None where it has fewer members than a question.
    fn new(text: &'t str, raw: &'t RawValue) -> Option<Self> {
        let whole = span(text, raw);
        let pairs = members(raw)?;
        let spans: Vec<_> = pairs
            .iter()
            .map(|(key, value)| (span(text, key), span(text, value)))
            .collect();
        let [(key, value), (second, _), ..] = spans.as_slice() else {
            return None;
        };
        let end = spans.last()?.1.end;
        let named = pairs
            .iter()
            .map(|(key, value)| Some((string(key)?, *value)));
        Some(Self {
            open: &text[whole.start + 1..key.start],
            comma: &text[value.end..second.start],
            colon: &text[key.end..value.start],
            close: &text[end..whole.end - 1],
            end,
            members: named.collect::<Option<_>>()?,
            span: whole,
        })
    }

    /// Another object in the same formatting; the values are JSON.
    fn like(&self, members: &[(&str, String)]) -> String {
        let colon = self.colon;
        let members = members.iter();
        let members: Vec<String> = members
            .map(|(key, value)| format!("{}{colon}{value}", json!(key)))
            .collect();
        let members = members.join(self.comma);
        format!("{{{}{members}{}}}", self.open, self.close)
    }
}

fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

fn check_text(text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("the question is empty".into());
    }
    Ok(())
}
