//! Times and ids of entries: one fixed width, so that sorting lines sorts by time.

use std::fmt;

use jiff::{Timestamp, tz::TimeZone};
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use ulid::Ulid;

/// A time as the log writes it: UTC, milliseconds, `2026-11-21T20:46:01.123Z`. Orders by time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, schemars::JsonSchema)]
#[serde(transparent)]
pub struct Ts(#[schemars(regex(pattern = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"))] String);

impl Ts {
    /// The width of every timestamp, in bytes.
    pub const WIDTH: usize = "2026-11-21T20:46:01.123Z".len();

    /// Brings any time with an offset to the log's width; what is finer than a millisecond is cut.
    /// None where it is no time, or one outside the years 0 to 9999.
    pub fn parse(text: &str) -> Option<Self> {
        if is_our_width(text) {
            return Some(Self(text.to_owned()));
        }
        let time: Timestamp = text.parse().ok()?;
        let ts = Self::from(time);
        // Years before 0 have a sign, and some of them the same width.
        (ts.0.len() == Self::WIDTH && !ts.0.starts_with('-')).then_some(ts)
    }

    /// As written in the log.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The same instant to reckon with.
    pub fn timestamp(&self) -> Timestamp {
        self.0.parse().unwrap_or(Timestamp::UNIX_EPOCH)
    }
}

/// Refuses what is no time, so that nothing downstream meets one.
impl<'de> Deserialize<'de> for Ts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom(format!("{text:?} is no time")))
    }
}

impl From<Timestamp> for Ts {
    fn from(time: Timestamp) -> Self {
        let civil = time.to_zoned(TimeZone::UTC);
        Self(civil.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string())
    }
}

impl fmt::Display for Ts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether `text` is a plausible time of the log's own width; only its digits are looked at closely.
fn is_our_width(text: &str) -> bool {
    let bytes = text.as_bytes();
    let two = |at: usize| {
        (u32::from(bytes[at]).wrapping_sub(48)) * 10 + u32::from(bytes[at + 1]).wrapping_sub(48)
    };
    bytes.len() == Ts::WIDTH
        && b"dddd-dd-ddTdd:dd:dd.dddZ"
            .iter()
            .zip(bytes)
            .all(|(want, have)| match want {
                b'd' => have.is_ascii_digit(),
                _ => want == have,
            })
        && (1..=12).contains(&two(5))
        && (1..=28).contains(&two(8))
        && two(11) < 24
        && two(14) < 60
        && two(17) < 60
}

/// A new entry's id: a ULID of the time and 80 bits that the caller supplies.
pub fn entry_id(time: Timestamp, unique: u128) -> String {
    let milliseconds = u64::try_from(time.as_millisecond()).unwrap_or(0);
    Ulid::from_parts(milliseconds, unique).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_has_one_width() {
        for (text, want) in [
            ("2026-05-04T09:12:00Z", Some("2026-05-04T09:12:00.000Z")),
            (
                "2026-05-04T09:12:00.5+02:00",
                Some("2026-05-04T07:12:00.500Z"),
            ),
            (
                "2026-05-04T09:12:00.1239999Z",
                Some("2026-05-04T09:12:00.123Z"),
            ),
            ("2026-02-30T00:00:00.000Z", None),
            ("2026-05-04T09:12:00", None),
            ("yesterday", None),
            ("-000001-01-01T00:00:00Z", None),
            ("0000-01-01T00:00:00Z", Some("0000-01-01T00:00:00.000Z")),
            ("9999-12-31T23:59:59-23:00", None),
        ] {
            assert_eq!(Ts::parse(text).as_ref().map(Ts::as_str), want, "{text}");
        }
    }
}
