//! A fact that was found, its state, and what would mend it.

use std::{collections::BTreeSet, iter::once, ops::Range};

use serde::Serialize;
use serde_json::Value;

use super::{
    place::{Place, version_text},
    sources::is_changelog,
};
use crate::{
    git::Oid,
    question::{Closed, ClosedKind, NewQuestion},
};

/// In days; a younger difference may be work in progress, and is not among the first.
const SETTLED: i64 = 14;

/// A fact that is stated in several places, or paths that a document names and that are missing.
#[derive(Debug, Default, Serialize)]
pub struct Found {
    /// Four letters, or more where facts share them; derived from the fact and not from its rank.
    pub id: String,
    /// The kind of fact: `msrv`, `version`, `path`, `place` (of a release tool), or the name of a tool.
    pub kind: String,
    /// The name of the missing thing: `a path`, `a script`.
    #[serde(skip)]
    pub one: &'static str,
    #[serde(flatten)]
    pub state: State,
    pub about: String,
    /// The first one is the source that the others repeat.
    pub places: Vec<Place>,
    /// False if it is shown with `--all` only.
    pub is_likely: bool,
    /// True if it comes behind all others.
    #[serde(skip)]
    pub is_doubtful: bool,
    /// True if a person said that it is right as it is.
    pub is_dismissed: bool,
    /// The question of the store that asks the same.
    pub asked: Option<String>,
    /// The question of the store that has its name, and asks something else.
    #[serde(skip)]
    pub namesake: Option<String>,
    /// True if the worktree differs, and states the fact rightly.
    pub is_fixed_in_worktree: bool,
    /// Null if nothing is wrong.
    pub fix: Option<Fix>,
    pub question: Value,
}

#[derive(Debug, Default, Serialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum State {
    /// Two places agreed once, and do not any more.
    Differs {
        was: String,
        since: Since,
        /// Only the manifest moved, and the other place stands where it stood, or below the manifest.
        #[serde(skip)]
        is_left_behind: bool,
    },
    /// A path is not there any more; in a shallow clone, it may not be known since when.
    Missing { since: Option<Since> },
    /// A path never existed.
    #[default]
    #[serde(rename = "never-there")]
    Never,
    /// `broke` counts how often the two places differed for a day or longer.
    Holds { broke: i64 },
}

/// The change that made a fact wrong. With a base it is the whole of what followed: its commit and date are the tip's.
#[derive(Debug, Serialize)]
pub struct Since {
    pub days: i64,
    /// The date of the commit, in UTC: `2026-11-25`.
    pub date: String,
    /// All zeros for a change of the index.
    pub commit: Oid,
    /// The author's name from `.mailmap`.
    pub author: String,
    /// True if the commit is a merge, whose author need not be that of the change.
    pub is_merge: bool,
    /// True if a document moved away from what it names; the path is the one that it had.
    #[serde(skip)]
    pub is_move: bool,
    pub path: String,
}

/// Lines to change, and why others are left to a person.
#[derive(Debug, Default, Serialize)]
pub struct Fix {
    pub edits: Vec<Edit>,
    pub by_hand: Vec<String>,
}

/// A part of a line, and the text that takes its place.
pub type Part = (Range<usize>, String);

/// A line of a document.
#[derive(Debug, Serialize)]
pub struct Edit {
    pub file: String,
    pub line: usize,
    pub before: String,
    pub after: String,
    /// What ends the line; nothing at the end of a file without a last line end.
    #[serde(skip)]
    pub end: String,
    /// The parts that change.
    #[serde(skip)]
    pub parts: Vec<Part>,
    /// The text that is written into the line.
    pub value: String,
    /// The URL that it becomes part of, which was not tried.
    pub url: Option<String>,
}

impl Since {
    /// False for a change of the index.
    pub fn is_committed(&self) -> bool {
        !self.commit.is_null()
    }
}

impl Found {
    /// What a person closes: the fact as its documents state it, whatever its source states later.
    pub fn as_closed(&self) -> Closed {
        let places = self.places.iter().skip(1).filter(|place| !place.version.is_empty());
        let says = places.map(|place| version_text(&place.version)).collect();
        Closed { says, ..Closed::new(ClosedKind::Fact, &self.id) }
    }

    /// The question that asks the same; `created` is the date.
    pub fn new_question(&self, created: String) -> NewQuestion<'_> {
        let text = |key| self.question[key].as_str().unwrap_or_default();
        let keys = ["importance", "expect", "probe"];
        let keys = keys.map(|key| (key, self.question[key].clone())).into();
        NewQuestion { id: text("id"), text: text("q"), created, keys }
    }
}

impl State {
    /// False also if that is not known.
    pub fn is_wrong(&self) -> bool {
        !matches!(self, Self::Holds { .. } | Self::Missing { since: None })
    }

    /// The word for it in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Differs { .. } => "differs",
            Self::Missing { .. } => "missing",
            Self::Never => "never-there",
            Self::Holds { .. } => "holds",
        }
    }

    pub fn since(&self) -> Option<&Since> {
        match self {
            Self::Differs { since, .. } => Some(since),
            Self::Missing { since } => since.as_ref(),
            Self::Never | Self::Holds { .. } => None,
        }
    }

    /// The order of the list: of two with the same first number, the lower second one is the older, or broke more often.
    pub(super) fn rank(&self) -> (u8, i64) {
        match self {
            Self::Differs { since, is_left_behind, .. } => match since.days {
                days if !is_left_behind => (4, -days),
                days if days < SETTLED => (2, -days),
                days => (0, -days),
            },
            Self::Missing { since: Some(since) } => (1, -since.days),
            Self::Holds { broke } => (3, -broke),
            Self::Missing { since: None } | Self::Never => (2, 0),
        }
    }

    /// True if only the manifest moved since both agreed.
    pub(super) fn is_left_behind(&self) -> bool {
        matches!(self, Self::Differs { is_left_behind: true, .. })
    }

    /// That of a fact in several places, which all agree or all do not.
    pub(super) fn summed(states: Vec<Self>) -> Self {
        let breaks = states.iter().map(|state| match state {
            Self::Holds { broke } => *broke,
            _ => 0,
        });
        let holds = Self::Holds { broke: breaks.sum() };
        Self::oldest(states.into_iter().filter(Self::is_wrong).collect()).unwrap_or(holds)
    }

    pub(super) fn oldest(states: Vec<Self>) -> Option<Self> {
        states.into_iter().min_by_key(|state| state.rank().1)
    }
}

impl Found {
    /// True if it is in a changelog, which follows with a release: until then, it is wrong on purpose.
    pub fn follows_releases(&self) -> bool {
        self.places.iter().any(|place| is_changelog(&place.file))
    }

    /// True if it held at the base of a search, or was not said there, and is wrong now.
    pub(super) fn is_broken(&self) -> bool {
        let is_new = matches!(self.state, State::Never);
        !self.is_doubtful && self.state.is_wrong() && (is_new || self.state.since().is_some())
    }

    /// The identity of the fact; the words and the lines of its places may change.
    pub(super) fn key(&self) -> String {
        let files: BTreeSet<&str> = self.places.iter().map(|place| &*place.file).collect();
        let is_named = matches!(&*self.kind, "path" | "url" | "command" | "place");
        let names = self.places.iter().filter(|_| is_named).map(|place| &*place.says);
        let names: BTreeSet<&str> = names.collect();
        once(&*self.kind).chain(files).chain(names).collect::<Vec<_>>().join("\n")
    }
}
