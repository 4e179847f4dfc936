use std::io::ErrorKind;

use jiff::Timestamp;

use super::{
    Output, Style, count, escape,
    words::{ago, length},
};
use crate::{
    entry::{SessionEnd, Transcript, short_sid},
    project::ChangedFact,
    session::{Compared, EndedSession, Started},
    store::RunningSession,
};

impl Output for RunningSession {
    const SCHEMA: &'static str = "sq.session.current/v1";

    fn text(&self, _: Style) -> String {
        escape(&self.sid) + "\n"
    }
}

pub fn session_started_text(start: &Started, now: Timestamp, style: Style) -> String {
    let swept = start.swept.iter().map(|ended| session_ended_text(ended, style));
    let session = &start.session;
    let sid = style.name(&escape(short_sid(&session.sid)));
    let did = if start.goes_on {
        let started = ago(session.started.as_str(), now);
        format!("Resumed session {sid}, started {started}.\n")
    } else {
        format!("Started session {sid} {}.\n", place(session, style))
    };
    swept.chain([did]).collect()
}

fn place(session: &RunningSession, style: Style) -> String {
    let branch = session.branch.as_deref().map(escape);
    match (&session.head, branch) {
        (Some(head), Some(branch)) => format!("on {branch} at {}", style.commit(&head[..10])),
        (Some(head), None) => format!("at {}", style.commit(&head[..10])),
        (None, Some(branch)) => format!("on {branch}, which has no commit yet"),
        (None, None) => "before the first commit".into(),
    }
}

pub fn session_ended_text(ended: &EndedSession, style: Style) -> String {
    let sid = style.name(&escape(short_sid(&ended.sid)));
    format!("Ended {sid}: {}.\n", figures(&ended.end))
}

pub fn changed_facts_text(changed: &[ChangedFact]) -> String {
    let line = |fact: &ChangedFact| {
        let standing = fact.standing.map(|standing| format!("; {}", standing.word()));
        let ChangedFact { question, change, .. } = fact;
        format!("  changed: {question}: {}{}\n", escape(change), standing.unwrap_or_default())
    };
    changed.iter().map(line).collect()
}

pub fn not_running_text(sid: Option<&str>, style: Style) -> String {
    let who = match sid {
        Some(sid) => format!("{} is not", style.name(&escape(short_sid(sid)))),
        None => "No session is".into(),
    };
    format!("{who} running in this worktree; nothing was added.\n")
}

/// Not escaped; `None` if nothing is known of a transcript.
pub fn transcript_text(
    receipt: Option<&Transcript>,
    compared: Option<(String, Compared)>,
) -> Option<String> {
    let Some((path, compared)) = compared else {
        let receipt = receipt?;
        let digest = receipt.sha256.get(..10).unwrap_or_default();
        let bytes = receipt.bytes;
        return Some(format!(
            "transcript: {bytes} bytes, sha256 {digest}…, known only where the session ran"
        ));
    };
    let what = match compared {
        Compared::Same => "still the same".to_owned(),
        Compared::Longer(bytes) => format!("unchanged, and {bytes} bytes longer"),
        Compared::Changed => "changed since the session ended".into(),
        Compared::Unrecorded => "no digest was recorded".into(),
        Compared::Unreadable(error) if error.kind() == ErrorKind::NotFound => "not found".into(),
        Compared::Unreadable(error) => error.to_string(),
    };
    Some(format!("transcript: {what}: {path}"))
}

/// `14 minutes on main, 2 commits (last: "Fix it"), 3 heartbeats`.
pub fn figures(end: &SessionEnd) -> String {
    let time = end.seconds.map_or("unknown duration".into(), |seconds| {
        length(usize::try_from(seconds).unwrap_or(usize::MAX))
    });
    let branch = end.branch.as_deref().map(|branch| format!(" on {}", escape(branch)));
    let commits = end
        .commits
        .map_or("an unknown number of commits".into(), |commits| count(commits, "commit"));
    let subject = end.last_subject.as_deref();
    let subject = subject.map(|subject| format!(" (last: \"{}\")", escape(subject)));
    let beats = end.beats.map(|beats| count(beats as usize, "heartbeat"));
    let peak = end.peak_context.map(|tokens| format!("peak context {tokens} tokens"));
    let rest = beats.into_iter().chain(peak).map(|figure| format!(", {figure}"));
    let (branch, subject) = (branch.unwrap_or_default(), subject.unwrap_or_default());
    format!("{time}{branch}, {commits}{subject}{}", rest.collect::<String>())
}
