//! Many repositories, read one after the other: the state of each, and what changed since an earlier reading.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Error, Figures, Project, facts,
    report::waiting,
    states::{LastWork, last_work},
};
use crate::{
    evidence::Tell,
    facts::{Found, Search},
    git::Repo,
    metrics::Standing,
};

/// Result of `git sq fleet`.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Fleet {
    /// Those that need attention first.
    pub repositories: Vec<FleetRow>,
    pub totals: FleetTotals,
    #[serde(skip)]
    pub now: Timestamp,
}

/// One repository.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct FleetRow {
    /// The path, as given.
    pub path: String,
    pub state: FleetState,
    /// Null if it was never set up, or could not be read.
    pub figures: Option<Figures>,
    /// The facts that `git sq facts` finds to be wrong and no question asks; null if that could not be told.
    #[serde(default)]
    pub wrong_facts: Option<usize>,
    /// The last work of each agent, newest first, without what was not published.
    #[serde(default)]
    pub agents: Vec<LastWork>,
    /// Why there are no figures.
    pub why: Option<String>,
    /// The differences from the earlier reading.
    pub changes: Vec<String>,
}

/// The state of a repository, by urgency.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FleetState {
    /// `git sq check` finds an error.
    NeedsHelp,
    /// No error, but a question whose failure is a warning.
    Fails,
    /// No error, and facts that no question asks are wrong.
    WrongFacts,
    /// No error, and something differs from the earlier reading.
    Changed,
    /// No question store.
    NotSetUp,
    /// It could not be read, or something in it could not be determined.
    Unknown,
    Clean,
}

/// Sums over all repositories that could be read.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct FleetTotals {
    pub repositories: BTreeMap<FleetState, usize>,
    pub sessions: usize,
    pub answers: usize,
    pub errors: usize,
    pub warnings: usize,
    pub wrong_facts: usize,
}

impl Fleet {
    /// Reads the repositories, with at most one of them in memory. `tell` is called before each with the number of those
    /// that are done.
    pub fn read(
        paths: &[PathBuf],
        earlier: Option<&[FleetRow]>,
        (now, keeps): (Timestamp, bool),
        tell: Tell,
    ) -> Self {
        let mut repositories: Vec<FleetRow> = paths
            .iter()
            .enumerate()
            .map(|(done, path)| {
                tell(done, paths.len());
                let mut row = FleetRow::read(path, now, keeps);
                if let Some(earlier) = earlier {
                    let before = earlier.iter().find(|old| old.path == row.path);
                    row.changes = row.changes_since(before);
                }
                if row.state == FleetState::Clean && !row.changes.is_empty() {
                    row.state = FleetState::Changed;
                }
                row
            })
            .collect();
        let errors =
            |row: &FleetRow| row.figures.as_ref().map_or(0, |figures| figures.errors.len());
        repositories
            .sort_by_key(|row| (row.state, std::cmp::Reverse((errors(row), row.wrong_facts))));
        let mut totals = FleetTotals::default();
        for row in &repositories {
            *totals.repositories.entry(row.state).or_default() += 1;
            totals.errors += errors(row);
            totals.wrong_facts += row.wrong_facts.unwrap_or_default();
            if let Some(figures) = &row.figures {
                totals.sessions += figures.sessions.unwrap_or_default();
                totals.answers += figures.answers.unwrap_or_default();
                totals.warnings += figures.warnings.unwrap_or_default();
            }
        }
        Self { repositories, totals, now }
    }

    pub fn has(&self, state: FleetState) -> bool {
        self.totals.repositories.contains_key(&state)
    }
}

impl FleetRow {
    fn read(path: &Path, now: Timestamp, keeps: bool) -> Self {
        let (mut wrong_facts, mut agents) = (None, Vec::new());
        let (state, figures, why) = Repo::open_at(path)
            .and_then(|repo| {
                let project = Project::open(repo.dated(now), None, keeps)?;
                wrong_facts = number_wrong(&project, now, keeps);
                if let Err(error) = project.questions() {
                    return Ok((FleetState::NotSetUp, None, Some(error.message)));
                }
                let waiting = waiting(&project.repo)?;
                agents = last_work(&*project.events()?, |id| waiting.contains(id));
                Ok((FleetState::Clean, Some(project.figures()?), None))
            })
            .unwrap_or_else(|error| (FleetState::Unknown, None, Some(one_line(&error))));
        let state = match &figures {
            Some(figures) if !figures.errors.is_empty() => FleetState::NeedsHelp,
            Some(figures) if !figures.unknown.is_empty() => FleetState::Unknown,
            Some(figures) if figures.fails() => FleetState::Fails,
            _ if state != FleetState::Unknown && wrong_facts > Some(0) => FleetState::WrongFacts,
            _ => state,
        };
        let path = path.to_string_lossy().into_owned();
        Self { path, state, figures, wrong_facts, agents, why, changes: Vec::new() }
    }

    fn changes_since(&self, before: Option<&Self>) -> Vec<String> {
        let Some(before) = before else {
            return vec!["new in the list".into()];
        };
        let facts = match (before.wrong_facts, self.wrong_facts) {
            (Some(old), Some(new)) if old != new => {
                Some(format!("wrong facts went from {old} to {new}"))
            }
            _ => None,
        };
        let changes = match (&before.figures, &self.figures) {
            (Some(before), Some(now)) => now.changes_since(before),
            (None, None) if before.state == self.state || facts.is_some() => Vec::new(),
            _ => vec![format!("was {} before", before.state.words())],
        };
        facts.into_iter().chain(changes).collect()
    }
}

/// The likely facts that are wrong and not asked. A partial clone would have to fetch.
fn number_wrong(project: &Project, now: Timestamp, keeps: bool) -> Option<usize> {
    let store = project.questions_if_any().map(|store| &store.set);
    let search = Search { store, ..Search::of(project.tip, now) };
    let is_whole = project.repo.promisors().is_empty();
    let found = is_whole.then(|| facts(&project.repo, &search, keeps).ok()).flatten()?;
    let is_counted =
        |found: &&Found| found.is_likely && found.state.is_wrong() && found.asked.is_none();
    let wrong = found.facts.iter().filter(is_counted).count();
    (wrong > 0 || found.unknown.is_empty()).then_some(wrong)
}

impl FleetState {
    pub fn words(self) -> &'static str {
        match self {
            Self::NeedsHelp => "needing attention",
            Self::Fails => "failing (warning)",
            Self::WrongFacts => "with wrong facts",
            Self::Changed => "changed",
            Self::NotSetUp => "never set up",
            Self::Unknown => "unknown",
            Self::Clean => "clean",
        }
    }
}

impl Figures {
    fn changes_since(&self, before: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        if let (Some(old), Some(new)) = (before.sessions, self.sessions)
            && old != new
        {
            changes.push(format!("sessions went from {old} to {new}"));
        }
        for question in &self.questions {
            let mut known = before.questions.iter();
            match known.find(|old| old.question == question.question) {
                None => changes.push(format!("{} is new", question.question)),
                Some(old) => {
                    let (old, new) = (old.standing, question.standing);
                    // A figure that is known again is no change.
                    if old != new && ![old, new].contains(&Standing::Unknown) {
                        let (name, old, new) = (&question.question, old.word(), new.word());
                        changes.push(format!("{name} went from {old} to {new}"));
                    }
                }
            }
        }
        let gone = before
            .questions
            .iter()
            .filter(|old| self.questions.iter().all(|question| question.question != old.question));
        changes.extend(gone.map(|old| format!("{} is no longer asked", old.question)));
        let lacks = |figures: &Self, rule| figures.errors.iter().all(|error| error.rule != rule);
        let mut rules: Vec<_> =
            self.errors.iter().chain(&before.errors).map(|error| error.rule).collect();
        rules.sort_unstable();
        rules.dedup();
        for rule in rules {
            if lacks(before, rule) {
                changes.push(format!("{} is a new error", rule.name()));
            } else if lacks(self, rule) {
                changes.push(format!("{} is settled", rule.name()));
            }
        }
        changes
    }
}

/// The message and the first remedy.
fn one_line(error: &Error) -> String {
    let message = error.to_string();
    let message = message.lines().next().unwrap_or_default();
    let hint = error.hints.0.first();
    hint.map_or_else(|| message.to_owned(), |hint| format!("{message} ({hint})"))
}
