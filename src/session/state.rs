//! The last states of sessions: a replay of their state and end entries.

use std::collections::{BTreeMap, HashSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Event, limits};
use crate::{
    entry::{SessionEnd, State, Ts},
    git::Oid,
};

/// The author of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RowSource {
    /// The agent.
    Agent,
    /// The agent; the end of the session added figures.
    Merged,
    /// No agent: only the figures of an end.
    Auto,
}

#[derive(Debug, Clone, PartialEq)]
pub struct StateRow {
    pub sid: String,
    /// The clone; with `sid`, the session's identity.
    pub writer: Option<String>,
    pub agent: Option<String>,
    pub source: RowSource,
    pub branch: Option<String>,
    pub ts: Ts,
    pub id: String,
    pub head: String,
    pub anchors: Vec<Oid>,
    pub state: State,
    pub end: Option<SessionEnd>,
}

type Session<'e> = (&'e str, Option<&'e str>);

fn session_of<T>(event: &Event<T>) -> Session<'_> {
    (&event.source.sid, event.source.writer.as_deref())
}

/// The last event of each session.
fn last_of_each<T>(events: &[Event<T>]) -> BTreeMap<Session<'_>, &Event<T>> {
    events.iter().map(|event| (session_of(event), event)).collect()
}

/// The row of every session with a state or an end, the newest first. The events come as [`super::events`] orders them:
/// every clone has to take the same one of two forged ones.
pub fn rows(states: &[Event<State>], ends: &[Event<SessionEnd>]) -> Vec<StateRow> {
    let states = last_of_each(states);
    // A session that wrote since goes on. One that was resumed, or that ran in several worktrees, has several ends: the last
    // one with commits counts.
    let is_over = |end: &&Event<SessionEnd>| {
        states.get(&session_of(end)).is_none_or(|state| state.ts <= end.ts)
    };
    let (worked, idle): (Vec<_>, Vec<_>) = ends
        .iter()
        .filter(is_over)
        .partition(|end| end.body.commits.is_some_and(|commits| commits > 0));
    let ends = idle.into_iter().chain(worked);
    let ends: BTreeMap<Session, &Event<SessionEnd>> =
        ends.map(|event| (session_of(event), event)).collect();
    let row = |session: &Session| {
        let (state, end) = (states.get(session), ends.get(session));
        let (ts, id, source, anchors) = match (state, end) {
            (Some(state), _) => (&state.ts, &state.id, &state.source, &state.anchors),
            (None, Some(end)) => (&end.ts, &end.id, &end.source, &end.anchors),
            (None, None) => return None,
        };
        let end = end.map(|end| end.body.clone());
        let at_end = end.as_ref().and_then(|end| end.branch.clone());
        Some(StateRow {
            sid: source.sid.clone(),
            writer: source.writer.clone(),
            agent: source.agent.clone(),
            source: match (state, &end) {
                (None, _) => RowSource::Auto,
                (Some(_), Some(_)) => RowSource::Merged,
                (Some(_), None) => RowSource::Agent,
            },
            branch: source.branch.clone().or(at_end),
            ts: *ts,
            id: id.clone(),
            head: source.head.clone(),
            anchors: anchors.clone(),
            state: state.map(|state| state.body.clone()).unwrap_or_default(),
            end,
        })
    };
    let only_ended = ends.keys().filter(|session| !states.contains_key(*session));
    let mut rows: Vec<StateRow> = states.keys().chain(only_ended).filter_map(row).collect();
    rows.sort_by(|left, right| {
        let key = |row: &StateRow| (row.ts, row.id.clone(), row.sid.clone());
        key(right).cmp(&key(left)).then(left.writer.cmp(&right.writer))
    });
    rows
}

/// Number of rows that are searched in HEAD's own past before those of other lineages are taken: squash merges may
/// leave every row of an agent on commits that HEAD does not contain, and asking git about each would cost more with
/// every session.
const LOOKED_AT: usize = 50;

/// HEAD's own rows come first, with true; `contained` selects the commits that HEAD contains.
pub fn last_rows(
    rows: Vec<StateRow>,
    agent: Option<&str>,
    last: usize,
    contained: impl Fn(&[Oid]) -> HashSet<Oid>,
) -> Vec<(StateRow, bool)> {
    let is_meant = |row: &StateRow| {
        row.source != RowSource::Auto
            && !row.state.is_empty()
            && agent.is_none_or(|agent| row.agent.as_deref() == Some(agent))
    };
    if last == 0 {
        return Vec::new();
    }
    let meant = rows.into_iter().filter(is_meant).take(LOOKED_AT.max(last));
    let mut meant: Vec<(StateRow, bool)> = meant.map(|row| (row, false)).collect();
    let anchors: Vec<Oid> = meant.iter().flat_map(|(row, _)| row.anchors.clone()).collect();
    let contained = contained(&anchors);
    for (row, here) in &mut meant {
        *here = row.anchors.iter().any(|anchor| contained.contains(anchor));
    }
    meant.sort_by_key(|(_, here)| !here);
    meant.truncate(last);
    for (row, _) in &mut meant {
        row.state = limits::clipped(std::mem::take(&mut row.state));
    }
    meant
}
