//! Times and ids of entries, both of a fixed width, so that sorting lines sorts by time.

use std::fmt;

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use ulid::Ulid;

/// A time as the log writes it: UTC, milliseconds, `2026-11-21T20:46:01.123Z`. Orders by time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
pub struct Ts(
    #[schemars(with = "String", regex(pattern = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"))]
    [u8; Ts::WIDTH],
);

impl Ts {
    /// In bytes.
    pub const WIDTH: usize = "2026-11-21T20:46:01.123Z".len();

    pub const MIN: Self = Self(*b"0000-01-01T00:00:00.000Z");

    /// Converts any time with an offset; fractions of a millisecond are cut off.
    /// `None` if it is not a time, or outside the years 0 to 9999.
    pub fn parse(text: &str) -> Option<Self> {
        if is_our_width(text) {
            return text.as_bytes().try_into().ok().map(Self);
        }
        Self::at(text.parse().ok()?)
    }

    /// Like `parse`, for a time without an offset, which is taken for UTC; a date alone is its midnight.
    pub fn parse_as_utc(text: &str) -> Option<Self> {
        let civil: DateTime = text.parse().ok()?;
        Self::at(civil.to_zoned(TimeZone::UTC).ok()?.timestamp())
    }

    /// `None` outside the years 0 to 9999.
    pub fn at(time: Timestamp) -> Option<Self> {
        let text = time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string();
        // Years before 0 have a sign, and some of them the same width.
        text.as_bytes().try_into().ok().map(Self).filter(|_| !text.starts_with('-'))
    }

    pub fn as_str(&self) -> &str {
        // The bytes are always ASCII.
        str::from_utf8(&self.0).unwrap_or_default()
    }

    pub fn timestamp(&self) -> Timestamp {
        self.as_str().parse().unwrap_or(Timestamp::UNIX_EPOCH)
    }

    /// `2026-11-21`.
    pub fn day(&self) -> &str {
        &self.as_str()[..10]
    }

    /// Since 1970.
    pub fn as_millis(&self) -> i64 {
        self.timestamp().as_millisecond()
    }

    /// Milliseconds since 1970; times that can't be written become the earliest one.
    pub fn from_millis(millis: i64) -> Self {
        Timestamp::from_millisecond(millis).ok().and_then(Self::at).unwrap_or(Self::MIN)
    }
}

impl Default for Ts {
    fn default() -> Self {
        Self::MIN
    }
}

impl From<Timestamp> for Ts {
    /// Times before the year 0 become the earliest time that can be written; there are none after the year 9999.
    fn from(time: Timestamp) -> Self {
        Self::at(time).unwrap_or(Self::MIN)
    }
}

impl fmt::Debug for Ts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Ts {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Ts {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Ts {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = super::Text::deserialize(from)?;
        Self::parse(&text).ok_or_else(|| D::Error::custom(format!("{:?} is not a time", &*text)))
    }
}

/// Returns true for a plausible time of the log's own width; checks little more than its digits.
fn is_our_width(text: &str) -> bool {
    let bytes = text.as_bytes();
    let two = |at: usize| {
        (u32::from(bytes[at]).wrapping_sub(48)) * 10 + u32::from(bytes[at + 1]).wrapping_sub(48)
    };
    bytes.len() == Ts::WIDTH
        && b"dddd-dd-ddTdd:dd:dd.dddZ".iter().zip(bytes).all(|(want, have)| match want {
            b'd' => have.is_ascii_digit(),
            _ => want == have,
        })
        && (1..=12).contains(&two(5))
        && (1..=28).contains(&two(8))
        && two(11) < 24
        && two(14) < 60
        && two(17) < 60
}

/// A ULID of the time and 80 bits that the caller supplies.
pub fn entry_id(time: Timestamp, unique: u128) -> String {
    let milliseconds = u64::try_from(time.as_millisecond()).unwrap_or(0);
    Ulid::from_parts(milliseconds, unique).to_string()
}
