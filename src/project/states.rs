//! The last states of sessions, seen from HEAD.

use std::num::NonZeroUsize;

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Project;
use crate::{
    entry::{Alert, SessionEnd, State},
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

/// Age from which a state is no longer of use to the next session.
const OLD: SignedDuration = SignedDuration::from_hours(14 * 24);

/// The last known work of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastWork {
    /// Null if no session named its agent.
    pub agent: Option<String>,
    pub ts: String,
    /// The author of the row.
    pub source: RowSource,
    /// Its status, else its handover, or what it was doing, was to do next, was blocked by or had done; empty if it left no state.
    pub text: String,
}

/// States that were refused lately because they were too long, of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Refused {
    /// Null if the session did not name its agent.
    pub agent: Option<String>,
    pub times: usize,
    #[serde(skip)]
    pub last: Alert,
}

pub fn is_old(ts: &str, now: Timestamp) -> bool {
    ts.parse::<Timestamp>().is_ok_and(|ts| now.duration_since(ts) > OLD)
}

/// The last work of each agent, that with a state if there is one, without the rows whose ids `is_left_out`.
pub fn last_work(log: &Events, is_left_out: impl Fn(&str) -> bool) -> Vec<LastWork> {
    let mut found: Vec<LastWork> = Vec::new();
    for row in all_rows(log).into_iter().filter(|row| !is_left_out(&row.id)) {
        let State { status, handover, doing, next, blocked, done, .. } = row.state;
        let lists = [doing, next, blocked, done].into_iter().flatten();
        let mut texts = [status, handover].into_iter().chain(lists);
        let text = texts.find(|text| !text.is_empty()).unwrap_or_default();
        let (agent, source, ts) = (row.agent, row.source, row.ts.to_string());
        let work = LastWork { agent, ts, source, text };
        match found.iter_mut().find(|known| known.agent == work.agent) {
            Some(known) if known.text.is_empty() && !work.text.is_empty() => *known = work,
            Some(_) => {}
            None => found.push(work),
        }
    }
    found
}

/// The states refused in the last two weeks, by agent, of those that wrote none since.
pub fn refused(log: &Events, now: Timestamp) -> Vec<Refused> {
    let mut alerts = events::<Alert>(log);
    alerts.retain(|alert| !is_old(alert.ts.as_str(), now));
    let states = if alerts.is_empty() { Vec::new() } else { events::<State>(log) };
    alerts.retain(|alert| {
        let mut since = states.iter().filter(|state| state.row.millis > alert.row.millis);
        since.all(|state| state.source.agent != alert.source.agent)
    });
    let mut found: Vec<Refused> = Vec::new();
    for alert in alerts {
        let agent = alert.source.agent;
        match found.iter_mut().find(|known| known.agent == agent) {
            Some(known) => {
                known.times += 1;
                known.last = alert.body;
            }
            None => found.push(Refused { agent, times: 1, last: alert.body }),
        }
    }
    found
}

/// The sessions that ended without a state, newest first.
pub fn without_state(log: &Events) -> Vec<StateRow> {
    let mut rows = all_rows(log);
    rows.retain(|row| row.source == RowSource::Auto);
    rows
}

pub fn all_rows(log: &Events) -> Vec<StateRow> {
    rows(&events::<State>(log), &events::<SessionEnd>(log))
}

/// The last rows of an agent, or of all agents, with citations checked at the tip. Those that are old at a moment come after
/// the others.
pub fn last_states(
    project: &Project,
    events: &Events,
    cites: &Cites,
    (agent, now): (Option<&str>, Timestamp),
    last: NonZeroUsize,
) -> Vec<StateReport> {
    // A file that can't be read is as good as a boundary.
    let is_cut = project.repo.is_shallow().unwrap_or(true);
    let contained = |commits: &[Oid]| project.repo.contained(project.tip, commits);
    let held = Held::read(&project.repo).unwrap_or_default();
    let is_old = |row: &StateRow| is_old(row.ts.as_str(), now);
    let (old, new): (Vec<StateRow>, Vec<StateRow>) = all_rows(events).into_iter().partition(is_old);
    let new = last_rows(new, agent, last.get(), contained);
    let old = last_rows(old, agent, last.get() - new.len(), contained);
    new.into_iter()
        .chain(old)
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
