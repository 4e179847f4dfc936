//! Joins commits, events and question versions into one value, oldest first; later stages never read git.
//!
//! Here: which entries count, and in which order. Not here: figures (`metrics`).

mod asked;
mod change;
mod due;
mod lineage;
mod looks;
mod placing;
mod unknown;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ops::Range,
    sync::Arc,
};

use self::asked::Asked;
pub use self::{
    change::Change,
    lineage::{AskedBy, Lineage, OnMain, Watch},
    looks::{Look, goes_on},
    unknown::{Unknown, places, short},
};
use crate::{
    entry::Ts,
    git::Oid,
    question::{Question, QuestionSet},
    store::{Answer, Events, Row, Unasked},
};

/// Most sessions give no more answers.
const USUAL: usize = 16;

#[derive(Debug, Default)]
pub struct Timeline {
    pub tip: Oid,
    pub questions: QuestionSet,
    pub events: Arc<Events>,
    pub entries: Vec<Entry>,
    /// The commits that carry an entry, by its number, where there are several.
    copies: HashMap<u32, Vec<u32>>,
    pub sessions: Vec<Session>,
    /// The latest answers of all sessions.
    answers: Vec<SessionAnswer>,
    /// The row numbers of `rederive` entries whose commits the tip does not contain.
    pub elsewhere: Vec<u32>,
    /// The row numbers of entries of other kinds on the commit that they name, with its commit time.
    pub others: Vec<(u32, i64)>,
    /// The row numbers of the lines that end a session, on a commit that the tip contains, without duplicates.
    pub ends: Vec<u32>,
    /// The readable question stores that entries name, by number.
    asked: HashMap<u32, Asked>,
    /// The number of lines that are not entries on commits of the tip, by the number of the commit.
    pub texts: BTreeMap<u32, usize>,
    /// True if sessions are judged by the dependencies of questions.
    pub is_judged: bool,
    pub looks: Vec<Look>,
    /// True if the dependencies that questions declare are ignored.
    is_original: bool,
    /// By the number of the question version: true if its answers follow from files, and make no session.
    facts: Vec<bool>,
    /// The number of recent sessions in which a question due on change was due and left out.
    exposed: HashMap<(String, u32), usize>,
    /// The deltas that questions expect because certain paths changed.
    expected: HashSet<SessionAnswer>,
    /// Remotes that may have a log and were never asked for it.
    pub unasked: Vec<Unasked>,
    pub imported: usize,
    /// Number of lines of other kinds that the tip contains.
    pub other_kinds: usize,
    pub unknown: Vec<Unknown>,
}

/// An entry and the commit at which it counts.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub row: u32,
    pub committed: i64,
    next: Option<u32>,
    /// The number of the question store that it answered, 0 if unknown.
    store: u32,
}

/// One session: all entries of a `sid` of one writer.
#[derive(Debug, Clone, Default)]
pub struct Session {
    /// The entry that sets its place in the order.
    pub first: u32,
    /// The entry that sets its head, anchor and time.
    pub last: u32,
    /// The latest earlier session on the same line of history.
    pub predecessor: Option<u32>,
    /// The last entry by which its silence is judged: none after the next session of its worktree began, since such an
    /// entry could undo an alarm.
    judged: u32,
    /// True for an unsigned session (no writer) that follows signed ones. It never is the predecessor of a signed
    /// session, and closes nothing.
    pub is_foreign: bool,
    /// True if one of its answers up to `judged` is a delta.
    pub has_delta: bool,
    /// Where its answers stand, and those up to `judged`.
    answers: Range<usize>,
    judged_answers: Range<usize>,
}

impl Session {
    fn is_judged_by(&self, entry: u32) -> bool {
        entry <= self.judged
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionAnswer {
    pub entry: u32,
    pub place: u32,
}

impl Timeline {
    /// Builds the timeline. `original` ignores the dependencies that questions declare.
    pub fn build(
        tip: Oid,
        events: Arc<Events>,
        mut questions: QuestionSet,
        unasked: Vec<Unasked>,
        lineage: &mut dyn Lineage,
        original: bool,
    ) -> Self {
        // A person accepted the line that they saw.
        questions.closed.0.retain(|closed| closed.entry().is_none_or(|id| events.is_one_line(id)));
        let mut timeline = Self {
            tip,
            entries: Vec::with_capacity(events.rows().len()),
            sessions: Vec::with_capacity(events.session_count()),
            is_original: original,
            facts: facts(&events, &questions, original),
            is_judged: !original && questions.has_dependencies(),
            unasked,
            unknown: lineage.unknown(),
            questions,
            events,
            ..Self::default()
        };
        let events = timeline.events.clone();
        timeline.place(&events, lineage);
        timeline.group(&events, original);
        if !original {
            timeline.find_foreign();
        }
        timeline.find_predecessors(lineage);
        timeline.read_stores(lineage);
        if !original {
            timeline.count_exposed(lineage);
            timeline.drop_idle_ends(lineage);
            timeline.find_expected(lineage);
            timeline.looks = timeline.find_looks(lineage);
        }
        timeline
    }

    pub fn row(&self, entry: u32) -> &Row {
        &self.events.rows()[self.entries[entry as usize].row as usize]
    }

    /// Returns true if a commit, by its number, contains one that carries an entry.
    pub fn is_before(&self, entry: u32, commit: u32, lineage: &mut dyn Lineage) -> bool {
        let copies = self.copies.get(&entry).into_iter().flatten();
        lineage.holds(commit, self.row(entry).anchor)
            || copies.copied().any(|copy| lineage.holds(commit, copy))
    }

    /// Returns true if an entry is dated before the commit that it names, by more than clocks may differ.
    pub fn is_early(&self, entry: u32) -> bool {
        let (row, tolerance) = (self.row(entry), self.questions.settings.clock.tolerance);
        let committed = self.entries[entry as usize].committed;
        self.events.is_at_head(row) && row.is_older_than(committed, tolerance)
    }

    pub fn newest_first(&self) -> impl Iterator<Item = &Row> {
        self.entries.iter().rev().map(|entry| &self.events.rows()[entry.row as usize])
    }

    /// What may be missing. Facts alone need no log.
    pub fn unknown_texts(&self) -> Vec<String> {
        let is_owed = self.questions.active().any(|question| !question.is_fact());
        let may_have_more =
            |remote: &&Unasked| is_owed && remote.may_have_more(self.events.writers());
        let never_fetched = |remote: &Unasked| Unknown::NeverFetched(remote.name.clone());
        let unasked = self.unasked.iter().filter(may_have_more).map(never_fetched);
        self.unknown.iter().cloned().chain(unasked).map(|unknown| unknown.to_string()).collect()
    }

    pub fn last(&self, session: &Session) -> &Row {
        self.row(session.last)
    }

    pub fn judged(&self, session: &Session) -> &Row {
        self.row(session.judged)
    }

    pub fn sid(&self, session: &Session) -> &str {
        self.events.sid(self.last(session))
    }

    pub fn ts(&self, session: &Session) -> Ts {
        self.events.ts(self.last(session))
    }

    /// Oldest first.
    pub fn entries_of(&self, session: &Session) -> impl Iterator<Item = u32> {
        let next = |&entry: &u32| self.entries[entry as usize].next;
        std::iter::successors(Some(session.first), next)
    }

    /// One answer for each question version but facts, in the order of first mention: the latest, or, where questions
    /// declare dependencies, a delta that no later answer at its commit took back.
    pub fn answers(&self, session: &Session) -> &[SessionAnswer] {
        &self.answers[session.answers.clone()]
    }

    /// As [`Timeline::answers`], for the entries by which the session's silence is judged.
    pub fn judged_answers(&self, session: &Session) -> &[SessionAnswer] {
        &self.answers[session.judged_answers.clone()]
    }

    fn latest(&self, entries: impl Iterator<Item = u32>) -> Vec<SessionAnswer> {
        let mut answers = Vec::with_capacity(USUAL);
        // By the number of the question version, the place of its answer.
        let mut known = vec![usize::MAX; self.facts.len()];
        for entry in entries {
            let row = self.row(entry);
            for (place, answer) in (0..).zip(self.events.answers(row)) {
                let new = SessionAnswer { entry, place };
                let known = &mut known[answer.question as usize];
                if let Some(old) = answers.get_mut(*known) {
                    if !self.is_judged || answer.delta || !self.is_delta_elsewhere(*old, row) {
                        *old = new;
                    }
                } else {
                    *known = answers.len();
                    answers.push(new);
                }
            }
        }
        answers
    }

    fn is_delta_elsewhere(&self, answer: SessionAnswer, row: &Row) -> bool {
        self.answer(answer).delta && self.row(answer.entry).anchor != row.anchor
    }

    /// Collects the answers of each session.
    fn collect_answers(&mut self) {
        for place in 0..self.sessions.len() {
            let session = &self.sessions[place];
            let all = self.latest(self.entries_of(session));
            let last = self.entries_of(session).last();
            let is_whole = last.is_none_or(|last| session.is_judged_by(last));
            let judged = (!is_whole).then(|| {
                let judged = |entry: &u32| session.is_judged_by(*entry);
                self.latest(self.entries_of(session).take_while(judged))
            });
            let all = self.add_answers(all);
            let judged = judged.map_or_else(|| all.clone(), |judged| self.add_answers(judged));
            let mut deltas = self.answers[judged.clone()].iter();
            let has_delta = deltas.any(|answer| self.answer(*answer).delta);
            let session = &mut self.sessions[place];
            (session.answers, session.judged_answers, session.has_delta) = (all, judged, has_delta);
        }
    }

    fn add_answers(&mut self, answers: Vec<SessionAnswer>) -> Range<usize> {
        let start = self.answers.len();
        for answer in answers {
            if !self.is_fact(self.answer(answer).question) {
                self.answers.push(answer);
            }
        }
        start..self.answers.len()
    }

    /// Returns true if the answers to a question version, by its number, follow from files.
    pub fn is_fact(&self, question: u32) -> bool {
        self.facts[question as usize]
    }

    /// Returns true if sessions owe an answer to a question.
    pub fn is_owed(&self, question: &Question) -> bool {
        self.is_original || !question.is_fact()
    }

    /// Returns true if a line answers a question that is no fact.
    pub fn has_answers(&self, row: &Row) -> bool {
        self.events.answers(row).iter().any(|answer| !self.is_fact(answer.question))
    }

    /// The number of a question version; `None` if it was never answered.
    pub fn number(&self, question: &Question) -> Option<u32> {
        self.events.question_number(&question.id, question.version)
    }

    /// The answered question, if the store has it.
    pub fn question(&self, answer: SessionAnswer) -> Option<&Question> {
        let (id, version) = self.events.question(self.answer(answer).question);
        self.questions.find(id, version)
    }

    pub fn answer(&self, answer: SessionAnswer) -> Answer {
        self.events.answers(self.row(answer.entry))[answer.place as usize]
    }

    fn group(&mut self, events: &Events, original: bool) {
        let mut of_session: Vec<Option<u32>> = vec![None; events.session_count()];
        // The last recorded session of each worktree.
        let mut current: HashMap<(u32, u32), u32> = HashMap::new();
        let mut is_over: Vec<bool> = Vec::new();
        for number in 0..self.entries.len() {
            let entry = u32::try_from(number).unwrap_or(u32::MAX);
            let row = *self.row(entry);
            // An entry with a future time counts only once that time has come, and one of facts alone makes no session.
            let is_of_facts = !events.answers(&row).is_empty() && !self.has_answers(&row);
            if (row.is_ahead && !original) || is_of_facts {
                continue;
            }
            let known = of_session[row.session as usize];
            let place = known.unwrap_or_else(|| {
                let (first, last, judged) = (entry, entry, entry);
                self.sessions.push(Session { first, last, judged, ..Session::default() });
                is_over.push(false);
                let place = u32::try_from(self.sessions.len() - 1).unwrap_or(u32::MAX);
                of_session[row.session as usize] = Some(place);
                place
            });
            let begun_in = events.worktree(self.row(self.sessions[place as usize].first));
            let here = events.worktree(&row);
            let gave_way = |worktree| current.get(&worktree).is_some_and(|last| *last != place);
            let is_late = known.is_some() && begun_in.into_iter().chain(here).any(gave_way);
            is_over[place as usize] |= is_late && !original;
            current.extend(here.map(|worktree| (worktree, place)));
            let session = &mut self.sessions[place as usize];
            if known.is_some() {
                if !is_over[place as usize] {
                    session.judged = entry;
                }
                let last = std::mem::replace(&mut session.last, entry);
                self.entries[last as usize].next = Some(entry);
            }
        }
        self.collect_answers();
    }

    fn find_foreign(&mut self) {
        let mut has_own = false;
        for place in 0..self.sessions.len() {
            let first = self.row(self.sessions[place].first);
            let is_own = self.events.worktree(first).is_some();
            self.sessions[place].is_foreign = has_own && !is_own;
            has_own |= is_own;
        }
    }

    fn find_predecessors(&mut self, lineage: &mut dyn Lineage) {
        for place in 1..self.sessions.len() {
            let session = &self.sessions[place];
            let here = self.judged(session).anchor;
            let is_judged_by = |earlier: &Session| session.is_foreign || !earlier.is_foreign;
            let predecessor = (0..place).rev().find(|&earlier| {
                let earlier = &self.sessions[earlier];
                is_judged_by(earlier) && lineage.are_in_line(self.judged(earlier).anchor, here)
            });
            self.sessions[place].predecessor =
                predecessor.and_then(|place| u32::try_from(place).ok());
        }
    }
}

/// For each answered question version, true if it is a fact; by the original rules, none is.
fn facts(events: &Events, questions: &QuestionSet, original: bool) -> Vec<bool> {
    events
        .questions()
        .map(|(id, version)| {
            !original && questions.find(id, version).is_some_and(Question::is_fact)
        })
        .collect()
}
