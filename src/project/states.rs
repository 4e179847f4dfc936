//! The last states of sessions, seen from HEAD.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Serialize;

use super::Project;
use crate::{
    entry::{SessionEnd, State},
    evidence::{CitedRow, Cites},
    git::Oid,
    session::{RowSource, StateRow, events, last_rows, rows},
    store::{Events, Held},
};

/// One session's row.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StateReport {
    pub sid: String,
    pub agent: Option<String>,
    /// The author of the row.
    pub source: RowSource,
    pub branch: Option<String>,
    pub ts: String,
    pub status: String,
    pub handover: String,
    pub done: Vec<String>,
    pub doing: Vec<String>,
    pub blocked: Vec<String>,
    pub next: Vec<String>,
    /// The citations in the items of `done`, and their fate at HEAD.
    pub cites: Vec<StateCited>,
    /// The clone; with `sid`, the session's identity.
    pub writer: Option<String>,
    /// The entry.
    pub id: String,
    /// HEAD when it was written.
    pub head: String,
    /// True if HEAD contains a commit that carries it; null if that is unknown, as beyond the boundary of a shallow clone.
    pub here: Option<bool>,
    /// The end of the session, if it ended.
    pub session: Option<SessionEnd>,
}

/// A citation in an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StateCited {
    /// The item of `done`, counted from 1.
    pub item: usize,
    #[serde(flatten)]
    pub cited: CitedRow,
}

pub fn all_rows(log: &Events) -> Vec<StateRow> {
    rows(&events::<State>(log), &events::<SessionEnd>(log))
}

/// The last rows of an agent, or of all agents, with citations checked at the tip.
pub fn last_states(
    project: &Project,
    events: &Events,
    cites: &Cites,
    agent: Option<&str>,
    last: NonZeroUsize,
) -> Vec<StateReport> {
    // A file that can't be read is as good as a boundary.
    let is_cut = project.repo.is_shallow().unwrap_or(true);
    let contained = |commits: &[Oid]| project.repo.contained(project.tip, commits);
    let held = Held::read(&project.repo).unwrap_or_default();
    let rows = last_rows(all_rows(events), agent, last.get(), contained);
    rows.into_iter()
        .map(|(row, here)| report(cites, &held, row, (here || !is_cut).then_some(here)))
        .collect()
}

fn report(looked: &Cites, held: &Held, row: StateRow, here: Option<bool>) -> StateReport {
    let cites = row
        .state
        .cites
        .iter()
        .map(|cited| StateCited { item: cited.item, cited: looked.look_up(&cited.cite) });
    StateReport {
        cites: cites.collect(),
        sid: row.sid,
        agent: row.agent,
        source: row.source,
        branch: row.branch.or_else(|| held.branch(&row.id).map(str::to_owned)),
        ts: row.ts.to_string(),
        status: row.state.status,
        handover: row.state.handover,
        done: row.state.done,
        doing: row.state.doing,
        blocked: row.state.blocked,
        next: row.state.next,
        writer: row.writer,
        id: row.id,
        head: row.head,
        here,
        session: row.end,
    }
}
