//! The thresholds that a team sets in its question store.

use jiff::{SignedDuration, Span, SpanRelativeTo, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use ulid::Ulid;

use crate::entry::share;

/// Thresholds. Each may also be written with a dotted key, as in `"staleness.max": 5`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(extend("patternProperties" = {"^x-": true, "^[a-z]+\\.": true}))]
pub struct Settings {
    pub staleness: StalenessSettings,
    pub quiet: QuietSettings,
    pub flagged: FlaggedSettings,
    pub unasked: UnaskedSettings,
    pub unanswered: UnansweredSettings,
    pub second: SecondSettings,
    pub cite: CiteSettings,
    pub tension: TensionSettings,
    pub clock: ClockSettings,
    /// Ids of flagged entries that a person closed: from before the file of closings, as are `ignore_lines` and
    /// `quiet.accepted_through`.
    #[serde(deserialize_with = "entry_ids")]
    pub accepted: Vec<String>,
    /// Digests of unreadable lines of the log that a person has accepted.
    pub ignore_lines: Vec<String>,
}

/// Declares groups of settings, each with its default.
macro_rules! groups {
    ($($(#[$doc:meta])* $name:ident { $($(#[$meta:meta])* $key:ident: $type:ty = $default:expr,)* })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, deny_unknown_fields, expecting = "an object")]
        #[schemars(extend("patternProperties" = {"^x-": true}))]
        pub struct $name {
            $($(#[$meta])* pub $key: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $default,)* }
            }
        }
    )*};
}

groups! {
    /// Limits of staleness.
    StalenessSettings {
        /// A question is flagged when more sessions than this passed without it.
        max: u32 = 5,
    }

    /// Sessions that report no change while HEAD moves.
    QuietSettings {
        /// More quiet sessions in a row than this raise an alarm.
        max_run: u32 = 2,
        /// Runs that ended before this time no longer fail the gate.
        #[serde(deserialize_with = "time", skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String")]
        accepted_through: Option<Timestamp> = None,
    }

    /// Limits of flagged looks.
    FlaggedSettings {
        /// More of them than this that wait for an answer are an error; beside one, disputed questions count, too.
        max: u32 = 2,
    }

    /// Commits that change what questions watch while nobody answers.
    UnaskedSettings {
        /// More of them than this since the last answer, after 14 days, are an error on the default branch.
        max: u32 = 60,
    }

    /// Sessions that ended without an answer.
    UnansweredSettings {
        /// More of them in a row than this are an error.
        max_run: u32 = 2,
    }

    /// Second looks: somebody else derives a recorded answer again without seeing it.
    SecondSettings {
        /// Number of second looks that a session is asked for.
        per_session: u32 = 1,
    }

    /// Citations of lines as evidence.
    CiteSettings {
        /// The most lines that a citation may span without a match of the question's `lines` near its ends.
        max_lines: u32 = 40,
        /// The largest distance, in lines, of that match from each end of a longer citation.
        edge: u32 = 25,
    }

    /// The list of open questions.
    TensionSettings {
        /// The most tensions that may be open at once.
        cap: u32 = 50,
        /// Curiosity, 0 to 1, below which a tension expires.
        #[serde(deserialize_with = "share")]
        #[schemars(range(min = 0.0, max = 1.0))]
        floor: f64 = 0.3,
        /// The time that a tension below the floor stays open.
        #[serde(deserialize_with = "length")]
        #[schemars(with = "String")]
        ttl: SignedDuration = SignedDuration::from_hours(14 * 24),
        /// Intrusiveness, 0 to 1, from which on the person is asked at once.
        #[serde(deserialize_with = "share")]
        #[schemars(range(min = 0.0, max = 1.0))]
        gate: f64 = 0.6,
        /// The most tensions that a session may open.
        per_session: u32 = 10,
    }

    /// Clocks of different machines.
    ClockSettings {
        /// The largest error of a clock.
        #[serde(deserialize_with = "length")]
        #[schemars(with = "String")]
        tolerance: SignedDuration = SignedDuration::from_mins(5),
    }
}

fn length<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SignedDuration, D::Error> {
    duration(&String::deserialize(deserializer)?)
        .ok_or_else(|| D::Error::custom("expected a duration such as \"14d\" or \"5m\""))
}

fn time<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    match String::deserialize(deserializer)?.parse() {
        Ok(time) => Ok(Some(time)),
        Err(_) => Err(D::Error::custom("expected a time such as \"2026-11-21T12:00:00Z\"")),
    }
}

fn entry_ids<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let ids = Vec::<String>::deserialize(deserializer)?;
    let is_digest = |id: &String| id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if ids.iter().all(|id| Ulid::from_string(id).is_ok() || is_digest(id)) {
        return Ok(ids);
    }
    Err(D::Error::custom("expected ids of entries, as `git sq log --format json` lists them"))
}

/// A duration such as `14d`, `5m` or `1h 30m`; a day has 24 hours.
pub fn duration(text: &str) -> Option<SignedDuration> {
    let span: Span = text.parse().ok()?;
    let length = span.to_duration(SpanRelativeTo::days_are_24_hours()).ok()?;
    (!length.is_negative()).then_some(length)
}
