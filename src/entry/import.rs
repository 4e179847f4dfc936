//! A line of an original `rederive_log.jsonl` into a line of this log: values kept, origin and a stable id added.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
};

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{Error as _, MapAccess, SeqAccess, Visitor},
};
use serde_json::{Map, Value, value::RawValue};
use sha2::{Digest, Sha256};

use super::{Body, Envelope, Event, Kind, Line, NotALine, Origin, Ts, entry_id, harden};

/// A line that can be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    pub ts: Ts,
    pub id: String,
    /// The commit it names, perhaps abbreviated.
    pub head: String,
    pub line: Line,
}

/// Why a line cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotImported {
    /// It is of another kind than `rederive`; the original readers skip those as well.
    OtherKind(String),
    /// What is wrong with it.
    Invalid(String),
}

#[derive(Deserialize)]
struct OriginalEntry {
    ts: String,
    sid: String,
    repo_head_sha: String,
    results: Vec<Map<String, Value>>,
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

/// Reads line `number` (from 1) of a file whose digest is `file`, and writes it for this log.
///
/// The id is made of the time, the line's number and a digest of the line, so that ties keep the file's order and an
/// import of the same file, or of the same file grown, finds what it brought before.
///
/// # Errors
/// Why it can't be imported.
pub fn import_line(
    text: &str,
    number: u64,
    file: &str,
    at: &Ts,
    tool: &str,
) -> Result<Imported, NotImported> {
    let invalid = |message: String| NotImported::Invalid(message);
    let value: Value =
        serde_json::from_str(text).map_err(|error| invalid(format!("invalid JSON: {error}")))?;
    let kind = match value.get("kind") {
        Some(Value::String(kind)) => kind.clone(),
        _ => return Err(invalid("missing `kind`".into())),
    };
    if kind != "rederive" {
        return Err(NotImported::OtherKind(kind));
    }
    serde_json::from_str::<UniqueKeys>(text).map_err(|error| invalid(error.to_string()))?;
    let original: OriginalEntry =
        serde_json::from_value(value).map_err(|error| invalid(error.to_string()))?;
    let mut rest = as_written(text).map_err(|error| invalid(format!("invalid JSON: {error}")))?;
    for key in ["ts", "kind", "sid", "repo_head_sha"] {
        rest.remove(key);
    }
    let Some(results) = rest.remove("results") else {
        return Err(invalid("missing `results`".into()));
    };
    for key in [
        "id", "v", "tool", "agent", "by", "writer", "n", "prev", "seen", "store", "head", "origin",
    ] {
        if rest.contains_key(key) {
            return Err(invalid(format!(
                "unexpected `{key}`: not a key of the original format"
            )));
        }
    }
    let ts = Ts::parse(&original.ts).ok_or_else(|| {
        invalid(format!(
            "invalid `ts` {:?}: expected a time with an offset",
            original.ts
        ))
    })?;
    if original.sid.is_empty() {
        return Err(invalid("`sid` is empty".into()));
    }
    let head = original.repo_head_sha;
    if !(7..=64).contains(&head.len())
        || !head.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    {
        return Err(invalid(format!(
            "invalid `repo_head_sha` {head:?}: expected a commit id"
        )));
    }
    check_results(&original.results).map_err(invalid)?;

    let digest = Sha256::digest(text.as_bytes());
    let mut unique = [0; 16];
    unique[6..9].copy_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes()[1..]);
    unique[9..].copy_from_slice(&digest[..7]);
    let id = entry_id(ts.timestamp(), u128::from_be_bytes(unique));
    let entry = ImportedEntry {
        envelope: Envelope {
            ts,
            kind: Kind::Rederive,
            id: id.as_str().into(),
            sid: original.sid.into(),
            repo_head_sha: head.as_str().into(),
            v: 1,
            tool: tool.into(),
            agent: None,
            by: None,
            writer: None,
            n: None,
            prev: None,
            seen: None,
            store: None,
            head: None,
            origin: Some(Origin {
                file: file.into(),
                line: number,
                at: at.as_str().into(),
            }),
        },
        results,
        rest,
    };
    let line = Line::of(&entry)
        .map_err(|NotALine::TooLong(length)| invalid(format!("too long: {length} bytes")))?;
    match Event::parse(line.as_bytes()).map_err(invalid)?.body {
        Body::Rederive(_) => {}
        _ => return Err(invalid("not a valid entry".into())),
    }
    Ok(Imported { ts, id, head, line })
}

/// An object's values as they are written, but for characters that steer a terminal.
fn as_written(object: &str) -> serde_json::Result<BTreeMap<String, Box<RawValue>>> {
    let values: BTreeMap<String, &RawValue> = serde_json::from_str(object)?;
    values
        .into_iter()
        .map(|(key, value)| Ok((key, RawValue::from_string(harden(value.get()))?)))
        .collect()
}

/// Any JSON in which no object has a key twice; readers differ in which of the two they take.
struct UniqueKeys;

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some((key, Self)) = members.next_entry::<String, Self>()? {
            if keys.contains(&key) {
                return Err(A::Error::custom(format!("duplicate key {key:?}")));
            }
            keys.insert(key);
        }
        Ok(self)
    }
}

/// The most characters of a question's id, here as in a question store.
const LONGEST_ID: usize = 64;

fn check_results(results: &[Map<String, Value>]) -> Result<(), String> {
    if results.is_empty() {
        return Err("`results` is empty".into());
    }
    for (index, result) in results.iter().enumerate() {
        let place = format!("results[{index}]");
        match result.get("q_id") {
            Some(Value::String(id)) if id.chars().count() > LONGEST_ID => {
                return Err(format!(
                    "{place}: `q_id` has more than {LONGEST_ID} characters"
                ));
            }
            Some(Value::String(id)) if !id.is_empty() => {}
            _ => return Err(format!("{place}: missing `q_id`")),
        }
        match result.get("last_rederived_ts") {
            Some(Value::String(ts)) if Ts::parse(ts).is_some() => {}
            _ => return Err(format!("{place}: `last_rederived_ts` is not a time")),
        }
        if !result.get("delta").is_some_and(Value::is_boolean) {
            return Err(format!("{place}: `delta` is not true or false"));
        }
        if result.get("note").is_some_and(|note| !note.is_string()) {
            return Err(format!("{place}: `note` is not a string"));
        }
        let is_version =
            |version: &Value| version.as_u64().is_some_and(|v| u32::try_from(v).is_ok());
        if result.get("q_version").is_some_and(|v| !is_version(v)) {
            return Err(format!("{place}: `q_version` is not a version number"));
        }
    }
    Ok(())
}
