//! When a line of any kind says that it was written, and by whom.

use serde::{Deserialize, de::IgnoredAny};

use super::Ts;

/// The time and the session of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    pub ts: Ts,
    pub sid: String,
    /// The clone; with `sid`, the session's identity.
    pub writer: Option<String>,
    /// Nobody here vouches for its time.
    pub imported: bool,
}

/// Reads the stamp of a line; None where it has no time or no session that can be read.
pub fn stamp(line: &[u8]) -> Option<Stamp> {
    #[derive(Deserialize)]
    struct Raw {
        ts: String,
        sid: String,
        #[serde(default)]
        writer: Option<String>,
        #[serde(default)]
        origin: Option<IgnoredAny>,
    }
    let raw: Raw = serde_json::from_slice(line).ok()?;
    Some(Stamp {
        ts: Ts::parse(&raw.ts)?,
        sid: raw.sid,
        writer: raw.writer,
        imported: raw.origin.is_some(),
    })
}

/// The time of a line, read without the rest of it where it stands in its place at the beginning.
pub fn time_of(line: &[u8]) -> Option<Ts> {
    const BEFORE: &[u8] = b"{\"ts\":\"";
    let text = line.strip_prefix(BEFORE).and_then(|rest| {
        let (text, rest) = rest.split_at_checked(Ts::WIDTH)?;
        str::from_utf8(text)
            .ok()
            .filter(|_| rest.first() == Some(&b'"'))
    });
    match text {
        Some(text) => Ts::parse(text),
        None => stamp(line).map(|stamp| stamp.ts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_the_same_read_alone_and_with_the_rest() {
        for line in [
            &br#"{"ts":"2026-11-21T20:46:01.123Z","kind":"x","sid":"s01"}"#[..],
            br#"{"ts":"2026-11-21T21:46:01.123+01:00","sid":"s01"}"#,
            br#"{"sid":"s01","ts":"2026-11-21T20:46:01.123999Z","writer":"w","origin":{}}"#,
        ] {
            let stamp = stamp(line).unwrap();
            assert_eq!(stamp.ts.as_str(), "2026-11-21T20:46:01.123Z");
            assert_eq!(time_of(line), Some(stamp.ts));
            assert_eq!(stamp.imported, stamp.writer.is_some());
        }
        for line in [&b"{\"ts\":\""[..], b"{}", b"{\"ts\":\"\xff", b"\xff"] {
            assert_eq!((stamp(line), time_of(line)), (None, None));
        }
    }
}
