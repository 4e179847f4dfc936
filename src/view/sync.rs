use std::collections::BTreeSet;

use serde::Serialize;

use super::{Output, Style, asides, entries, escape};
use crate::store::Synced;

#[derive(Debug, Clone, Default, Serialize)]
pub struct SyncReport {
    pub remotes: Vec<SyncedRemote>,
    /// Number of entries that a remote had and that the log lacks.
    pub missing: usize,
}

#[derive(Debug, Clone, Serialize)]
pub struct SyncedRemote {
    pub name: String,
    /// True if the remote has every entry that can be published now.
    pub complete: bool,
    /// Absent after an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub done: Option<Synced>,
}

impl Output for SyncReport {
    const SCHEMA: &'static str = "sq.sync/v1";

    fn text(&self, style: Style) -> String {
        let remotes = self.remotes.iter().filter_map(|remote| {
            let done = remote.done.as_ref()?;
            Some(remote_text(&escape(&remote.name), done))
        });
        let missing = (self.missing > 0).then(|| {
            let are = if self.missing == 1 { "is" } else { "are" };
            format!(
                "{} {are} missing from the log: `git sq doctor --fix` puts back what this clone knows of",
                entries(self.missing)
            )
        });
        remotes.collect::<String>() + &asides(missing.as_slice(), &[], style)
    }
}

fn remote_text(name: &str, done: &Synced) -> String {
    let moved: Vec<String> = [(done.came, "fetched"), (done.went, "published")]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, verb)| format!("{} {verb}", entries(number)))
        .collect();
    let news = if moved.is_empty() { "up to date".to_owned() } else { moved.join(", ") };
    let mut text = format!("{name}: {news}\n");
    if let Some(tampering) = done.tampering {
        text += &format!("{name}: the log {}\n", tampering.words());
    }
    if done.waiting > 0 {
        let waiting = waiting_text(done.waiting, &done.branches);
        text += &format!("  {waiting}\n");
    }
    text
}

pub fn waiting_text(number: usize, branches: &BTreeSet<String>) -> String {
    let (wait, their) = match number {
        1 => ("waits", "its"),
        _ => ("wait", "their"),
    };
    let branches: Vec<String> = branches.iter().map(|name| escape(name)).collect();
    let on = match branches.as_slice() {
        [] => String::new(),
        names => format!(": {}", names.join(", ")),
    };
    format!("{} {wait} for {their} work to be pushed{on}", entries(number))
}
