//! The lines of an original `rederive_log.jsonl` into lines of this log: what its own scripts accept is accepted, values
//! are kept, origin and a stable id are added.

use std::{collections::BTreeMap, fmt};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Value, value::RawValue};
use sha2::{Digest, Sha256};

use super::{Body, Envelope, Event, Kind, Line, NotALine, Origin, TOOL, Ts, entry_id, harden};

/// What became of a file.
#[derive(Debug, Default)]
pub struct ImportedFile {
    pub lines: Vec<Imported>,
    /// Lines of other kinds than `rederive`; the original scripts skip those as well.
    pub other_kinds: usize,
    /// Why lines can't be imported, with their numbers.
    pub bad: Vec<String>,
}

/// A line that can be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub ts: Ts,
    pub id: String,
    /// The commit it names, perhaps abbreviated.
    pub head: String,
    pub line: Line,
    pub mended: Mended,
}

/// What could not stay as it was.
#[expect(clippy::struct_excessive_bools, reason = "each is counted by itself")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Mended {
    /// Its time has no offset, and was taken as UTC.
    pub without_offset: bool,
    /// It has no time that can be read, and has that of the line before it.
    pub without_time: bool,
    /// Names or notes were too long.
    pub is_cut: bool,
    /// Keys that mean something else in this log were left out.
    pub is_stripped: bool,
}

/// The most characters of a question's id, here as in a question store.
const LONGEST_ID: usize = 64;
/// The most characters of a session's name.
const LONGEST_SID: usize = 128;
/// Stands for a commit that a line does not name.
const NO_HEAD: &str = "0000000";

/// Keys of this log that are none of the original format.
const OURS: [&str; 10] = [
    "id", "v", "tool", "agent", "by", "n", "prev", "seen", "store", "head",
];

/// Reads a file; `file` is its digest, or that of the file that it grew from.
pub fn import_file(bytes: &[u8], file: &str, at: &Ts) -> ImportedFile {
    let mut found = ImportedFile::default();
    let mut before = Ts::from_millis(0);
    let mut heads: BTreeMap<String, String> = BTreeMap::new();
    for (number, line) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        let origin = Origin {
            file: file.into(),
            line: number,
            at: at.as_str().into(),
        };
        let text = str::from_utf8(line).map_err(|_| "invalid UTF-8".to_owned());
        match text.and_then(|text| import_line(text, &origin, before, &mut heads)) {
            Ok(Some(line)) => {
                before = line.ts;
                found.lines.push(line);
            }
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
    // As they stand in the original: numbers of any precision, keys in their order.
    results: Box<RawValue>,
    #[serde(flatten)]
    rest: BTreeMap<String, Box<RawValue>>,
}

/// One line; None where it is of another kind.
///
/// The id is made of the time, the line's number and a digest of the line, so that an import of the same file, or of the
/// same file grown, finds what it brought before.
fn import_line(
    text: &str,
    origin: &Origin,
    before: Ts,
    heads: &mut BTreeMap<String, String>,
) -> Result<Option<Imported>, String> {
    let invalid = |error: serde_json::Error| format!("invalid JSON: {error}");
    let mut members: Members = serde_json::from_str(text).map_err(invalid)?;
    if members.take("kind").and_then(string).as_deref() != Some("rederive") {
        return Ok(None);
    }
    for key in ["writer", "origin"] {
        if members.take(key).is_some() {
            return Err(format!(
                "unexpected `{key}`: not a key of the original format (see `git sq export --strict-v1`)"
            ));
        }
    }
    let mut mended = Mended::default();
    for key in OURS {
        mended.is_stripped |= members.take(key).is_some();
    }
    let ts = time(members.take("ts"), before, &mut mended);
    let sid = short(&name(members.take("sid")), LONGEST_SID, &mut mended);
    // One that names no commit is where its session was.
    let head = match members.take("repo_head_sha") {
        Some(head) if !is_null(head) => name(Some(head)),
        Some(_) => NO_HEAD.to_owned(),
        None => heads
            .get(&sid)
            .cloned()
            .unwrap_or_else(|| NO_HEAD.to_owned()),
    };
    heads.insert(sid.clone(), head.clone());
    let results = members.take("results");
    let rest = members.0.iter();
    let rest = rest.map(|(key, value)| Ok((key.clone(), raw(value.get())?)));
    let rest: BTreeMap<_, _> = rest.collect::<serde_json::Result<_>>().map_err(invalid)?;
    let id = line_id(ts, origin.line, text);
    let mut longest = usize::MAX;
    let line = loop {
        let entry = ImportedEntry {
            envelope: Envelope {
                ts,
                kind: Kind::Rederive,
                id: id.as_str().into(),
                sid: sid.as_str().into(),
                repo_head_sha: head.as_str().into(),
                v: 1,
                tool: TOOL.into(),
                agent: None,
                by: None,
                writer: None,
                n: None,
                prev: None,
                seen: None,
                store: None,
                head: None,
                origin: Some(origin.clone()),
            },
            results: results_of(results, longest, &mut mended)?,
            rest: rest.clone(),
        };
        match Line::of(&entry) {
            Ok(line) => break line,
            Err(NotALine::TooLong(length)) if longest == 0 => {
                return Err(format!("too long: {length} bytes, also without its notes"));
            }
            // The longest notes suffer first.
            Err(_) => longest = longest.min(2 * super::MAX_LINE) / 2,
        }
    };
    match Event::parse(line.as_bytes())?.body {
        Body::Rederive(_) => {}
        _ => return Err("not a valid entry".into()),
    }
    Ok(Some(Imported {
        ts,
        id,
        head,
        line,
        mended,
    }))
}

fn line_id(ts: Ts, number: u64, text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let mut unique = [0; 16];
    unique[6..9].copy_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes()[1..]);
    unique[9..].copy_from_slice(&digest[..7]);
    entry_id(ts.timestamp(), u128::from_be_bytes(unique))
}

fn time(value: Option<&RawValue>, before: Ts, mended: &mut Mended) -> Ts {
    let text = value.and_then(string).unwrap_or_default();
    if let Some(ts) = Ts::parse(&text) {
        return ts;
    }
    let utc = Ts::parse_as_utc(&text);
    mended.without_offset |= utc.is_some();
    mended.without_time |= utc.is_none();
    utc.unwrap_or(before)
}

/// The results as they are written, but for what this log can't have.
fn results_of(
    results: Option<&RawValue>,
    longest: usize,
    mended: &mut Mended,
) -> Result<Box<RawValue>, String> {
    let text = results.map_or("[]", RawValue::get);
    let items: Vec<&RawValue> =
        serde_json::from_str(text).map_err(|_| "`results` is not a list".to_owned())?;
    let mut changed = false;
    let mut texts = Vec::new();
    for (place, item) in items.into_iter().enumerate() {
        let one = result(item.get(), longest, mended);
        let one = one.map_err(|why| format!("results[{place}]: {why}"))?;
        changed |= one.is_some();
        texts.push(one.unwrap_or_else(|| item.get().to_owned()));
    }
    let text = if changed {
        format!("[{}]", texts.join(","))
    } else {
        text.to_owned()
    };
    raw(&text).map_err(|error| format!("invalid JSON: {error}"))
}

/// One result where it can't stay as it is.
fn result(text: &str, longest: usize, mended: &mut Mended) -> Result<Option<String>, String> {
    let mut members: Members =
        serde_json::from_str(text).map_err(|error| format!("invalid JSON: {error}"))?;
    let mut changes: Vec<(&str, Option<Value>)> = Vec::new();
    let id = members.get("q_id").ok_or("missing `q_id`")?;
    let short_id = short(&name(Some(id)), LONGEST_ID, mended);
    if short_id.is_empty() {
        return Err("`q_id` is empty".into());
    }
    if string(id).as_ref() != Some(&short_id) {
        changes.push(("q_id", Some(short_id.into())));
    }
    if let Some(delta) = members.get("delta")
        && !matches!(delta.get(), "true" | "false")
    {
        changes.push(("delta", Some(is_true(delta).into())));
    }
    if let Some(note) = members.get("note").filter(|note| !is_null(note)) {
        let short_note = short(&name(Some(note)), longest, mended);
        if string(note).as_ref() != Some(&short_note) {
            changes.push(("note", Some(short_note.into())));
        }
    }
    let time = members.get("last_rederived_ts");
    if time.is_some_and(|time| string(time).is_none()) {
        changes.push(("last_rederived_ts", None));
    }
    let version = members.get("q_version");
    if version.is_some_and(|version| version.get().parse::<u32>().is_err()) {
        return Err("`q_version` is not a version number".into());
    }
    if changes.is_empty() && !members.1 {
        return Ok(None);
    }
    let changes: Vec<(&str, Option<Box<RawValue>>)> = changes
        .into_iter()
        .map(|(key, value)| (key, value.and_then(|value| raw(&value.to_string()).ok())))
        .collect();
    for (key, value) in &changes {
        members.set(key, value.as_deref());
    }
    serde_json::to_string(&members)
        .map(Some)
        .map_err(|error| format!("invalid JSON: {error}"))
}

/// A value without characters that steer a terminal.
fn raw(json: &str) -> serde_json::Result<Box<RawValue>> {
    RawValue::from_string(harden(json))
}

fn string(value: &RawValue) -> Option<String> {
    serde_json::from_str(value.get()).ok()
}

fn is_null(value: &RawValue) -> bool {
    value.get() == "null"
}

/// A name as it is or, of what is no string, as JSON has it.
fn name(value: Option<&RawValue>) -> String {
    let text = value.and_then(string).filter(|text| !text.is_empty());
    text.unwrap_or_else(|| value.map_or("null", RawValue::get).to_owned())
}

fn short(text: &str, longest: usize, mended: &mut Mended) -> String {
    let short: String = text.chars().take(longest).collect();
    mended.is_cut |= short.len() < text.len();
    short
}

/// Whether Python takes a value as true.
fn is_true(value: &RawValue) -> bool {
    match serde_json::from_str(value.get()) {
        Ok(Value::Null) => false,
        Ok(Value::Bool(is_true)) => is_true,
        Ok(Value::Number(number)) => number.as_f64() != Some(0.0),
        Ok(Value::String(text)) => !text.is_empty(),
        Ok(Value::Array(items)) => !items.is_empty(),
        Ok(Value::Object(members)) => !members.is_empty(),
        // A number of which only its size is too much.
        Err(_) => true,
    }
}

/// An object's values as they are written, in their order, and whether a key stood twice: the last one counts, as in
/// Python.
struct Members<'l>(Vec<(String, &'l RawValue)>, bool);

impl<'l> Members<'l> {
    fn get(&self, key: &str) -> Option<&'l RawValue> {
        let mut members = self.0.iter();
        members
            .find(|(name, _)| name == key)
            .map(|(_, value)| *value)
    }

    fn take(&mut self, key: &str) -> Option<&'l RawValue> {
        let place = self.0.iter().position(|(name, _)| name == key)?;
        Some(self.0.remove(place).1)
    }

    fn set(&mut self, key: &str, value: Option<&'l RawValue>) {
        match value {
            None => self.0.retain(|(name, _)| name != key),
            Some(value) => {
                let mut members = self.0.iter_mut();
                if let Some(member) = members.find(|(name, _)| name == key) {
                    member.1 = value;
                }
            }
        }
    }
}

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

impl<'de: 'l, 'l> Deserialize<'de> for Members<'l> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct InOrder;

        impl<'de> Visitor<'de> for InOrder {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
                let mut members = Members(Vec::new(), false);
                while let Some((key, value)) = map.next_entry::<String, &RawValue>()? {
                    members.1 |= members.take(&key).is_some();
                    members.0.push((key, value));
                }
                Ok(members)
            }
        }

        from.deserialize_map(InOrder)
    }
}
