//! Proofs about a log, from its history and that of the code: pure functions of the facts.
//!
//! Here: one proof a file, and checkpoints. Not here: reading (`project`), or answers derived again (`evidence`). A new proof is a
//! file with a `prove`, a variant of `Proof` with its sentence of what it cannot show, an arm in `Proof::prove`, and its row in
//! docs/audit.md. `append_only.rs` is a short example.

mod anchored;
mod append_only;
mod checkpoint;
mod coverage;
mod seen;
mod signed;
mod store;
mod time;
mod whole;

use std::collections::{BTreeSet, HashMap, HashSet};

use clap::ValueEnum;
use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

pub use checkpoint::Checkpoint;
pub use time::misdated;

use crate::{
    entry::Sum,
    git::{Oid, Signature},
    store::{LogEntry, LogHistory},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// Each commit of the log keeps the lines of its parent, and has one parent.
    AppendOnly,
    /// The lines of each clone continue each other.
    Whole,
    /// The states of the log that lines name are part of its history.
    Seen,
    /// So are those that somebody remembers.
    Anchored,
    /// A line is no older than its commit, no younger than its publication, and no older than the line before.
    Time,
    /// Commits of the log are signed.
    Signed,
    /// No session changed the questions that judge it.
    Store,
    /// Commits by agents belong to sessions.
    Coverage,
    /// Answers are derived again.
    Answers,
}

/// The result of a proof.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Proved {
    pub proof: Proof,
    /// The name of the checked things, in the plural.
    pub what: &'static str,
    pub of: usize,
    pub holds: usize,
    /// The things that fail the proof.
    pub fails: Vec<String>,
    /// The things that can't be told, each with the reason.
    pub cant_tell: Vec<String>,
    pub cannot_show: &'static str,
}

#[derive(Debug, Default)]
pub struct LogFacts {
    /// The shared logs; without any, the local one.
    pub logs: Vec<LogHistory>,
    pub remembered: Vec<Remembered>,
    pub checkpoint: Option<Checkpoint>,
    /// The times of the commits that lines name, where they are here.
    pub heads: HashMap<Oid, Timestamp>,
    /// The states that lines name or somebody remembers, and that are here.
    pub here: HashSet<Oid>,
    /// Those that a log contains by a merge.
    pub merged: HashSet<Oid>,
    /// The entries that a person closed.
    pub closed: HashSet<String>,
    /// True if the history of the code is cut off.
    pub is_shallow: bool,
    pub tolerance: SignedDuration,
    /// The signatures of the logs' commits.
    pub signatures: HashMap<Oid, Signature>,
    /// True if whoever verifies named the signers.
    pub has_signers: bool,
    /// The commits that changed the question store after the first one, oldest first.
    pub store_changes: Vec<StoreChange>,
    /// Why some of them may not be known.
    pub store_unknown: Vec<String>,
    pub agents_commits: Vec<Work>,
    pub sessions: Vec<Span>,
}

/// A state of the log, and who or what remembers it.
#[derive(Debug)]
pub struct Remembered {
    pub by: String,
    pub state: Oid,
    /// The ref of the log that it is a state of, if that is known.
    pub log: Option<String>,
    /// True if this clone published it, and may not have fetched since.
    pub may_be_newer: bool,
}

impl Remembered {
    pub fn of(by: impl Into<String>, state: Oid) -> Self {
        Self { by: by.into(), state, log: None, may_be_newer: false }
    }
}

/// A commit of the code.
#[derive(Debug, Clone)]
pub struct Work {
    pub commit: Oid,
    /// The time at which it was authored: rewriting keeps that.
    pub at: Timestamp,
    pub email: String,
    /// The agent that its message or a note names.
    pub agent: Option<String>,
}

#[derive(Debug)]
pub struct StoreChange {
    pub work: Work,
    /// The questions that it changed, and `settings`.
    pub what: Vec<String>,
}

/// A session, from its first line or its start to its last line.
#[derive(Debug)]
pub struct Span {
    pub sid: String,
    pub email: Option<String>,
    pub is_agents: bool,
    pub from: Timestamp,
    pub to: Timestamp,
    /// The commits that carry its lines.
    pub anchors: BTreeSet<Oid>,
}

impl Proof {
    fn cannot_show(self) -> &'static str {
        match self {
            Self::AppendOnly => "a history that was rewritten and is itself clean",
            Self::Whole => {
                "a missing or added tail, a new writer, or whether a gap was private work"
            }
            Self::Seen => "states of the log that no line names",
            Self::Anchored => "what came after the last remembered state",
            Self::Time => "dates that were forged consistently",
            Self::Signed => "an agent that holds the person's key",
            Self::Store => "an agent that uses a person's identity",
            Self::Coverage => "agents that leave no trace in the commit",
            Self::Answers => "whether a judgement is right",
        }
    }

    pub fn of(self, what: &'static str) -> Proved {
        Proved {
            proof: self,
            what,
            of: 0,
            holds: 0,
            fails: Vec::new(),
            cant_tell: Vec::new(),
            cannot_show: self.cannot_show(),
        }
    }
}

/// The result for one checked thing.
enum Fate {
    Holds,
    Fails(String),
    CantTell(String),
}

impl Proved {
    fn add(&mut self, fate: Fate) {
        self.of += 1;
        match fate {
            Fate::Holds => self.holds += 1,
            Fate::Fails(why) => self.fails.push(why),
            Fate::CantTell(why) => self.cant_tell.push(why),
        }
    }
}

/// The rows of all proofs of the log.
pub fn prove(facts: &LogFacts) -> Vec<Proved> {
    vec![
        append_only::prove(facts),
        whole::prove(facts),
        seen::prove(facts),
        anchored::prove(facts),
        time::prove(facts),
        signed::prove(facts),
        store::prove(facts),
        coverage::prove(facts),
    ]
}

/// A line with its number among those of its clone.
struct Numbered<'f> {
    writer: &'f str,
    n: u64,
    digest: &'f Sum,
    entry: &'f LogEntry,
}

impl LogFacts {
    /// The numbered lines of each clone, in its order, and each once.
    fn numbered(&self) -> Vec<Numbered<'_>> {
        let numbered = self.logs.iter().flat_map(LogHistory::lines).filter_map(|line| {
            let entry = line.entry.as_ref()?;
            let (writer, n) = entry.place.as_ref()?;
            Some(Numbered { writer, n: *n, digest: &line.digest, entry })
        });
        let mut numbered: Vec<Numbered> = numbered.collect();
        numbered.sort_unstable_by_key(|line| (line.writer, line.n, line.digest));
        numbered.dedup_by_key(|line| (line.writer, line.n, line.digest));
        numbered
    }

    /// Finds a state that somebody knows, in words, in the logs that are meant.
    fn find(&self, known: &str, state: Oid, is_meant: impl Fn(&LogHistory) -> bool) -> Fate {
        let logs: Vec<&LogHistory> = self.logs.iter().filter(|log| is_meant(log)).collect();
        let has = |log: &LogHistory| log.commits.iter().any(|commit| commit.id == state);
        let why = if logs.is_empty() {
            "its log is not here"
        } else if self.merged.contains(&state) || logs.iter().any(|log| has(log)) {
            return Fate::Holds;
        } else if logs.iter().any(|log| log.is_cut) {
            "the history of the log is cut off"
        } else if self.here.contains(&state) {
            return Fate::Fails(format!("{known}, which is not part of its history"));
        } else {
            "that state is not here"
        };
        Fate::CantTell(format!("{known}: {why}"))
    }

    /// The agent's session that was open when a commit was authored.
    fn session_at(&self, work: &Work, is_meant: impl Fn(&Span) -> bool) -> Option<&Span> {
        let mut sessions = self.sessions.iter();
        let at = work.at;
        sessions.find(|session| session.from <= at && at <= session.to && is_meant(session))
    }
}
