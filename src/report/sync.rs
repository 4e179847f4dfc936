//! The report of `sync`, remote by remote.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Output, Style, count, escape};
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

/// What was fetched and pushed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SyncDone {
    /// Lines that were new to this clone.
    pub came: usize,
    /// Lines that were new to the remote.
    pub went: usize,
    /// Whether they went into this clone's inbox, because others kept updating the log.
    pub inbox: bool,
    /// Inboxes that were deleted on the remote, because its log now has their lines.
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

impl Output for SyncReport {
    const SCHEMA: &'static str = "sq.sync/v1";

    fn text(&self, _: Style) -> String {
        let lines = self.remotes.iter().filter_map(|remote| {
            let done = remote.done.as_ref()?;
            let name = escape(&remote.name);
            let (came, went) = (lines(done.came), lines(done.went));
            let inbox = if done.inbox {
                " (into this clone's inbox, which the next sync empties)"
            } else {
                ""
            };
            let cleared = match done.inboxes_cleared {
                0 => String::new(),
                1 => "; 1 inbox cleared".into(),
                more => format!("; {more} inboxes cleared"),
            };
            Some(format!(
                "{name}: {came} came, {went} went{inbox}{cleared}\n"
            ))
        });
        lines.collect()
    }
}

fn lines(number: usize) -> String {
    match number {
        0 => "nothing".into(),
        number => count(number, "line"),
    }
}
