//! The report of `sync`, remote by remote.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Output, Style, count, escape};
use crate::store::Synced;

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
    pub done: Option<Synced>,
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
