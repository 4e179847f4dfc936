//! What a sync did, remote by remote.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::escape;
use crate::store::{Delivery, Synced};

/// What `git sq sync` did.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct SyncReport {
    pub remotes: Vec<SyncedRemote>,
}

/// What became of one remote.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SyncedRemote {
    pub name: String,
    /// Whether the remote has everything that this clone has.
    pub complete: bool,
    /// Absent where it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<SyncDone>,
}

/// What came and went.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SyncDone {
    /// Lines that this clone had not.
    pub came: usize,
    /// Lines that the remote had not.
    pub went: usize,
    /// Whether they went into this clone's inbox, because others kept moving the log.
    pub inbox: bool,
    /// Inboxes that were deleted on the remote, because its log has their lines now.
    pub inboxes_cleared: usize,
}

impl From<&Synced> for SyncDone {
    fn from(synced: &Synced) -> Self {
        Self {
            came: synced.came,
            went: synced.went,
            inbox: synced.delivery == Delivery::Inbox,
            inboxes_cleared: synced.inboxes,
        }
    }
}

/// A line a remote.
pub fn sync_text(report: &SyncReport) -> String {
    let mut out = String::new();
    for remote in &report.remotes {
        let Some(done) = &remote.done else {
            continue;
        };
        let count = |number: usize| match number {
            0 => "nothing".to_owned(),
            1 => "1 line".to_owned(),
            more => format!("{more} lines"),
        };
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "{}: {} came, {} went",
            escape(&remote.name),
            count(done.came),
            count(done.went)
        );
        if done.inbox {
            out.push_str(" (into this clone's inbox, which the next sync empties)");
        }
        match done.inboxes_cleared {
            0 => {}
            1 => out.push_str("; 1 inbox cleared"),
            more => {
                let _ = write!(out, "; {more} inboxes cleared");
            }
        }
        out.push('\n');
    }
    out
}
