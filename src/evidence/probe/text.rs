use std::{borrow::Cow, collections::HashSet};

use regex::bytes::{Match, Regex};
use serde_json::Value;

use crate::question::{TextOf, TextPart, TextTake};

/// Number of bytes that are searched for a NUL to tell binary files from text, as in git.
const HEAD: usize = 8000;

/// Text that says it is UTF-16, as some editors and shells of Windows write it, in UTF-8; all other bytes as they are.
pub fn in_utf8(bytes: Vec<u8>) -> Vec<u8> {
    let unit = match bytes.first_chunk() {
        Some(b"\xff\xfe") => u16::from_le_bytes,
        Some(b"\xfe\xff") => u16::from_be_bytes,
        _ => return bytes,
    };
    let (units, _) = bytes[2..].as_chunks();
    let text = char::decode_utf16(units.iter().map(|two| unit(*two)));
    text.map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>().into_bytes()
}

pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    text.split_inclusive(|&byte| byte == b'\n').map(|line| {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        line.strip_suffix(b"\r").unwrap_or(line)
    })
}

/// The values of a line: each match of a group of the pattern, or a matching line without the white space around it.
pub fn taken(regex: &Regex, line: &[u8], group: Option<usize>) -> Vec<Value> {
    match group {
        Some(group) => {
            regex.captures_iter(line).filter_map(|found| Some(lossy(found.get(group)?))).collect()
        }
        None if regex.is_match(line) => vec![String::from_utf8_lossy(line.trim_ascii()).into()],
        None => Vec::new(),
    }
}

/// Each match: the first group of the pattern, or all of it.
pub fn all(regex: &Regex, text: &[u8]) -> impl Iterator<Item = Value> {
    regex.captures_iter(text).filter_map(|found| found.get(1).or_else(|| found.get(0))).map(lossy)
}

fn lossy(found: Match) -> Value {
    String::from_utf8_lossy(found.as_bytes()).into()
}

/// A path as seen from a folder, without `.` and `..`; `None` if it leaves the repository.
pub fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    let folder = if path.starts_with('/') { "" } else { folder };
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Reads a value from a text; the error is the reason why there is none.
pub fn of(of: &TextOf, bytes: &[u8]) -> Result<Value, String> {
    let file = &of.file;
    match of.part()? {
        TextPart::Lines([from, to]) => {
            let text = readable(file, bytes)?;
            let taken: Vec<&str> =
                text.lines().skip(from as usize - 1).take((to - from) as usize + 1).collect();
            let is_whole = taken.len() > (to - from) as usize;
            is_whole
                .then(|| taken.join("\n").into())
                .ok_or_else(|| format!("{file} has no lines {from} to {to}"))
        }
        TextPart::Match(regex) => {
            let most = if of.take == TextTake::First { 1 } else { usize::MAX };
            let mut found = matches(file, bytes, &regex, most)?;
            let mut seen = HashSet::new();
            found.retain(|value| seen.insert(value.clone()));
            Ok(if found.len() == 1 { found.swap_remove(0) } else { found.into() })
        }
        TextPart::Section(title) => section(&readable(file, bytes)?, title)
            .map(Value::from)
            .ok_or_else(|| format!("{file} has no heading {title:?}")),
    }
}

/// The matches of a pattern of which only the first one is read; the error is the reason why there is nothing.
pub fn choice(of: &TextOf, bytes: &[u8]) -> Result<Vec<Value>, String> {
    match of.part()? {
        TextPart::Match(regex) if of.take == TextTake::First => {
            matches(&of.file, bytes, &regex, usize::MAX)
        }
        _ => Ok(Vec::new()),
    }
}

/// At least one match and `most` at most; the error is the reason why there is none.
pub fn matches(file: &str, bytes: &[u8], regex: &Regex, most: usize) -> Result<Vec<Value>, String> {
    let found: Vec<Value> = all(regex, readable(file, bytes)?.as_bytes()).take(most).collect();
    if found.is_empty() { Err(format!("nothing in {file} matches")) } else { Ok(found) }
}

fn readable<'b>(file: &str, bytes: &'b [u8]) -> Result<Cow<'b, str>, String> {
    if bytes.iter().take(HEAD).any(|&byte| byte == 0) {
        return Err(format!("{file} is not text"));
    }
    Ok(String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)))
}

/// The text under a heading in Markdown, up to the next heading of the same or a higher level.
fn section(text: &str, title: &str) -> Option<String> {
    let mut level = None;
    let mut taken = Vec::new();
    let lines = lines_and_code(text, &['`', '~']);
    let mut rest = lines.iter().peekable();
    while let Some((line, is_code)) = rest.next() {
        let row = rest.next_if(|(row, is_code)| !is_code && underlined(line, row).is_some());
        let heading = row.and_then(|(row, _)| underlined(line, row)).or_else(|| heading(line));
        match (level, heading.filter(|_| !is_code)) {
            (None, Some((depth, text))) if text == title => level = Some(depth),
            (Some(within), Some((depth, _))) if depth <= within => break,
            (Some(_), _) => {
                taken.extend([line].into_iter().chain(row.map(|(row, _)| row)).copied());
            }
            (None, _) => {}
        }
    }
    level.map(|_| taken.join("\n").trim().to_owned())
}

/// The level and the text of a line that a row of `=` or `-` below it makes a heading.
fn underlined<'l>(line: &'l str, row: &str) -> Option<(usize, &'l str)> {
    // Below an item of a list, a quotation, a table or code, a row is a rule.
    let is_text = line.starts_with(|first: char| {
        !first.is_whitespace() && !"#-*+>|=_`~0123456789".contains(first)
    });
    let (text, row) = (line.trim(), row.trim_end());
    let is_of = |mark: char| row.len() > 2 && row.chars().all(|one| one == mark);
    let level = if is_of('=') { 1 } else { 2 };
    (is_text && (is_of('=') || is_of('-'))).then_some((level, text))
}

/// The lines of a text, and whether each is code, between fences of some marks. They are paired line by line.
pub fn lines_and_code<'t>(text: &'t str, fences: &[char]) -> Vec<(&'t str, bool)> {
    let (mut open, mut lines) = ("", Vec::new());
    for line in text.lines() {
        let was_open = !open.is_empty();
        match fence_marks(line, fences) {
            Some((marks, after)) if !was_open && !after.contains('`') => open = marks,
            Some((marks, "")) if was_open && marks.starts_with(open) => open = "",
            _ => {}
        }
        lines.push((line, was_open || !open.is_empty()));
    }
    lines
}

/// The fence that begins or ends a block of code, perhaps in a quotation, and the text after it.
fn fence_marks<'l>(line: &'l str, fences: &[char]) -> Option<(&'l str, &'l str)> {
    let line = line.trim_start_matches(['>', ' ', '\t']).trim_end();
    let after = line.trim_start_matches(line.chars().next().filter(|mark| fences.contains(mark))?);
    let (marks, after) = line.split_at(line.len() - after.len());
    (marks.len() >= 3).then_some((marks, after))
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    let is_heading = (1..=6).contains(&level) && text.starts_with([' ', '\t']);
    let text = text.trim();
    // Closing marks are separated by a space; the one of `C#` is a part of its text.
    let open = text.trim_end_matches('#');
    let is_closed = open.is_empty() || open.ends_with([' ', '\t']);
    let text = if is_closed { open.trim_end() } else { text };
    is_heading.then_some((level, text))
}
