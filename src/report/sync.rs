//! The report of `sync`, remote by remote.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Output, Style, entries, escape};
use crate::store::{Synced, share::Tampering};

/// Result of `git sq sync`.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SyncReport {
    pub remotes: Vec<SyncedRemote>,
}

#[derive(Debug, Clone, Serialize)]
pub struct SyncedRemote {
    pub name: String,
    /// True if the remote has everything that it can have by now.
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
            Some(remote_text(&escape(&remote.name), done))
        });
        lines.collect()
    }
}

fn remote_text(name: &str, done: &Synced) -> String {
    let counts = [(done.came, "fetched"), (done.went, "published")];
    let moved = counts.into_iter().filter(|(number, _)| *number > 0);
    let moved: Vec<String> = moved
        .map(|(number, verb)| format!("{} {verb}", entries(number)))
        .collect();
    let moved = match moved.as_slice() {
        [] => "up to date".to_owned(),
        moved => moved.join(", "),
    };
    let mut text = format!("{name}: {moved}\n");
    if let Some(tampering) = done.tampering {
        text += &format!("{name}: {}\n", tampering_text(tampering));
    }
    if done.waiting > 0 {
        let waiting = waiting_text(done.waiting, &done.branches);
        text += &format!("  {waiting}\n");
    }
    text
}

/// What somebody did to the log of a remote, and what became of that.
pub fn tampering_text(tampering: Tampering) -> &'static str {
    match tampering {
        Tampering::Rewound => {
            "the log had been set back to an earlier state; it has everything again"
        }
        Tampering::Deleted => "the log had been deleted; it has everything again",
        Tampering::Replaced => {
            "the log had been replaced by one with another history; what it lacked was added"
        }
    }
}

/// Which entries stay in this clone for now, and why.
pub fn waiting_text(number: usize, branches: &BTreeSet<String>) -> String {
    let (wait, their) = match number {
        1 => ("waits", "its commit"),
        _ => ("wait", "their commits"),
    };
    let branches: Vec<String> = branches.iter().map(|name| escape(name)).collect();
    let on = match branches.as_slice() {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    };
    format!("{} {wait} for {their} to be pushed{on}", entries(number))
}
