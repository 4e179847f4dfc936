//! The reports of `session`: which one began, and the figures of one that ended.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Output, Style,
    age::{ago, length},
    count, escape,
};
use crate::entry::{SessionEnd, SessionHow};

/// The current session of a worktree.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CurrentSession {
    pub sid: String,
    /// The clone; with `sid`, the session's identity.
    pub writer: String,
    pub agent: Option<String>,
    /// The branch at the start; null when HEAD was detached.
    pub branch: Option<String>,
    /// HEAD at the start; null before the first commit.
    pub head: Option<String>,
    pub started: String,
    /// When it was last heard of: its start, a beat, or an entry that it wrote.
    pub last_sign: String,
    pub beats: u64,
    /// The largest share of the context that was reported, 0 to 1.
    pub peak_context: Option<f64>,
}

impl Output for CurrentSession {
    const SCHEMA: &'static str = "sq.session.current/v1";

    fn text(&self, _: Style) -> String {
        escape(&self.sid) + "\n"
    }
}

/// Says that a session began or goes on.
pub fn session_started_text(
    session: &CurrentSession,
    goes_on: bool,
    now: Timestamp,
    style: Style,
) -> String {
    let sid = style.name(&escape(&session.sid));
    if goes_on {
        return format!(
            "Session {sid} goes on; it was started {}.\n",
            ago(&session.started, now)
        );
    }
    let branch = session.branch.as_deref().map(escape);
    let place = match (&session.head, branch) {
        (Some(head), Some(branch)) => format!("on {branch} at {}", style.commit(&head[..10])),
        (Some(head), None) => format!("at {}", style.commit(&head[..10])),
        (None, Some(branch)) => format!("on {branch}, which has no commit yet"),
        (None, None) => "before the first commit".into(),
    };
    format!("Session {sid} began {place}.\n")
}

/// Says after `command` that no session was named or started.
pub fn unnamed_text(command: &str, style: Style) -> String {
    let hint = format!(
        "No session was started, so the next `{command}` is another session's: git sq session start"
    );
    style.dim(&hint) + "\n"
}

/// Says that a session ended, with its figures.
pub fn session_ended_text(sid: &str, end: &SessionEnd, style: Style) -> String {
    let verb = match end.how {
        SessionHow::End => "Ended",
        SessionHow::Sweep => "Swept up",
    };
    format!("{verb} {}: {}.\n", style.name(&escape(sid)), figures(end))
}

/// Says that a session had ended before; `done` is what was not done: `added` or `counted`.
pub fn session_ended_before_text(sid: &str, done: &str, style: Style) -> String {
    let sid = style.name(&escape(sid));
    format!("{sid} had ended already; nothing was {done}.\n")
}

/// The figures in words: `14 minutes on main, 2 commits, 3 beats, context at most 62 %`.
pub fn figures(end: &SessionEnd) -> String {
    let time = end.seconds.map_or("an unknown time".into(), |seconds| {
        length(usize::try_from(seconds).unwrap_or(usize::MAX))
    });
    let branch = end
        .branch
        .as_deref()
        .map(|branch| format!(" on {}", escape(branch)));
    let commits = end
        .commits
        .map_or("an unknown number of commits".into(), |commits| {
            count(commits, "commit")
        });
    let beats = count(usize::try_from(end.beats).unwrap_or(usize::MAX), "beat");
    let context = end
        .peak_context
        .map(|share| format!(", context at most {:.0} %", share.get() * 100.0));
    format!(
        "{time}{}, {commits}, {beats}{}",
        branch.unwrap_or_default(),
        context.unwrap_or_default()
    )
}
