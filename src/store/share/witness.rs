//! Compares a log with its state when it was last seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::git::Oid;

/// Tampering with the log of a remote, which otherwise only grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tampering {
    /// The log was set back to an earlier state.
    Rewound,
    /// The log was deleted.
    Deleted,
    /// The log was replaced by another history.
    Replaced,
}

impl Tampering {
    /// What happened to the log, and what this program did, for the end of a sentence about it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Rewound => "was set back to an earlier state; it was restored",
            Self::Deleted => "was deleted; it got back what this clone has; others may have more",
            Self::Replaced => {
                "was replaced by one with another history; it got back what this clone has, except what was redacted; others may have more"
            }
        }
    }
}

/// The commit to build on, and the tampering, from the log as just fetched (`there`) and the tip seen before (`seen`).
pub fn judge(
    seen: Option<Oid>,
    there: Option<Oid>,
    is_ancestor: impl Fn(Oid, Oid) -> bool,
) -> (Option<Oid>, Option<Tampering>) {
    match (seen, there) {
        (None, _) => (there, None),
        (Some(_), None) => (seen, Some(Tampering::Deleted)),
        (Some(seen), Some(there)) if is_ancestor(seen, there) => (Some(there), None),
        (Some(seen), Some(there)) if is_ancestor(there, seen) => {
            (Some(seen), Some(Tampering::Rewound))
        }
        (Some(_), Some(_)) => (there, Some(Tampering::Replaced)),
    }
}
