//! Converts the lines of an original `rederive_log.jsonl`: values are kept as they are written, origin and a stable id are added.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::{
    Answer, Body, Envelope, Event, Kind, Line, Origin, TOOL, TooLong, Ts, entry_id, harden,
};

#[derive(Debug, Default)]
pub struct ImportedFile {
    pub lines: Vec<Imported>,
    /// Lines of other kinds than `rederive`; the original scripts skip them, too.
    pub other_kinds: usize,
    /// Lines that can't be imported, with their numbers and the reasons.
    pub bad: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub ts: Ts,
    pub id: String,
    /// Its number in the file.
    pub number: u64,
    pub head: String,
    pub line: Line,
    /// True if keys that mean something else in this log were left out.
    pub is_stripped: bool,
}

const OURS: [&str; 10] = ["id", "v", "tool", "agent", "by", "n", "prev", "seen", "store", "head"];

/// Reads a file; `file` is its digest, or that of the file that it grew from.
pub fn import_file(bytes: &[u8], file: &str, at: &Ts) -> ImportedFile {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let (mut found, mut equal) = (ImportedFile::default(), HashMap::new());
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let origin = Origin { file: file.into(), line: number, at: at.as_str().into() };
        let place = equal.entry(line).and_modify(|place| *place += 1).or_insert(1);
        let text = str::from_utf8(line).map_err(|_| "invalid UTF-8".to_owned());
        match text.and_then(|text| import_line(text, *place, origin)) {
            Ok(Some(line)) => found.lines.push(line),
            Ok(None) => found.other_kinds += 1,
            Err(why) => found.bad.push(format!("line {number}: {why}")),
        }
    }
    found
}

#[derive(Serialize)]
struct ImportedEntry<'l> {
    #[serde(flatten)]
    envelope: Envelope<'l>,
    // Exactly as in the original: numbers of any precision, keys in their order.
    results: Box<RawValue>,
    #[serde(flatten)]
    rest: BTreeMap<String, Box<RawValue>>,
}

/// `None` for a line of another kind.
///
/// The id is made of the time, a digest of the line, and its place among equal lines, so that a repeated import of the same
/// file, or of one that git merged, finds the lines that are there.
fn import_line(text: &str, place: u32, origin: Origin) -> Result<Option<Imported>, String> {
    let invalid = |error: serde_json::Error| format!("invalid JSON: {error}");
    // The last one of duplicate keys counts, as in Python.
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(invalid)?;
    let kind = members.remove("kind");
    if kind.is_none_or(|kind| kind.get() != "\"rederive\"") {
        return Ok(None);
    }
    for key in ["writer", "origin"] {
        if members.contains_key(key) {
            return Err(format!(
                "unexpected `{key}`: not a key of the original format (see `git sq export --strict-v1`)"
            ));
        }
    }
    let is_stripped = OURS.iter().filter(|key| members.remove(**key).is_some()).count() > 0;
    let mut string = |key: &str| {
        let text = members.remove(key);
        let text = text.and_then(|text| serde_json::from_str::<String>(text.get()).ok());
        text.filter(|text| !text.is_empty())
            .ok_or_else(|| format!("`{key}` is missing, empty or not a string"))
    };
    let (time, sid, head) = (string("ts")?, string("sid")?, string("repo_head_sha")?);
    let ts = Ts::parse(&time)
        .or_else(|| Ts::parse_as_utc(&time))
        .ok_or_else(|| format!("`ts` is not a time: {time:?}"))?;
    let results = members.remove("results").map_or("[]", RawValue::get);
    check_results(results)?;
    let rest = members.iter().map(|(key, value)| Ok((key.clone(), raw(value.get())?)));
    let (id, number) = (line_id(ts, place, text), origin.line);
    let entry = ImportedEntry {
        envelope: Envelope {
            ts,
            kind: Kind::Rederive,
            id: id.as_str().into(),
            sid: sid.into(),
            repo_head_sha: head.as_str().into(),
            v: 1,
            tool: TOOL.into(),
            origin: Some(origin),
            ..Envelope::default()
        },
        results: raw(results).map_err(invalid)?,
        rest: rest.collect::<serde_json::Result<_>>().map_err(invalid)?,
    };
    let line = Line::of(&entry).map_err(|TooLong(length)| format!("too long: {length} bytes"))?;
    match Event::parse(line.as_bytes())?.body {
        Body::Rederive(_) => {}
        _ => return Err("not a valid entry".into()),
    }
    Ok(Some(Imported { ts, id, number, head, line, is_stripped }))
}

fn line_id(ts: Ts, place: u32, text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let mut unique = [0; 16];
    unique[6..9].copy_from_slice(&place.to_be_bytes()[1..]);
    unique[9..].copy_from_slice(&digest[..7]);
    entry_id(ts.timestamp(), u128::from_be_bytes(unique))
}

fn check_results(text: &str) -> Result<(), String> {
    let items: Vec<&RawValue> =
        serde_json::from_str(text).map_err(|_| "`results` is not a list".to_owned())?;
    for (place, item) in items.into_iter().enumerate() {
        let why = match Answer::deserialize(&mut serde_json::Deserializer::from_str(item.get())) {
            Ok(answer) if answer.q_id.is_empty() => "`q_id` is empty".to_owned(),
            Ok(_) => continue,
            Err(error) => error.to_string(),
        };
        return Err(format!("results[{place}]: {why}"));
    }
    Ok(())
}

/// A value without invisible characters.
fn raw(json: &str) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(harden(json))
}
