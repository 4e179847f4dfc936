//! One line of JSON that is safe to hand to any terminal: what git prints raw is written as an escape.

use std::io::{self, BufRead};

use serde::Serialize;
use serde_json::ser::{CharEscape, CompactFormatter, Formatter, Serializer};

/// The longest line that is written, in bytes, without its line feed.
pub const MAX_LINE: usize = 64 * 1024;

/// A line of the log without its line feed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Line(Vec<u8>);

/// Why bytes are not a line of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotALine {
    /// Longer than [`MAX_LINE`]; its length in bytes.
    TooLong(usize),
}

impl Line {
    /// Writes `entry` as one line.
    ///
    /// # Errors
    /// When it is too long.
    pub fn of(entry: &impl Serialize) -> Result<Self, NotALine> {
        let bytes = hardened_json(entry);
        if bytes.len() > MAX_LINE {
            return Err(NotALine::TooLong(bytes.len()));
        }
        Ok(Self(bytes))
    }

    /// A line that is in the log already, byte for byte, whoever wrote it.
    pub fn raw(line: &[u8]) -> Self {
        Self(line.to_vec())
    }

    /// The line's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The lines of a note, without their line feeds; blank ones, which plain git may have left, mean nothing.
pub fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    let lines = std::iter::from_fn(move || {
        let from = rest;
        // The system's own search for a byte: a log has megabytes of text.
        let length = rest.skip_until(b'\n').ok().filter(|&length| length > 0)?;
        let line = &from[..length];
        Some(line.strip_suffix(b"\n").unwrap_or(line))
    });
    lines.filter(|line| !line.iter().all(u8::is_ascii_whitespace))
}

/// Returns true if a line of a note is one of the log, or what is left of one, and not somebody's own text.
pub fn is_entry(line: &[u8]) -> bool {
    line.starts_with(b"{")
}

/// Compact JSON without any character that people don't see: such characters, some of which steer a terminal or are read
/// by a model, are `\u` escapes, besides what JSON itself demands.
pub fn hardened_json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Hardened);
    // Writing our own types into memory cannot fail: no map has a key that is not a string.
    if value.serialize(&mut serializer).is_err() {
        bytes.clear();
    }
    bytes
}

/// JSON with the escapes of [`hardened_json`]. Raw control characters stand between tokens only, where they say nothing,
/// and all others that are unwanted in strings only.
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

/// As JSON has it: two escapes for what UTF-16 has as two units.
fn escape_of(c: char) -> String {
    let units = c.encode_utf16(&mut [0; 2]).to_vec();
    units.iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// Returns true if a character could steer a terminal or is invisible, so that a model reads what people don't see; without the
/// first 32, which JSON never has in a string.
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

    fn write_char_escape<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        CompactFormatter.write_char_escape(writer, escape)
    }
}
