//! What can be proved of a log, from its history and that of the code: pure functions of the facts.
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

use crate::{
    git::{Oid, Signature},
    store::LogHistory,
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

/// What a proof found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Proved {
    pub proof: Proof,
    /// What was looked at, in the plural.
    pub what: &'static str,
    pub of: usize,
    pub holds: usize,
    /// What fails.
    pub fails: Vec<String>,
    /// What could not be told, and why.
    pub cant_tell: Vec<String>,
    pub cannot_show: &'static str,
}

#[derive(Debug, Default)]
pub struct LogFacts {
    /// The shared logs; without any, the local one.
    pub logs: Vec<LogHistory>,
    pub remembered: Vec<Remembered>,
    /// Those that this clone published or saw after its last fetch.
    pub unfetched: HashSet<Oid>,
    pub checkpoint: Option<Checkpoint>,
    /// The times of the commits that lines name, where they are here.
    pub heads: HashMap<Oid, Timestamp>,
    /// Those of the states that lines name which are here.
    pub here: HashSet<Oid>,
    pub tolerance: SignedDuration,
    /// Of the commits of the logs that have one.
    pub signatures: HashMap<Oid, Signature>,
    /// True if whoever verifies named the signers.
    pub has_signers: bool,
    /// The commits that changed the question store after the first one, oldest first.
    pub store_changes: Vec<StoreChange>,
    pub agents_commits: Vec<Work>,
    pub sessions: Vec<Span>,
}

/// A state of the log, and who or what remembers it.
#[derive(Debug)]
pub struct Remembered {
    pub by: String,
    pub state: Oid,
}

/// A commit of the code.
#[derive(Debug, Clone)]
pub struct Work {
    pub commit: Oid,
    /// When it was authored: rewriting keeps that time.
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
            Self::Whole => "a missing tail, a new writer, or whether a gap was private work",
            Self::Seen => "states of the log that no line names",
            Self::Anchored => "what came after the last remembered state",
            Self::Time => "dates that were forged consistently",
            Self::Signed => "an agent that holds the person's key",
            Self::Store => "an agent that uses a person's identity",
            Self::Coverage => "agents that leave no trace in the commit",
            Self::Answers => "whether a judgement is right",
        }
    }

    fn prove(self, facts: &LogFacts) -> Option<Proved> {
        Some(match self {
            Self::AppendOnly => append_only::prove(facts),
            Self::Whole => whole::prove(facts),
            Self::Seen => seen::prove(facts),
            Self::Anchored => anchored::prove(facts),
            Self::Time => time::prove(facts),
            Self::Signed => signed::prove(facts),
            Self::Store => store::prove(facts),
            Self::Coverage => coverage::prove(facts),
            Self::Answers => return None,
        })
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

/// What became of one thing that a proof looked at.
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
    let proofs = Proof::value_variants().iter();
    proofs.filter_map(|proof| proof.prove(facts)).collect()
}

impl LogFacts {
    /// All states that the logs have had.
    fn states(&self) -> HashSet<Oid> {
        let commits = self.logs.iter().flat_map(|log| &log.commits);
        commits.map(|commit| commit.id).collect()
    }

    /// The agent's session that was open when a commit was authored.
    fn session_at(&self, work: &Work, is_meant: impl Fn(&Span) -> bool) -> Option<&Span> {
        let mut sessions = self.sessions.iter();
        let at = work.at;
        sessions.find(|one| one.from <= at && at <= one.to && is_meant(one))
    }
}
