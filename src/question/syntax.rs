//! The values of a JSON text and their places, or why it is not JSON.

use std::ops::Range;

use jsonc_parser::{
    CollectOptions, ParseOptions, ast, common::Ranged, errors::ParseErrorKind, parse_to_ast,
};
use serde::de::IgnoredAny;

use super::Problem;

const BYTE_ORDER_MARK: char = '\u{feff}';
const MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// The message without ` at line 1 column 2`, which errors inside a value have.
pub(super) fn without_place(error: &serde_json::Error) -> String {
    let message = error.to_string();
    match message.rsplit_once(" at line ") {
        Some((what, _)) if error.line() > 0 => what.to_owned(),
        _ => message,
    }
}

/// The values of a text and their places.
pub(super) fn syntax(text: &str) -> Result<ast::Value<'_>, Problem> {
    // The other parser accepts more than JSON.
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| syntax_problem(text, &error))?;
    let read = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    let (place, message) = match read.map(|read| read.value) {
        Ok(Some(value)) => return Ok(value),
        Ok(None) => (0..0, "expected an object"),
        Err(error) => match error.kind() {
            ParseErrorKind::NestingDepthExceeded => (span(&error.range()), "nested too deep"),
            // Half of a surrogate pair is JSON, but not a string.
            _ => (span(&error.range()), "invalid escape"),
        },
    };
    Err(Problem::new(place, message))
}

fn syntax_problem(text: &str, error: &serde_json::Error) -> Problem {
    if text.starts_with(BYTE_ORDER_MARK) {
        let help = "save the file as UTF-8 without a byte order mark";
        return Problem::new(0..BYTE_ORDER_MARK.len_utf8(), "byte order mark").help(help);
    }
    let before: usize =
        text.split_inclusive('\n').take(error.line().max(1) - 1).map(str::len).sum();
    // The column is a 1-based count of bytes; 0 means the end of the line before.
    let column = before + error.column().max(1) - 1;
    let start = (0..=column).rev().find(|index| text.is_char_boundary(*index)).unwrap_or(0);
    let length = text[start..].chars().next().map_or(0, char::len_utf8);
    if let Some(place) = conflict(text) {
        let help =
            "keep the questions of both sides, each in its own braces, and remove these lines";
        return Problem::new(place, "merge conflict").help(help);
    }
    let before = text[..start].trim_end().len();
    if text[..before].ends_with(',') && text[start..].starts_with([']', '}']) {
        return Problem::new(before - 1..before, "trailing comma").help("remove the comma");
    }
    let message = format!("invalid JSON: {}", without_place(error));
    Problem::new(start..start + length, message)
}

/// The first marker that git leaves where two sides of a merge differ. No text in JSON has a line break.
fn conflict(text: &str) -> Option<Range<usize>> {
    let lines = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end - line.len(), line))
    });
    let mut marked = lines.filter(|(_, line)| MARKERS.iter().any(|mark| line.starts_with(mark)));
    marked.next().map(|(start, line)| start..start + line.trim_end().len())
}

pub(super) fn span(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}
