//! Finds likely secrets in the texts of an entry.

mod rules;

use std::{collections::HashMap, fmt};

use serde_json::Value;

pub use self::rules::{RULES, Rule};
use super::{Body, Event};

/// A likely secret, without its text.
#[derive(Debug)]
pub struct Leak {
    pub rule: &'static Rule,
    /// Its place: `the note of q4`.
    pub field: String,
    /// Its first character, counted from 1.
    pub at: usize,
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { rule, field, at } = self;
        let Rule { what, name, .. } = rule;
        write!(f, "{field} holds what looks like {what} ({name}) at character {at}")
    }
}

/// The first likely secret of a kind that is not in `allowed`: its rule, and its first character, counted from 1.
pub fn find_secret(text: &str, allowed: &[String]) -> Option<(&'static Rule, usize)> {
    let lower = text.to_ascii_lowercase();
    let mut rules = RULES.iter().filter(|rule| {
        rule.literals.iter().any(|literal| lower.contains(literal))
            && !allowed.iter().any(|name| name == rule.name)
    });
    rules.find_map(|rule| {
        let mut places = rule.regex().captures_iter(text).filter_map(|all| all.get(1));
        let secret = places.find(|found| {
            let text = found.as_str();
            entropy(text) >= rule.entropy && !text.contains("EXAMPLE")
        })?;
        Some((rule, text[..secret.start()].chars().count() + 1))
    })
}

pub(super) fn leak(event: &Event, allowed: &[String]) -> Option<Leak> {
    texts(event).into_iter().find_map(|(field, text)| {
        let (rule, at) = find_secret(&text, allowed)?;
        Some(Leak { rule, field, at })
    })
}

pub fn leak_in(line: &[u8]) -> Option<Leak> {
    leak(&Event::parse(line).ok()?, &[])
}

fn texts(event: &Event) -> Vec<(String, String)> {
    let Event { envelope, body } = event;
    let mut texts = vec![("the session's name".into(), envelope.sid.to_string())];
    let agent = envelope.agent.clone().unwrap_or_default();
    let names = [agent.name, agent.model, agent.harness].into_iter().flatten();
    texts.extend(names.map(|name| ("the agent's name".into(), name)));
    let Ok(Value::Object(keys)) = serde_json::to_value(body) else {
        return texts;
    };
    for (key, value) in keys {
        match (body, value) {
            (Body::Rederive(_), Value::Array(results)) => {
                for result in results {
                    let q_id = result["q_id"].as_str().unwrap_or_default().to_owned();
                    for key in ["note", "answer", "evidence"] {
                        collect(&result[key], &format!("the {key} of {q_id}"), &mut texts);
                    }
                }
            }
            (_, Value::Array(items)) => {
                for (number, item) in (1..).zip(items) {
                    collect(&item, &format!("item {number} of {key}"), &mut texts);
                }
            }
            (_, value) => collect(&value, &format!("the {key}"), &mut texts),
        }
    }
    texts
}

fn collect(value: &Value, field: &str, texts: &mut Vec<(String, String)>) {
    match value {
        Value::String(text) => texts.push((field.to_owned(), text.clone())),
        Value::Array(items) => items.iter().for_each(|item| collect(item, field, texts)),
        Value::Object(keys) => keys.values().for_each(|value| collect(value, field, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Bits per character, by the frequencies in the text.
fn entropy(text: &str) -> f64 {
    let mut counts: HashMap<char, f64> = HashMap::new();
    for c in text.chars() {
        *counts.entry(c).or_default() += 1.0;
    }
    let all: f64 = counts.values().sum();
    counts.values().map(|count| count / all * (all / count).log2()).sum()
}
