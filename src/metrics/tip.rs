//! Where each question stands at the tip: one word, and what is behind it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::git::Oid;

/// The state of a question at the tip: the first of these words that is true.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// The answer is not the expected one, or what it reads is missing.
    Fails,
    /// An answer and its correction, and nobody settled which is right.
    Disputed,
    /// No answer counts.
    #[serde(rename = "never answered")]
    NeverAnswered,
    /// No answer counts here, and the log or the history is not all here.
    Unknown,
    /// Too many sessions passed without any answer.
    Stale,
    /// A dependency changed since the counting answer.
    Outdated,
    /// A command gave two answers.
    Unstable,
    /// A command was never run, or what it depends on changed since it held.
    #[serde(rename = "not run")]
    NotRun,
    /// The answer is the expected one.
    Holds,
    #[default]
    Fresh,
}

impl Standing {
    pub const ALL: [Self; 10] = [
        Self::Fails,
        Self::Disputed,
        Self::NeverAnswered,
        Self::Unknown,
        Self::Stale,
        Self::Outdated,
        Self::Unstable,
        Self::NotRun,
        Self::Holds,
        Self::Fresh,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Fails => "fails",
            Self::Disputed => "disputed",
            Self::NeverAnswered => "never answered",
            Self::Unknown => "unknown",
            Self::Stale => "stale",
            Self::Outdated => "outdated",
            Self::Unstable => "unstable",
            Self::NotRun => "not run",
            Self::Holds => "holds",
            Self::Fresh => "fresh",
        }
    }

    /// The word with its verb, behind the name of a question.
    pub fn said(self) -> String {
        match self {
            Self::Fails | Self::Holds => self.word().into(),
            Self::NeverAnswered | Self::NotRun => format!("was {}", self.word()),
            _ => format!("is {}", self.word()),
        }
    }

    /// The word for several questions, as in `2 fail`.
    pub fn of_many(self, questions: usize) -> &'static str {
        match self {
            Self::Fails if questions != 1 => "fail",
            Self::Holds if questions != 1 => "hold",
            _ => self.word(),
        }
    }

    /// Returns true if nothing is to be done.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Holds | Self::Fresh)
    }

    /// Returns true if no answer counts.
    pub fn is_unanswered(self) -> bool {
        matches!(self, Self::NeverAnswered | Self::Unknown)
    }
}

/// The source of a question's answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// From files: a fact, derived at the tip.
    #[default]
    Files,
    /// From the runs of a command.
    Command,
    /// From sessions.
    Sessions,
}

/// One question at the tip.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AtTip {
    /// The question, with its version unless that is 1.
    pub question: String,
    pub standing: Standing,
    pub source: Source,
    /// True if it is on trial: then it is no finding.
    pub trial: bool,
    /// True if it fails the gate when it fails.
    pub blocks: bool,
    /// True if it fails as it did where the proposal began, and the base mends it.
    pub mended: bool,
    /// The answer that must hold, in words, as in `to be true`.
    pub expected: Option<String>,
    /// The answer in words, if it fails, or why there is none.
    pub found: Option<String>,
    /// The entries of the disputed answers, oldest first.
    pub disputed: Vec<String>,
    /// The entry of the counting answer, of the newest run of a command, or of a fact's newest recorded answer; for a line
    /// that another program wrote, its digest.
    pub entry: Option<String>,
    /// The commit that carries it.
    #[schemars(with = "Option<String>")]
    pub commit: Option<Oid>,
    /// The commit that the answer is compared with.
    #[serde(rename = "at")]
    #[schemars(with = "Option<String>")]
    pub compared_with: Option<Oid>,
    /// The change, or the open flag, that makes it outdated; of a fact, the change since its newest recorded answer.
    pub changed: Option<String>,
    /// Number of sessions after that change without a counting answer; of a command, without a run.
    pub missed: usize,
}

impl AtTip {
    /// What is expected where no answer has to hold, and what the question reads is missing.
    pub const THERE: &str = "to be there";

    /// The commit of its answer: of a fact, the tip.
    pub fn answered_at(&self, tip: &str) -> String {
        let recorded = self.commit.filter(|_| self.source != Source::Files);
        recorded.map_or_else(|| tip.to_owned(), |commit| commit.to_string())
    }
}

/// An answer, by its entry and the commit that carries it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Named {
    pub entry: String,
    pub commit: Oid,
    /// The entry that a bare `same` repeats, and its commit.
    pub repeats: Option<(String, Oid)>,
    /// True if what it depends on changed as it was carried to that commit.
    pub is_outdated: bool,
}

/// The answers that the next one to a question is compared with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    /// The question, with its version unless that is 1.
    pub question: String,
    /// The entries with open flags, oldest first, which the next answer has to answer anew.
    pub flagged: Vec<String>,
    /// The counting answer and, after a merge, the others that may be it.
    pub before: Vec<Named>,
    /// The answers that the counting one was compared with, or else the newest before it: one that replaces it is, too.
    pub behind: Vec<Named>,
    /// Newer ones that don't count.
    pub skipped: Vec<Named>,
    /// Where at most one session gave these, the newest answer of another that no rule judges: it was imported, or its
    /// time is impossible.
    pub unjudged: Option<Named>,
    /// The newest of the skipped ones that others dispute, and no rule flags: a correction is about it.
    pub disputed: Option<String>,
    /// The entries of those that a person found right.
    pub agreed: Vec<String>,
}

impl Thread {
    pub fn entries(&self) -> impl Iterator<Item = (&str, Oid)> {
        let named = self.before.iter().chain(&self.behind).chain(&self.skipped);
        named.chain(&self.unjudged).flat_map(|Named { entry, commit, repeats, .. }| {
            let repeats = repeats.iter().map(|(entry, commit)| (entry.as_str(), *commit));
            repeats.chain([(entry.as_str(), *commit)])
        })
    }
}

/// The standings of all asked questions, in the store's order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Standings(pub Vec<AtTip>);

impl Standings {
    /// The same where not all answers are known: nobody can tell that a question was never answered.
    #[must_use]
    pub fn in_part(mut self) -> Self {
        let unanswered = self.0.iter_mut().filter(|one| one.standing.is_unanswered());
        unanswered.for_each(|at_tip| at_tip.standing = Standing::Unknown);
        self
    }

    /// The question of this name, with its version unless that is 1.
    pub fn get(&self, question: &str) -> Option<&AtTip> {
        self.0.iter().find(|at_tip| at_tip.question == question)
    }

    /// Returns true if a later answer ended the open dispute about an answer to a question.
    pub fn has_ended(&self, question: &str, entry: &str) -> bool {
        let at_tip = self.get(question).filter(|at_tip| at_tip.source == Source::Sessions);
        at_tip.is_some_and(|at_tip| at_tip.disputed.iter().all(|disputed| disputed != entry))
    }

    /// Those that the gate judges: all but those on trial.
    pub fn judged(&self) -> impl Iterator<Item = &AtTip> {
        self.0.iter().filter(|at_tip| !at_tip.trial)
    }

    /// The judged questions that stand so.
    pub fn that_are(&self, standing: Standing) -> impl Iterator<Item = &AtTip> {
        self.judged().filter(move |at_tip| at_tip.standing == standing)
    }

    /// Each standing of judged questions with their number, the worst first.
    pub fn counts(&self) -> impl Iterator<Item = (Standing, usize)> {
        Standing::ALL
            .into_iter()
            .map(|standing| (standing, self.that_are(standing).count()))
            .filter(|(_, number)| *number > 0)
    }
}
