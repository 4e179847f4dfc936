//! Finds what looks like a secret in the texts of an entry.

mod rules;

use std::{collections::HashMap, fmt};

use regex::Regex;
use serde_json::Value;

use self::rules::Shape;
pub use self::rules::{RULES, Rule};
use super::{Body, Event};

/// What looks like a secret, without the secret.
pub struct Leak {
    pub rule: &'static Rule,
    /// Where it stands: `the note of q4`.
    pub field: String,
    /// The character at which it begins, from 1 on.
    pub at: usize,
}

impl fmt::Display for Leak {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { rule, field, at } = self;
        let (what, name) = (rule.what, rule.name);
        write!(
            f,
            "{field} holds what looks like {what} ({name}) at character {at}"
        )
    }
}

/// The first thing in a text that looks like a secret, but for what `allowed` names: the rule, and the character at
/// which it begins, from 1 on.
pub fn find_secret(text: &str, allowed: &[String]) -> Option<(&'static Rule, usize)> {
    let lower = text.to_ascii_lowercase();
    let mut rules = RULES.iter().filter(|rule| {
        rule.literals.iter().any(|literal| lower.contains(literal))
            && !allowed.iter().any(|name| name == rule.name)
    });
    rules.find_map(|rule| {
        // A pattern that ignored case would take several times as long to compile.
        let searched = if rule.shape == Shape::Sure {
            text
        } else {
            &lower
        };
        let found = rule.regex().captures_iter(searched);
        let mut places = found.filter_map(|all| Some(all.get(1)?.range()));
        let secret = places.find(|place| is_secret(rule, &text[place.clone()]))?;
        Some((rule, text[..secret.start].chars().count() + 1))
    })
}

/// The first thing in the texts of an entry that looks like a secret.
pub(super) fn leak(event: &Event, allowed: &[String]) -> Option<Leak> {
    texts(event).into_iter().find_map(|(field, text)| {
        let (rule, at) = find_secret(&text, allowed)?;
        Some(Leak { rule, field, at })
    })
}

/// The first thing in the texts of a line of the log that looks like a secret.
pub fn leak_in(line: &[u8]) -> Option<Leak> {
    leak(&Event::parse(line).ok()?, &[])
}

/// Which texts of an entry name a path in the user's home folder or an e-mail address, in words.
pub(super) fn personal(event: &Event, home: Option<&str>) -> Vec<String> {
    // Of the root of the file system everything is a part.
    let home = home.filter(|home| home.len() > 1);
    let found = texts(event).into_iter().filter_map(|(field, text)| {
        let what = if home.is_some_and(|home| has_path(&text, home)) {
            "a path in your home folder"
        } else if has_address(&text) {
            "an e-mail address"
        } else {
            return None;
        };
        Some(format!("{field} names {what}"))
    });
    found.collect()
}

/// What somebody said in an entry, each with its place in words.
fn texts(event: &Event) -> Vec<(String, String)> {
    let Event { envelope, body } = event;
    let mut texts = vec![("the session's name".into(), envelope.sid.to_string())];
    let agent = envelope.agent.clone().unwrap_or_default();
    let agent = [agent.name, agent.model, agent.harness].into_iter();
    texts.extend(
        agent
            .flatten()
            .map(|name| ("the agent's name".into(), name)),
    );
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

fn is_secret(rule: &Rule, text: &str) -> bool {
    entropy(text) >= rule.entropy
        && !text.contains("EXAMPLE")
        && match rule.shape {
            Shape::Sure => true,
            Shape::NoPlaceholder => !is_placeholder(text),
            Shape::NoWords => !is_placeholder(text) && !is_words(text),
        }
}

/// Bits for each character, by how often each stands in the text.
fn entropy(text: &str) -> f64 {
    let mut counts: HashMap<char, f64> = HashMap::new();
    for c in text.chars() {
        *counts.entry(c).or_default() += 1.0;
    }
    let all: f64 = counts.values().sum();
    let bits = counts
        .values()
        .map(|count| count / all * (all / count).log2());
    bits.sum()
}

/// Whether a text stands for a password that is somewhere else.
fn is_placeholder(text: &str) -> bool {
    const WORDS: [&str; 9] = [
        "pass", "pwd", "pw", "secret", "token", "key", "xxx", "change", "your",
    ];
    let lower = text.to_ascii_lowercase();
    text.starts_with(['$', '%', '<', '{', '*', '.', '['])
        || text.contains("${")
        || WORDS.iter().any(|word| lower.starts_with(word))
}

/// Whether a text is made of words, names of code or a path, as a password that somebody generated is not.
fn is_words(text: &str) -> bool {
    const BETWEEN: [char; 13] = [
        '-', '_', '.', '/', ':', '=', '+', '#', '&', '|', '?', '@', '~',
    ];
    let is_word = |part: &str| {
        let digits = part.trim_end_matches(|c: char| c.is_ascii_lowercase());
        let word = digits.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        let few = digits.len() - word.len() <= 4 && part.len() - digits.len() <= 4;
        is_number
            || part.bytes().all(|byte| byte.is_ascii_alphabetic())
            || (few && word.bytes().all(|byte| byte.is_ascii_alphabetic()))
            // What stands for anything but ASCII is prose.
            || !part.is_ascii()
    };
    text.contains("::")
        || text.contains("->")
        || text.trim_end_matches('!').split(BETWEEN).all(is_word)
}

/// Whether a text names something in a folder, and not only a folder whose name goes on.
fn has_path(text: &str, folder: &str) -> bool {
    let mut found = text.match_indices(folder);
    found.any(|(at, _)| {
        let rest = &text[at + folder.len()..];
        !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_')
    })
}

/// Whether a text has an e-mail address of somebody: `git@` is how git names hosts, and some domains are for examples.
fn has_address(text: &str) -> bool {
    if !text.contains('@') {
        return false;
    }
    let address = Regex::new(r"([\w.+-]+)@([\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,})\b");
    let of_nobody = |user: &str, domain: &str| {
        let examples = ["example.com", "example.org", "example.net"];
        user == "git" || examples.contains(&domain) || domain.contains("noreply")
    };
    address.is_ok_and(|address| {
        let mut found = address.captures_iter(text);
        found.any(|all| !of_nobody(&all[1], &all[2]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles_and_has_a_name_of_its_own() {
        let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        for rule in &RULES {
            assert_eq!(rule.regex().captures_len(), 2, "{}", rule.name);
            assert!(rule.literals.iter().all(|one| *one == one.to_lowercase()));
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), RULES.len());
    }

    #[test]
    fn a_path_in_the_home_folder_and_an_address_are_personal() {
        assert!(has_path("see /home/ada/notes", "/home/ada"));
        assert!(!has_path("see /home/adam/notes", "/home/ada"));
        assert!(has_address("ask ada@lovelace.dev"));
        assert!(!has_address(
            "clone git@github.com:a/b, write to a@example.org"
        ));
    }
}
