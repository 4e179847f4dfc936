//! `git sq export`: the log as JSON Lines that the original scripts read.

use std::io::{self, IsTerminal as _};

use clap::Args;
use serde::Serialize;

use super::{
    CommandResult, Context,
    log::{note_unknown, unknown_texts},
    view::View,
};
use crate::{
    entry::{Kind, hardened_json},
    report::escape,
    timeline::PlacedEntry,
};

/// Print the log as JSON Lines, oldest first, as the original `rederive_log.jsonl`
#[derive(Args)]
pub struct ExportArgs {
    /// Exactly the keys of an original entry, and nothing else
    #[arg(long)]
    strict_v1: bool,
    /// The commit whose history is exported, in place of HEAD
    #[arg(long, value_name = "REV")]
    tip: Option<String>,
}

#[derive(Serialize)]
struct OriginalEntry<'a> {
    ts: &'a str,
    kind: Kind,
    sid: &'a str,
    repo_head_sha: &'a str,
    results: Vec<OriginalResult<'a>>,
}

#[derive(Serialize)]
struct OriginalResult<'a> {
    q_id: &'a str,
    last_rederived_ts: &'a str,
    delta: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

impl ExportArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let view = View::open(context, self.tip.as_deref())?;
        let (mut text, unknown) = view.with_timeline(true, |timeline| {
            let mut text = String::new();
            for placed in &timeline.entries {
                if self.strict_v1 {
                    text.push_str(&String::from_utf8_lossy(&original(placed)));
                } else {
                    text.push_str(&String::from_utf8_lossy(placed.line));
                }
                text.push('\n');
            }
            (text, unknown_texts(timeline))
        })?;
        // A program gets the lines as they are; a terminal must not obey them.
        if io::stdout().is_terminal() {
            text = text.lines().map(|line| escape(line) + "\n").collect();
        }
        context.print(&text);
        Ok(note_unknown(context, &unknown))
    }
}

fn original(placed: &PlacedEntry) -> Vec<u8> {
    let entry = &placed.entry;
    let ts = entry.ts.as_str();
    let results = entry.results.iter().map(|result| OriginalResult {
        q_id: &result.q_id,
        last_rederived_ts: result.last_rederived_ts.as_deref().unwrap_or(ts),
        delta: result.delta,
        note: result.note.as_deref(),
    });
    hardened_json(&OriginalEntry {
        ts,
        kind: Kind::Rederive,
        sid: &entry.sid,
        repo_head_sha: &entry.head,
        results: results.collect(),
    })
}
