//! What became of a log since it was last seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::git::Oid;

/// What somebody did to the log of a remote that only ever grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tampering {
    /// It was set back to an earlier state.
    Rewound,
    /// It was deleted.
    Deleted,
    /// It has another history.
    Replaced,
}

/// What to build on, and what somebody did: `there` is the log as it was just fetched, `seen` the last tip that was seen
/// before.
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
