use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Output, Style, asides, count, entries, escape, escape_lines, sync::waiting_text, words::ago,
};
use crate::{
    entry::short_sid,
    metrics::{SessionInBrief, Window},
    project::Since,
};

/// The status.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Status {
    pub tip: String,
    pub branch: Option<String>,
    pub sessions: usize,
    /// Active questions.
    pub questions: usize,
    /// Questions over their limit.
    pub stale: Vec<String>,
    /// Questions at their limit: after one more session without an answer they are stale.
    pub due: Vec<String>,
    /// Questions without a counting answer.
    pub never: Vec<String>,
    /// Questions whose dependencies changed since the last answer.
    pub outdated: Vec<String>,
    /// Questions about which two sessions disagree.
    pub disputed: Vec<String>,
    /// The flagged ones of the last looks, if there are enough for an error.
    pub flagged: Option<Window>,
    /// Questions whose last known answer is not the expected one.
    pub failing: Vec<String>,
    /// Blocking questions with open drifts.
    pub drifts: Vec<String>,
    pub longest_run: usize,
    /// True if the quiet sessions are an alarm.
    pub alarm: bool,
    /// Number of the last sessions in a row that ended without an answer.
    pub unanswered_run: usize,
    pub last: Option<SessionInBrief>,
    pub since: Option<Since>,
    /// The session to which an entry would belong that is written now; null if it would start a new one.
    pub session: Option<StatusSession>,
    /// Each remote that shares the log and lacks a part of it.
    pub shared: Vec<SharedWith>,
    pub warnings: Vec<String>,
    pub unknown: Vec<String>,
    /// The place of the status, as in `main at 15cd9173c8`.
    #[serde(skip)]
    pub place: String,
    #[serde(skip)]
    pub now: Timestamp,
}

/// The current session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StatusSession {
    pub sid: String,
    /// The agent's name.
    pub agent: Option<String>,
    pub since: String,
    /// The questions that it answered so far.
    pub answered: Vec<String>,
}

/// The part of the log that a remote lacks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct SharedWith {
    pub remote: String,
    /// Entries that can be published now.
    pub ready: usize,
    /// Entries that wait for their work to be pushed.
    pub waiting: usize,
    /// The branches of the waiting entries.
    pub branches: BTreeSet<String>,
    /// Why the last attempt to publish failed.
    pub trouble: Option<String>,
}

impl SharedWith {
    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(trouble) = &self.trouble {
            text += &format!("Not published: {}\n", escape_lines(trouble, "\n  "));
        } else if self.ready > 0 {
            let (number, remote) = (entries(self.ready), escape(&self.remote));
            text += &format!("{number} not on {remote} yet (\"git sq sync\" publishes)\n");
        }
        if self.waiting > 0 {
            text += &format!("{}\n", waiting_text(self.waiting, &self.branches));
        }
        text
    }
}

type Paint = fn(Style, &str) -> String;

impl Output for Status {
    const SCHEMA: &'static str = "sq.status/v1";

    fn text(&self, style: Style) -> String {
        let mut out = format!(
            "On {}: {}, {}\n",
            escape(&self.place),
            count(self.questions, "question"),
            count(self.sessions, "session")
        );
        match &self.last {
            None if self.unknown.is_empty() => {
                out.push_str("No session has recorded anything in this history yet.\n");
            }
            None => out.push_str("No session is known here.\n"),
            Some(last) => out.push_str(&self.last_line(last, style)),
        }
        if let Some(session) = &self.session {
            out.push_str(&self.session_line(session, style));
        }
        let never = match (self.sessions, self.unknown.is_empty()) {
            (0, _) => "",
            (_, true) => "never answered:",
            (_, false) => "no answer known:",
        };
        let list = |names: &[String]| Some(names.join(", ")).filter(|names| !names.is_empty());
        let flagged = self.flagged.as_ref().map(|window| {
            let Window { looks, flagged } = window;
            format!("{flagged} of the last {looks} looks")
        });
        let quiet = || format!("{} in a row report no change", count(self.longest_run, "session"));
        let unanswered = match self.unanswered_run {
            0 => None,
            1 => Some("the last session ended without an answer".to_owned()),
            n => Some(format!("the last {} ended without an answer", count(n, "session"))),
        };
        let rows: [(Paint, &str, Option<String>); 10] = [
            (Style::error, "stale:", list(&self.stale)),
            (Style::warning, "due:", list(&self.due)),
            (Style::warning, never, list(&self.never)),
            (Style::error, "fails:", list(&self.failing)),
            (Style::error, "open drift:", list(&self.drifts)),
            (Style::warning, "outdated:", list(&self.outdated)),
            (Style::warning, "disputed:", list(&self.disputed)),
            (Style::error, "flagged:", flagged),
            (Style::error, "quiet run:", self.alarm.then(quiet)),
            (Style::warning, "unanswered:", unanswered),
        ];
        for (paint, label, text) in rows {
            if let Some(text) = text.filter(|_| !label.is_empty()) {
                out.push_str(&format!("{} {text}\n", paint(style, label)));
            }
        }
        out.extend(self.shared.iter().map(SharedWith::text));
        out.push_str(&asides(&self.warnings, &self.unknown, style));
        let next = match &self.last {
            None => "(\"git sq brief\" shows what to answer, \"git sq record\" records it)",
            Some(_) if self.alarm || self.flagged.is_some() || !self.stale.is_empty() => {
                "(\"git sq check\" shows details, \"git sq brief\" begins a session)"
            }
            Some(_) => "(\"git sq brief\" begins a session, \"git sq check\" checks the log)",
        };
        out + &style.dim(&format!("  {next}")) + "\n"
    }
}

impl Status {
    fn session_line(&self, session: &StatusSession, style: Style) -> String {
        let agent = session.agent.as_deref();
        let agent = agent.map(|agent| format!(" by {}", escape(agent)));
        let answered = match session.answered.as_slice() {
            [] => "nothing answered in this history yet".to_owned(),
            names => format!("answered {}", escape(&names.join(", "))),
        };
        format!(
            "Current session: {}{}, began {}; {answered}\n",
            style.name(&escape(short_sid(&session.sid))),
            agent.unwrap_or_default(),
            ago(&session.since, self.now)
        )
    }

    fn last_line(&self, last: &SessionInBrief, style: Style) -> String {
        let moved = match &self.since {
            Some(since) if since.commits > 0 || !since.files.is_empty() => format!(
                "{} and {} since",
                count(since.commits, "commit"),
                count(since.files.len(), "changed file")
            ),
            _ => "nothing committed since".to_owned(),
        };
        format!(
            "Last session: {} ({}), {}; {moved}\n",
            style.name(&escape(short_sid(&last.sid))),
            ago(&last.ts, self.now),
            count(last.deltas.len(), "delta")
        )
    }
}
