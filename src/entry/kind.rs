//! The kinds of entries.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The value of `kind`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Rederive,
    Carry,
    State,
    Alert,
    Session,
    #[serde(rename = "tension.open")]
    TensionOpen,
    #[serde(rename = "tension.close")]
    TensionClose,
    Verdict,
    Second,
    Redact,
    /// A kind that this program does not know.
    #[default]
    #[serde(other)]
    Unknown,
}

impl Kind {
    /// Returns true for kinds that sessions, states, tensions, verdicts and second looks are made of.
    pub fn is_of_sessions(self) -> bool {
        match self {
            Self::State
            | Self::Alert
            | Self::Session
            | Self::TensionOpen
            | Self::TensionClose
            | Self::Verdict
            | Self::Second => true,
            Self::Rederive | Self::Carry | Self::Redact | Self::Unknown => false,
        }
    }

    /// The kind of a line, even if the rest of it can't be read.
    pub fn of_line(line: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Discriminator {
            kind: Kind,
        }
        serde_json::from_slice::<Discriminator>(line).ok().map(|line| line.kind)
    }
}
