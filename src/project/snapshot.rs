//! What most commands show, in one small value that is kept until the log, the tip or the questions change.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Error, Project, cache};
use crate::{
    entry::Kind,
    git::{Oid, Repo},
    metrics::{Survey, survey},
    question::QuestionSet,
    store::{Events, Row, Unasked},
    timeline::{Timeline, Unknown},
};

/// The name of its file.
const FILE: &str = "snapshot";

/// How many of the newest entries a snapshot has.
const ENTRIES: usize = 100;

/// Limits that outrank those of the question store, and what else changes the figures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measure {
    /// How stale a question may become, in sessions, where it sets no limit of its own.
    pub staleness: Option<u32>,
    /// How many sessions in a row may report no change while HEAD moves.
    pub max_run: Option<u32>,
    /// Whether to leave out what questions depend on.
    pub original: bool,
}

impl Measure {
    /// The questions with these limits.
    pub fn of(&self, mut questions: QuestionSet) -> QuestionSet {
        let settings = &mut questions.settings;
        settings.quiet.max_run = self.max_run.unwrap_or(settings.quiet.max_run);
        settings.staleness.max = self.staleness.unwrap_or(settings.staleness.max);
        questions
    }
}

/// What one tip's log comes to.
#[derive(Debug, Clone)]
pub struct Snapshot {
    pub survey: Survey,
    /// The newest entries of the tip's history, and all lines of other kinds.
    pub events: Arc<Events>,
    /// Whether there are older entries besides.
    pub has_more: bool,
    /// Why there may be entries that are not known of.
    pub unknown: Vec<String>,
}

/// All that a snapshot follows from.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Source {
    tip: Oid,
    log: Vec<Oid>,
    unreadable: Vec<String>,
    unasked: Vec<Unasked>,
    store: Option<Oid>,
    measure: Measure,
}

/// The file: the parts of [`Snapshot`], and the moments for which it holds, as some lines may be dated later.
#[derive(Serialize, Deserialize)]
struct File<S, U, E, T>(S, (i64, i64), U, E, bool, T);

impl Snapshot {
    fn of(timeline: &Timeline) -> Self {
        let events = &timeline.events;
        let newest = timeline.newest_first().take(ENTRIES);
        let others = events.rows().iter().filter(|row| !row.is(Kind::Rederive));
        let of_log =
            |unknown: &&Unknown| !matches!(unknown, Unknown::Exposure(..) | Unknown::Watch(..));
        let unknown = timeline.unknown.iter().filter(of_log);
        Self {
            survey: survey(timeline),
            events: Arc::new(events.excerpt(newest.chain(others))),
            has_more: timeline.entries.len() > ENTRIES,
            unknown: unknown.map(ToString::to_string).collect(),
        }
    }

    /// With the names that people go by now: these are in a file that may change at any time.
    fn named(self, repo: &Repo) -> Self {
        let mailmap = repo.mailmap();
        let survey = self.survey.renamed(|person| mailmap.resolve(person));
        Self { survey, ..self }
    }

    /// The entries that it has, newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Row> {
        let rows = self.events.rows().iter().rev();
        rows.filter(|row| row.is(Kind::Rederive))
    }
}

impl Project {
    /// The figures, and what is newest in the log: from the last run where nothing changed since.
    pub fn snapshot(&self, measure: &Measure) -> Result<Snapshot, Error> {
        let source = Source {
            tip: self.tip,
            log: self.tips.commits().collect(),
            unreadable: self.tips.unreadable.clone(),
            unasked: self.unasked(),
            store: self.store.as_ref().map(|store| store.blob),
            measure: measure.clone(),
        };
        let kept = self.keeps.then(|| cache::load(&self.repo, FILE)).flatten();
        let moment = self.latest();
        if let Some(File::<Source, Survey, Events, Vec<String>>(
            of,
            (from, until),
            survey,
            events,
            has_more,
            unknown,
        )) = kept
            && of == source
            && (from..until).contains(&moment)
        {
            let kept = Snapshot {
                survey,
                events: Arc::new(events),
                has_more,
                unknown,
            };
            return Ok(kept.named(&self.repo));
        }
        let questions = self.store.as_ref().map(|store| store.set.clone());
        let questions = measure.of(questions.unwrap_or_default());
        let (timeline, is_whole) = self.join(questions, measure.original)?;
        let snapshot = Snapshot::of(&timeline);
        if self.keeps && is_whole {
            let Snapshot {
                survey,
                events,
                has_more,
                unknown,
            } = &snapshot;
            let moments = self.index(None)?.events.believed_while(moment);
            let file = File(&source, moments, survey, &**events, *has_more, unknown);
            cache::save(&self.repo, FILE, &file);
        }
        Ok(snapshot.named(&self.repo))
    }
}
