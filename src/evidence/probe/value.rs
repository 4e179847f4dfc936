use std::fmt::Display;

use serde_json::Value;

use crate::question::{ValueOf, ValueTake};

/// The value at a JSON pointer; the error is the reason why there is none.
pub fn of(of: &ValueOf, bytes: &[u8]) -> Result<Value, String> {
    let ValueOf { file, pointer, .. } = of;
    let text = str::from_utf8(bytes).map_err(|_| format!("{file} is not UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let document = parse(file, text)?;
    let value = document.pointer(pointer).ok_or_else(|| format!("{file} has no {pointer}"))?;
    if of.take == ValueTake::Keys {
        return match value {
            Value::Object(keys) => Ok(keys.keys().cloned().collect()),
            _ => Err(format!("{} has no keys in {file}", name(pointer))),
        };
    }
    let is_scalar = |value: &Value| value.is_boolean() || value.is_number() || value.is_string();
    match value {
        Value::Array(items) if items.iter().all(is_scalar) => Ok(value.clone()),
        value if is_scalar(value) => Ok(value.clone()),
        Value::Null => Err(format!("{} is null in {file}", name(pointer))),
        Value::Object(_) => Err(format!(
            "{} is not a single value in {file}: \"take\": \"keys\" takes its keys",
            name(pointer)
        )),
        _ => Err(format!("{} is not a single value in {file}", name(pointer))),
    }
}

/// The pointer in words.
fn name(pointer: &str) -> &str {
    if pointer.is_empty() { "the document" } else { pointer }
}

fn parse(file: &str, text: &str) -> Result<Value, String> {
    let extension = file
        .rsplit('/')
        .next()
        .unwrap_or(file)
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension);
    let is_toml = extension == "toml" || extension == "lock" && !text.starts_with('{');
    let (format, parsed) = match extension {
        _ if is_toml => ("TOML", toml(text)),
        "yaml" | "yml" => ("YAML", serde_saphyr::from_str(text).map_err(|error| words(&error))),
        _ => ("JSON", serde_json::from_str(text).map_err(|error| words(&error))),
    };
    parsed.map_err(|why| format!("{file} is not valid {format}: {why}"))
}

fn toml(text: &str) -> Result<Value, String> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        let why = error.message().lines().next().unwrap_or_default();
        words(&error).replace("TOML parse error", why)
    })?;
    Ok(json(toml::Value::Table(table)))
}

/// The message of a parser, without source lines and advice to programmers.
fn words(error: &impl Display) -> String {
    let text = error.to_string();
    let mut words = text.lines().next().unwrap_or_default();
    words = words.strip_prefix("error: ").unwrap_or(words);
    for advice in ["; use ", ", set "] {
        words = words.split(advice).next().unwrap_or_default();
    }
    words.to_owned()
}

fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => text.into(),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(yes) => yes.into(),
        toml::Value::Datetime(time) => time.to_string().into(),
        toml::Value::Array(items) => items.into_iter().map(json).collect(),
        toml::Value::Table(table) => {
            Value::Object(table.into_iter().map(|(key, value)| (key, json(value))).collect())
        }
    }
}
