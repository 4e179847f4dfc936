//! Opens repository, question store and log, and computes every value that commands show.
//!
//! Here: reading, in the order that a command needs, behind the cache. Not here: arguments, printing (`cli`), or the look of a
//! result (`view`). A computation for several commands is a method of `Project` in a file of its own; `redact.rs` is a short
//! example. A change of what the cache keeps (`Survey`, `Row`, `Kind`, `Rule`, `Kept`), or of how a figure or a statement of a
//! file is found, raises `FORMAT` in `cache.rs`.

mod absent;
mod asked;
mod base;
mod before;
mod brief;
mod built_on;
mod cache;
mod carry;
mod changed_facts;
mod closed;
mod drifts;
mod earlier;
mod facts;
mod figures;
mod find;
mod first_run;
mod fleet;
mod import;
mod index;
mod left_behind;
mod lineage;
mod lint;
mod looks;
mod marked;
mod memo;
mod named_stores;
mod names;
mod proofs;
mod question_history;
mod questions;
mod ready;
mod recording;
mod redact;
mod repeated;
mod report;
mod repositories;
mod resting;
mod review;
mod rows;
mod runs;
mod second;
mod snapshot;
mod standing;
mod states;
mod stats;
mod status;
mod tensions;
mod thread;
mod tip;
mod units;
mod verify;
mod why;

use std::{
    cell::{OnceCell, RefCell},
    panic::resume_unwind,
    sync::Arc,
};

pub use self::{
    absent::default_store,
    asked::{Asked, ExposedBy, Stands},
    brief::{Brief, Reader, STATES_SHOWN, Since, TENSIONS_SHOWN},
    built_on::BuiltOn,
    carry::{Carry, ToCarry, carry, rewritten_since},
    changed_facts::ChangedFact,
    drifts::{Drifts, GivenVerdict},
    facts::{
        AskedFact, MovedFact, asked_facts, asked_places, broken_asked_facts, facts, fixed_facts,
        questions_since,
    },
    figures::{Figures, QuestionFigures, Unpublished},
    find::Found,
    first_run::FirstRun,
    fleet::{Fleet, FleetRow, FleetState, FleetTotals},
    import::Import,
    lint::lint,
    marked::mark,
    question_history::{QuestionChange, TrialComparison},
    questions::{
        FoundStore, StoreNews, close, committed_store, last_asked, no_commit, no_store, store_blob,
        store_if_any, store_of_base, store_of_head, store_paths, worktree_store, write_store,
    },
    ready::{Ready, find_base, fork, no_base},
    recording::{Given, GivenCite, Matched, Recording},
    report::{Answerer, Card, Quote, Report},
    repositories::repositories,
    review::{ChangedAnswer, Review},
    rows::{Narrowed, Range},
    second::{Compared, SecondAsked},
    snapshot::{Measure, Snapshot},
    states::{LastWork, Refused, StateCited, StateReport, all_rows, last_states},
    status::{SharedWith, Status},
    tensions::{ClosingRow, TensionRow},
    verify::{Verified, Wanted},
    why::{Place, Rest, RestKind},
};
use jiff::Timestamp;

use self::{
    base::Base,
    index::{FILE, Facts, WORTH_WRITING},
    lineage::Known,
};
use crate::{
    evidence::Commands,
    git::{Error, HeadRef, History, Mailmap, Oid, Repo},
    question::{ClockSettings, ClosedKind, Question, QuestionSet},
    store::{
        Events, LogTips, Past, Row, Unasked,
        share::{elsewhere, is_private},
        unasked,
    },
    timeline::{Lineage, Timeline, Unknown, short},
};

pub struct Project {
    pub repo: Repo,
    pub head: HeadRef,
    pub tip: Oid,
    pub tips: LogTips,
    seen: Past,
    store: Option<FoundStore>,
    base: Option<Base>,
    keeps: bool,
    /// True if a session waits: then probes have a time budget, and those that exceed it are reported as unknown.
    pub is_hurried: bool,
    pub runs_commands: bool,
    /// Why the log is not here.
    pub without_log: Option<Unknown>,
    log: OnceCell<Arc<Events>>,
    /// The corrected log, see `believed`.
    events: OnceCell<Arc<Events>>,
    facts: RefCell<Facts>,
}

/// Number of lines that are read at once: at first few, so that these are shown soon, then twice as many each time.
const FIRST: usize = 8;
const BATCH: usize = 4096;

/// Walks the history of a commit while something else is read.
pub fn walk_and_read<T>(
    repo: &Repo,
    tip: Oid,
    read: impl FnOnce() -> Result<T, Error>,
) -> Result<(History, T), Error> {
    let walker = repo.clone();
    let (history, read) = std::thread::scope(|scope| {
        let walk = scope.spawn(move || walker.walk(tip));
        let read = read();
        (walk.join().unwrap_or_else(|panic| resume_unwind(panic)), read)
    });
    Ok((history?, read?))
}

impl Project {
    pub fn open(repo: Repo, tip: Option<&str>, keeps: bool) -> Result<Self, Error> {
        let head = repo.head()?;
        let tip = match (tip, head.commit) {
            (Some(revision), _) => repo.commit(revision)?,
            (None, Some(commit)) => commit,
            (None, None) => return Err(no_commit()),
        };
        let keeps = keeps && cache::is_for(&repo)?;
        Ok(Self {
            store: questions::store_if_any(&repo, tip)?,
            seen: Past::seen(&repo)?,
            tips: LogTips::read(&repo)?,
            repo,
            head,
            tip,
            base: None,
            keeps,
            is_hurried: false,
            runs_commands: false,
            without_log: None,
            log: OnceCell::new(),
            events: OnceCell::new(),
            facts: RefCell::default(),
        })
    }

    /// The same commit, with the log as it is now.
    pub fn reread(&self, now: Timestamp) -> Result<Self, Error> {
        Self::open(self.repo.clone().dated(now), Some(&self.tip.to_string()), self.keeps)
    }

    pub fn commands<'p>(&'p self, announce: &'p dyn Fn(&Question)) -> Commands<'p> {
        Commands { repo: &self.repo, may_run: self.runs_commands, announce }
    }

    pub fn questions(&self) -> Result<&FoundStore, Error> {
        self.store.as_ref().ok_or_else(|| absent::no_questions(&self.repo))
    }

    pub fn questions_if_any(&self) -> Option<&FoundStore> {
        self.store.as_ref()
    }

    /// `main at 15cd9173c8`; the branch's name is not escaped.
    pub fn place(&self) -> String {
        let is_head = self.head.commit == Some(self.tip);
        match &self.head.branch {
            Some(branch) if is_head => format!("{branch} at {}", short(self.tip)),
            _ => short(self.tip),
        }
    }

    /// The same, without the name of a branch that only this clone knows.
    pub fn public_place(&self) -> Result<String, Error> {
        Ok(match &self.head.branch {
            Some(branch) if is_private(&self.repo, branch)? => short(self.tip),
            _ => self.place(),
        })
    }

    /// That of the base: a proposal can't say who is the same person.
    pub fn mailmap(&self) -> Mailmap {
        self.repo.mailmap(self.base.as_ref().map_or(self.tip, |base| base.commit))
    }

    /// The log with three corrections: lines that break a chain do not count for a session, lines from the future come
    /// before all others, and unreadable lines that a person closed are left out.
    pub fn events(&self) -> Result<Arc<Events>, Error> {
        if let Some(events) = self.events.get() {
            return Ok(events.clone());
        }
        let mut events = self.log(None)?.clone();
        let correct = |corrected: Option<Events>, events: &mut Arc<Events>| {
            if let Some(corrected) = corrected {
                *events = Arc::new(corrected);
            }
        };
        correct(events.chained(), &mut events);
        correct(events.believed(self.latest()), &mut events);
        let closed = self.closed()?;
        let closed: Vec<&str> = closed.ids(ClosedKind::Unknown).collect();
        correct(events.without(&closed), &mut events);
        Ok(self.events.get_or_init(|| events).clone())
    }

    /// The latest time that a line may name, in milliseconds since 1970, with tolerance for clocks that differ.
    fn latest(&self) -> i64 {
        let tolerance = self
            .store
            .as_ref()
            .map(|store| &store.set.settings.clock)
            .map_or_else(|| ClockSettings::default().tolerance, |set| set.tolerance);
        self.repo.now().saturating_add(tolerance).unwrap_or(Timestamp::MAX).as_millisecond()
    }

    pub fn has_entry(&self, id: &str) -> bool {
        self.events().is_ok_and(|events| events.has_id(id))
    }

    /// Joins the log with history by the original rules, which ignore watches.
    pub fn timeline(&self) -> Result<Timeline, Error> {
        let questions = self.store.as_ref().map(|store| store.set.clone());
        self.join(questions.unwrap_or_default(), true, |timeline, _| timeline)
    }

    /// Joins the log with history, and computes a value from both; `original` ignores what the questions depend on.
    fn join<T>(
        &self,
        questions: QuestionSet,
        original: bool,
        then: impl FnOnce(Timeline, &mut dyn Lineage) -> T,
    ) -> Result<T, Error> {
        let mut history = None;
        let log = self.log(Some(&mut history))?;
        let mut lineage = Known::new(self, log, history)?;
        let mut timeline = Timeline::build(
            self.tip,
            self.events()?,
            questions,
            self.unasked(),
            &mut lineage,
            original,
        );
        let unread = self.tips.unreadable.iter().cloned().map(Unknown::BadRef);
        let grafts = self.repo.has_grafts().then_some(Unknown::Grafts);
        timeline.unknown.extend(unread.chain(grafts));
        timeline.unknown.extend(self.without_log.clone());
        let others = self.other_refs()?.into_iter();
        timeline.unknown.extend(others.map(|(remote, name)| Unknown::OtherRef(remote, name)));
        let then = then(timeline, &mut lineage);
        let is_partial = !lineage.unknown().is_empty();
        self.facts.borrow_mut().is_partial |= is_partial;
        self.keep(log);
        Ok(then)
    }

    /// The remotes with entries that are not read, each with the ref of its log that has them.
    fn other_refs(&self) -> Result<Vec<(String, &'static str)>, Error> {
        let known: Vec<Oid> = self.tips.commits().collect();
        let mut found = Vec::new();
        let upstream = self.repo.upstream_remote(self.head.branch.as_deref());
        for remote in self.repo.remotes() {
            let is_upstream = !remote.declines_log && Some(&remote.name) == upstream.as_ref();
            if remote.shares_log || is_upstream {
                let name = elsewhere(&self.repo, &remote, &known)?;
                found.extend(name.map(|name| (remote.name, name)));
            }
        }
        Ok(found)
    }

    /// True if nothing was missing of the log and the history, as far as they were read.
    fn is_whole(&self) -> bool {
        let is_whole = self.log.get().is_none_or(|log| log.is_whole());
        is_whole && !self.facts.borrow().is_partial
    }

    fn keep(&self, log: &Events) {
        if self.keeps && self.is_whole() && self.facts.borrow().work >= WORTH_WRITING {
            cache::save(&self.repo, FILE, &(log, &*self.facts.borrow()));
            self.facts.borrow_mut().work = 0;
        }
    }

    fn unasked(&self) -> Vec<Unasked> {
        unasked(&self.repo, &self.tips)
    }

    /// Remotes that may have a log and were never asked for it.
    pub fn never_fetched(&self) -> Result<Vec<String>, Error> {
        let events = self.log(None)?;
        let unasked = self.unasked().into_iter();
        let unasked = unasked.filter(|remote| remote.may_have_more(events.writers()));
        Ok(unasked.map(|remote| Unknown::NeverFetched(remote.name).to_string()).collect())
    }

    /// Entries with the bytes of their lines, read while the iterator advances. Entries in missing notes are left out.
    pub fn lines<'p>(
        &'p self,
        events: Arc<Events>,
        rows: &[Row],
    ) -> impl Iterator<Item = (Row, Vec<u8>)> + use<'p> {
        // Each batch reads the notes of its lines, and one note may have them all.
        let (mut rest, mut size, mut batches) = (rows, FIRST, Vec::new());
        while !rest.is_empty() {
            let (batch, others) = rest.split_at(size.min(rest.len()));
            batches.push(batch.to_vec());
            (rest, size) = (others, BATCH.min(2 * size));
        }
        batches.into_iter().flat_map(move |rows| {
            let lines = events.lines(&self.repo, &rows.iter().collect::<Vec<_>>());
            rows.into_iter().zip(lines).filter_map(|(row, line)| Some((row, line?)))
        })
    }

    /// The log, mostly from the cache. If the whole log has to be read, `history` is walked in parallel.
    fn log(&self, history: Option<&mut Option<History>>) -> Result<&Arc<Events>, Error> {
        if let Some(log) = self.log.get() {
            return Ok(log);
        }
        let (repo, tips) = (&self.repo, &self.tips);
        let kept: Option<(Events, Facts)> = self.keeps.then(|| cache::load(repo, FILE)).flatten();
        let (events, facts) = kept.unzip();
        let mut facts = facts.unwrap_or_default();
        let events = events.and_then(|events| events.updated(repo, tips));
        let is_new = events.is_none();
        if let Some(events) = &events {
            facts.work = events.parsed;
        } else {
            facts = facts.renumbered();
        }
        *self.facts.borrow_mut() = facts;
        let is_alone = history.is_none();
        let events = match (events, history) {
            (Some(events), _) => events,
            (None, None) => Events::read(repo, tips)?,
            (None, Some(history)) => {
                let (walked, events) = walk_and_read(repo, self.tip, || Events::read(repo, tips))?;
                *history = Some(walked);
                events
            }
        };
        let log = self.log.get_or_init(|| Arc::new(events.with_names(self.mailmap())));
        if is_new && is_alone {
            self.keep(log);
        }
        Ok(log)
    }
}
