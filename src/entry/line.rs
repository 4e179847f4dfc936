//! One line of JSON that is safe to print on any terminal: git prints it raw, so dangerous characters are escaped.

use std::io::{self, BufRead};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

/// Bytes of the longest line that is written, without its line feed.
pub const MAX_LINE: usize = 64 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line(Vec<u8>);

/// An entry longer than [`MAX_LINE`]; its length in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the entry would be {0} bytes long, more than {MAX_LINE}")]
pub struct TooLong(pub usize);

impl Line {
    pub fn of(entry: &impl Serialize) -> Result<Self, TooLong> {
        let bytes = hardened_json(entry);
        if bytes.len() > MAX_LINE {
            return Err(TooLong(bytes.len()));
        }
        Ok(Self(bytes))
    }

    /// A line that is in the log already, unchanged.
    pub fn raw(line: &[u8]) -> Self {
        Self(line.to_vec())
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The lines of a note, without their line feeds; skips blank ones, which plain git may have left.
pub fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let from = rest;
        // A vectorized search: a log has megabytes of text.
        let length = rest.skip_until(b'\n').ok().filter(|&length| length > 0)?;
        let line = &from[..length];
        Some(line.strip_suffix(b"\n").unwrap_or(line))
    })
    .filter(|line| !line.iter().all(u8::is_ascii_whitespace))
}

/// Returns true for a line, or a part of one, that git sq wrote; other lines are people's own text.
pub fn is_entry(line: &[u8]) -> bool {
    line.starts_with(b"{")
}

/// Compact JSON with invisible characters escaped: some steer a terminal, others are read only by a model.
pub fn hardened_json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Hardened);
    // Writing these types into memory cannot fail: no map has a key that is not a string.
    if value.serialize(&mut serializer).is_err() {
        bytes.clear();
    }
    bytes
}

/// Drops raw control characters: JSON has them only between tokens, where they mean nothing.
pub fn harden(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if is_unseen(c) {
            text.push_str(&escape_of(c));
        } else if c >= ' ' {
            text.push(c);
        }
    }
    text
}

/// A `\u` escape, or two of them for a character outside the basic plane.
fn escape_of(c: char) -> String {
    c.encode_utf16(&mut [0; 2]).to_vec().iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// Returns true for characters that could steer a terminal, or that are invisible to people but not to a model; the
/// first 32 are left out, because JSON never has them in a string.
///
/// The invisible ones are those with the property `Default_Ignorable_Code_Point` (Unicode, `DerivedCoreProperties.txt`)
/// and the interlinear annotations; see <https://www.unicode.org/reports/tr44/>.
pub fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Writes unseen characters as escapes.
struct Hardened;

impl Formatter for Hardened {
    fn write_string_fragment<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_unseen) {
            let c = rest[at..].chars().next().unwrap_or_default();
            writer.write_all(&rest.as_bytes()[..at])?;
            writer.write_all(escape_of(c).as_bytes())?;
            rest = &rest[at + c.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }
}
