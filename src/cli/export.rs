use clap::Args;
use serde::Serialize;

use super::{CommandResult, Context, complete, kinds::KindArgs};
use crate::{
    entry::{Event, Kind, harden, hardened_json},
    project::Range,
};

/// Print the log as JSON Lines, oldest first, in the format of the original `rederive_log.jsonl`
#[derive(Args)]
pub struct ExportArgs {
    /// Print only the keys of the original format
    #[arg(long, conflicts_with = "kind")]
    strict_v1: bool,
    #[command(flatten)]
    kinds: KindArgs,
    /// Export the history of this commit instead of HEAD
    #[arg(long, value_name = "REV", add = complete::revisions())]
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
        let project = context.project(self.tip.as_deref())?;
        let timeline = project.timeline()?;
        let mut rows = project.rows(Range::Tip(&timeline), |row| self.kinds.has(row.kind));
        rows.reverse();
        for (_, line) in project.lines(timeline.events.clone(), &rows) {
            let line = if self.strict_v1 { original(&line) } else { line };
            let line = harden(&String::from_utf8_lossy(&line));
            if !context.print(&format!("{line}\n")) {
                break;
            }
        }
        Ok(context.note_unknown(&timeline.unknown_texts()))
    }
}

fn original(line: &[u8]) -> Vec<u8> {
    let Some((envelope, answers)) = Event::answers(line) else {
        return Vec::new();
    };
    let ts = envelope.ts.as_str();
    let results = answers.iter().map(|result| OriginalResult {
        q_id: &result.q_id,
        last_rederived_ts: result.last_rederived_ts.as_deref().unwrap_or(ts),
        delta: result.delta,
        note: result.note.as_deref(),
    });
    hardened_json(&OriginalEntry {
        ts,
        kind: Kind::Rederive,
        sid: &envelope.sid,
        repo_head_sha: &envelope.repo_head_sha,
        results: results.collect(),
    })
}
