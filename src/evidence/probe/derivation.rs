//! The result of a probe, compared with its result at the last answer.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{Derived, Found};
use crate::{
    entry::{clip, one_line, recorded, sha256_hex, value_text},
    question::Probe,
};

/// Characters of a value in a note, and items of a list, at most.
const NOTE: usize = 120;
const ITEMS: usize = 5;

/// Characters of a traced value at most, which no value that a person reads has.
const TRACED: usize = 2000;

/// Characters of a whole note at most.
const WHOLE: usize = 600;

#[derive(Debug)]
pub struct Derivation {
    pub now: Derived,
    pub before: Option<Found>,
}

impl Derivation {
    pub fn is_delta(&self) -> bool {
        let before = self.before.as_ref();
        before.is_some_and(|before| !before.is_same(&self.now.found))
    }

    /// The answer to be recorded: a value, the beginning of a long one, or `{"gone": true}`.
    pub fn answer(&self) -> Value {
        self.now.found.recorded()
    }

    pub fn note(&self) -> Option<String> {
        news(self.before.as_ref(), &self.now.found, &self.now.parts)
    }
}

/// The difference of two answers in one line, if any. For `agree`, `parts` are the results of its probes.
pub fn news(before: Option<&Found>, now: &Found, parts: &[Found]) -> Option<String> {
    let parts = parts_text(now, parts);
    let news = match (before, now) {
        (None, now) => words(now) + &parts,
        (Some(before), now) if before.is_same(now) => return None,
        (Some(Found::Value(Value::Array(before))), Found::Value(Value::Array(now))) => {
            difference(before, now)
        }
        (Some(before), now) => format!("was {}, is {}{parts}", words(before), words(now)),
    };
    Some(clip(&one_line(&news), WHOLE))
}

impl Found {
    /// The answer to be recorded: a value, the beginning of a long one, or `{"gone": true}`.
    pub fn recorded(&self) -> Value {
        match self {
            Self::Value(value) => recorded(value),
            Self::Gone(_) => json!({ "gone": true }),
        }
    }
}

pub fn change_text(before: Option<&Found>, now: &Found) -> String {
    match (before, now) {
        (None, now) => words(now),
        (Some(Found::Value(Value::Array(before))), Found::Value(Value::Array(now))) => {
            difference(before, now)
        }
        (Some(before), now) => {
            let [was, is] = [words(before), words(now)];
            let values = before.value().zip(now.value()).filter(|_| was == is);
            values.map_or_else(|| format!("{was} -> {is}"), |(before, now)| apart(before, now))
        }
    }
}

/// Two values that are the same in words, as JSON, from shortly before they differ.
pub fn apart(before: &Value, now: &Value) -> String {
    let [was, is] = [before, now].map(Value::to_string);
    let same = was.chars().zip(is.chars()).take_while(|(was, is)| was == is).count();
    let [was, is] = [was, is].map(|text| {
        let shown: String = text.chars().skip(same.saturating_sub(NOTE / 2)).collect();
        let cut = if shown.len() < text.len() { "…" } else { "" };
        format!("{cut}{}", clip(&shown, NOTE))
    });
    format!("{was} -> {is}")
}

/// The same with the new value whole; for `agree`, `parts` are the results of its probes.
pub fn traced_text(before: Option<&Found>, now: &Found, parts: &[Found]) -> String {
    let is_first = before.is_none();
    // The change before says why there was nothing.
    let before = before.filter(|before| before.value().is_some());
    let whole = match now {
        Found::Gone(why) if is_first => format!("not there yet ({})", one_line(why)),
        Found::Gone(why) => format!("missing ({})", one_line(why)),
        Found::Value(Value::Bool(agree)) if !parts.is_empty() => {
            let mut shown: Vec<String> = parts.iter().map(part_text).collect();
            if *agree {
                let mut seen = HashSet::new();
                shown.retain(|part| seen.insert(part.clone()));
            }
            let verb = if *agree { "agree" } else { "differ" };
            return format!("{verb}: {}", shown.join(" | "));
        }
        Found::Value(Value::Array(_)) => return change_text(before, now),
        Found::Value(value) => clip(&one_line(&value_text(value)), TRACED),
    };
    match before {
        Some(before) if parts.is_empty() => format!("{} -> {whole}", words(before)),
        _ => whole,
    }
}

/// The identity of a probe: the first half of the SHA-256 of its compact JSON.
pub fn probe_digest(probe: &Probe) -> String {
    sha256_hex(serde_json::to_string(probe).unwrap_or_default().as_bytes())[..32].to_owned()
}

/// The results of the probes of `agree` and `subset`; none if the answer says why there is none.
fn parts_text(now: &Found, parts: &[Found]) -> String {
    if parts.is_empty() || now.value().is_none() {
        return String::new();
    }
    let parts: Vec<String> = parts.iter().map(part_text).collect();
    format!(" ({})", parts.join(" | "))
}

/// The result of one of the probes that are compared.
pub fn part_text(part: &Found) -> String {
    match part {
        Found::Value(Value::Array(items)) if !items.is_empty() => listed(items.iter()),
        part => words(part),
    }
}

fn words(found: &Found) -> String {
    match found {
        Found::Gone(why) => format!("missing ({})", clip(&one_line(why), NOTE)),
        Found::Value(Value::Array(items)) if items.is_empty() => "none".into(),
        Found::Value(Value::Array(items)) => format!("{}: {}", items.len(), listed(items.iter())),
        Found::Value(value) => text(value),
    }
}

fn difference(before: &[Value], now: &[Value]) -> String {
    let [was, is] = [before, now].map(|items| items.iter().collect::<HashSet<_>>());
    let lost: Vec<&Value> = before.iter().filter(|item| !is.contains(item)).collect();
    let gained: Vec<&Value> = now.iter().filter(|item| !was.contains(item)).collect();
    let part = |sign, items: Vec<&Value>| {
        (!items.is_empty()).then(|| format!("{sign} {}", listed(items.into_iter())))
    };
    let parts = [part("new:", gained), part("removed:", lost)];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return "the same items in another order or number".into();
    }
    parts.join("; ")
}

fn listed<'v>(items: impl ExactSizeIterator<Item = &'v Value>) -> String {
    let more = items.len().saturating_sub(ITEMS);
    let shown: Vec<String> = items.take(ITEMS).map(text).collect();
    let more = (more > 0).then(|| format!(" and {more} more"));
    shown.join(", ") + &more.unwrap_or_default()
}

fn text(value: &Value) -> String {
    clip(&one_line(&value_text(value)), NOTE)
}
