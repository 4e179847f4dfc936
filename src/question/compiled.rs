//! Compiles regular expressions, within limits.

use regex::bytes::{Regex, RegexBuilder};

/// The most bytes that a compiled pattern may take: compiling one takes a millisecond or two.
const PATTERN: usize = 1 << 18;

/// The pattern of a question's `lines`; the error says why it is none.
pub fn lines_pattern(lines: &str) -> Result<Regex, String> {
    compiled(lines, true)
}

/// A pattern as probes compile it; the error says why it is none.
pub fn regex(pattern: &str) -> Result<Regex, String> {
    compiled(pattern, false)
}

/// Compiles a pattern; the time to match is linear in the text.
fn compiled(pattern: &str, ignores_case: bool) -> Result<Regex, String> {
    RegexBuilder::new(pattern)
        .multi_line(true)
        .crlf(true)
        .case_insensitive(ignores_case)
        .size_limit(PATTERN)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "the pattern is too large".to_owned(),
            error => {
                let text = error.to_string();
                let why = text.lines().last().unwrap_or_default();
                format!(
                    "{pattern:?} is no regular expression: {}",
                    why.trim_start_matches("error: ")
                )
            }
        })
}
