//! The thresholds that a team sets for itself in the tracked store.

use jiff::{SignedDuration, Timestamp};

/// How stale a question may become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StalenessSettings {
    /// Sessions.
    pub max: u32,
}

/// How many sessions in a row may report no change while HEAD moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuietSettings {
    /// Sessions.
    pub max_run: u32,
    /// Runs that ended before it no longer fail the gate.
    pub accepted_through: Option<Timestamp>,
}

/// The ledger of open questions.
#[derive(Debug, Clone, PartialEq)]
pub struct TensionSettings {
    /// How many may be open at once.
    pub cap: u32,
    /// Curiosity, 0 to 1, under which a tension expires.
    pub floor: f64,
    pub ttl: SignedDuration,
    /// Intrusiveness, 0 to 1, from which on the person is asked now.
    pub gate: f64,
    /// How many a session may open.
    pub per_session: u32,
}

impl Eq for TensionSettings {}

/// All settings of a store; what the file leaves out has its default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    pub staleness: StalenessSettings,
    pub quiet: QuietSettings,
    pub tension: TensionSettings,
    /// How far a clock may be off.
    pub clock_tolerance: SignedDuration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            staleness: StalenessSettings { max: 5 },
            quiet: QuietSettings {
                max_run: 2,
                accepted_through: None,
            },
            tension: TensionSettings {
                cap: 50,
                floor: 0.3,
                ttl: SignedDuration::from_hours(14 * 24),
                gate: 0.6,
                per_session: 10,
            },
            clock_tolerance: SignedDuration::from_mins(5),
        }
    }
}
