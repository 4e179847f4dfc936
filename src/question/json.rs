//! A JSON document in which every key and value knows its place, so that an error can point at it.

use std::{fmt, ops::Range};

use serde::{
    Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::error::Problem;

/// Objects and arrays inside one another; a question store needs five levels.
const MAX_DEPTH: usize = 32;

/// One JSON value and the bytes of the document it was read from.
#[derive(Debug)]
pub struct Node {
    pub span: Range<usize>,
    pub value: Value,
}

#[derive(Debug)]
pub enum Value {
    Object(Vec<Member>),
    Array(Vec<Node>),
    /// A string, a number, a boolean or null: its text says it all.
    Scalar,
}

/// A key of an object with what stands behind it.
#[derive(Debug)]
pub struct Member {
    pub key: String,
    pub key_span: Range<usize>,
    pub node: Node,
}

/// Reads a whole document.
///
/// # Errors
/// The first place that is not JSON, or that is nested too deeply.
pub fn parse(text: &str) -> Result<Node, Problem> {
    let raw: &RawValue =
        serde_json::from_str(text).map_err(|error| syntax_problem(text, &error))?;
    node(text, raw, 0)
}

fn syntax_problem(text: &str, error: &serde_json::Error) -> Problem {
    let line_start: usize = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    // The column is a 1-based count of bytes; 0 means the end of the line before.
    let at = (line_start + error.column().saturating_sub(1)).min(text.len());
    let mut start = at;
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let length = text[start..].chars().next().map_or(0, char::len_utf8);
    let what = without_place(error);
    Problem::new(start..start + length, format!("this is not JSON: {what}"))
}

/// What the parser says, without the line and column that the mark shows.
pub fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((what, _)) => what.to_owned(),
        None => message,
    }
}

fn node(text: &str, raw: &RawValue, depth: usize) -> Result<Node, Problem> {
    let source = raw.get();
    let start = source.as_ptr() as usize - text.as_ptr() as usize;
    let span = start..start + source.len();
    if depth > MAX_DEPTH {
        return Err(Problem::new(
            start..start + 1,
            "values are nested too deeply here",
        ));
    }
    let fail = |error: serde_json::Error| Problem::new(span.clone(), error.to_string());
    let value = match source.as_bytes()[0] {
        b'{' => {
            let members = serde_json::Deserializer::from_str(source)
                .deserialize_map(Members)
                .map_err(fail)?;
            let members = members.into_iter().map(|(key, value)| {
                let node = node(text, value, depth + 1)?;
                let key_span = key_before(text, node.span.start);
                Ok(Member {
                    key,
                    key_span,
                    node,
                })
            });
            Value::Object(members.collect::<Result<_, Problem>>()?)
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(source).map_err(fail)?;
            let nodes = items.into_iter().map(|item| node(text, item, depth + 1));
            Value::Array(nodes.collect::<Result<_, _>>()?)
        }
        _ => Value::Scalar,
    };
    Ok(Node { span, value })
}

/// Finds the key whose value begins at `value`: the string before the colon before it.
fn key_before(text: &str, value: usize) -> Range<usize> {
    let bytes = text.as_bytes();
    let Some(end) = bytes[..value].iter().rposition(|&byte| byte == b'"') else {
        return value..value;
    };
    let mut start = end;
    while let Some(quote) = bytes[..start].iter().rposition(|&byte| byte == b'"') {
        start = quote;
        let slashes = bytes[..quote]
            .iter()
            .rev()
            .take_while(|&&b| b == b'\\')
            .count();
        if slashes.is_multiple_of(2) {
            break;
        }
    }
    start..end + 1
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_know_their_places() {
        let text = "{ \"a\\\"b\" : [1, {\"c\":\"d\"}] }";
        let Value::Object(members) = parse(text).unwrap().value else {
            panic!("an object was expected");
        };
        assert_eq!(members[0].key, "a\"b");
        assert_eq!(&text[members[0].key_span.clone()], "\"a\\\"b\"");
        let Value::Array(items) = &members[0].node.value else {
            panic!("an array was expected");
        };
        assert_eq!(&text[items[1].span.clone()], "{\"c\":\"d\"}");
    }

    #[test]
    fn nesting_has_a_bound() {
        let deep = "[".repeat(5000) + &"]".repeat(5000);
        let problem = parse(&deep).unwrap_err();
        assert_eq!(problem.message, "values are nested too deeply here");
    }
}
