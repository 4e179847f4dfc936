//! Joins commits, events and question versions into one value, oldest first; nothing downstream sees git.

mod asked;
mod change;
mod due;
mod lineage;
mod looks;
mod placing;
mod unknown;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use self::asked::Asked;
pub use self::{
    change::Change,
    lineage::{Lineage, Watch},
    looks::Look,
    unknown::{Unknown, places, short},
};
use crate::{
    entry::Ts,
    git::Oid,
    question::QuestionSet,
    store::{Answer, Events, Row, Unasked},
};

/// The log as seen from one tip.
#[derive(Debug)]
pub struct Timeline {
    pub tip: Oid,
    pub questions: QuestionSet,
    pub events: Arc<Events>,
    /// Rederive entries that the tip contains, oldest first, each once.
    pub entries: Vec<Entry>,
    /// Oldest first, by the first entry.
    pub sessions: Vec<Session>,
    /// The places of rederive entries none of whose commits the tip contains.
    pub elsewhere: Vec<u32>,
    /// The places of entries of other kinds that stand on the very commit that they name, with its commit time.
    pub others: Vec<(u32, i64)>,
    /// The places of the lines that end a session, on a commit that the tip contains, each once.
    pub ends: Vec<u32>,
    /// What was asked by the question stores that entries name, by their numbers; those that can't be read are left
    /// out.
    asked: HashMap<u32, Asked>,
    /// Text that is no entry, by the numbers of the commits that the tip contains: the first line, and how many there are.
    texts: BTreeMap<u32, (u32, usize)>,
    /// Whether sessions are judged by what questions depend on.
    pub is_judged: bool,
    /// What sessions recorded at each commit; none by the rule of the original scripts.
    pub looks: Vec<Look>,
    /// Whether nothing that questions say of themselves counts.
    is_original: bool,
    /// Of each question that is due on change, in how many of the last sessions it was, and was left out.
    exposed: HashMap<(String, u32), usize>,
    /// The deltas that questions expect because certain paths changed.
    expected: HashSet<SessionAnswer>,
    /// Remotes that may have a log and were never asked for it.
    pub unasked: Vec<Unasked>,
    pub counts: Counts,
    pub unknown: Vec<Unknown>,
    /// The notes of the last two sessions' answers.
    notes: BTreeMap<SessionAnswer, String>,
}

/// An entry and where it counts.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its place among the rows of the log.
    row: u32,
    /// When its anchor was committed, in seconds since 1970.
    pub committed: i64,
    /// The next entry of the same session.
    next: Option<u32>,
    /// The number of the question store that it answered, 0 where that is not known.
    store: u32,
}

/// One session: all entries of a `sid` of one writer.
#[derive(Debug, Clone)]
pub struct Session {
    /// The entry that sets its place.
    pub first: u32,
    /// The entry that sets its head, anchor and time.
    pub last: u32,
    /// The latest earlier session on the same line of history.
    pub predecessor: Option<u32>,
    /// The last entry that its silence is judged by: none that came after its worktree had begun another session, as such
    /// a one could undo an alarm.
    judged: u32,
    /// Whether nobody wrote it: no clone says so, although clones wrote earlier ones. It is shown and closes nothing.
    pub is_foreign: bool,
    /// Whether any of its answers up to there, the later ones winning, is a delta.
    pub has_delta: bool,
}

/// An answer of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionAnswer {
    pub entry: u32,
    /// Its place among the entry's answers.
    pub place: u32,
}

/// What was met beside the entries that count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    pub imported: usize,
    /// Lines of other kinds that the tip contains.
    pub other_kinds: usize,
}

impl Timeline {
    /// Joins what was read. `note` gives the note of an answer, by its row and its place there.
    ///
    /// `original` leaves out what questions say about their dependencies.
    pub fn build(
        tip: Oid,
        events: Arc<Events>,
        questions: QuestionSet,
        unasked: Vec<Unasked>,
        lineage: &mut dyn Lineage,
        original: bool,
        note: impl Fn(&Row, usize) -> Option<String>,
    ) -> Self {
        let mut timeline = Self {
            tip,
            entries: Vec::with_capacity(events.rows().len()),
            sessions: Vec::with_capacity(events.session_count()),
            elsewhere: Vec::new(),
            others: Vec::new(),
            ends: Vec::new(),
            texts: BTreeMap::new(),
            asked: HashMap::new(),
            is_original: original,
            exposed: HashMap::new(),
            expected: HashSet::new(),
            is_judged: !original && questions.has_dependencies(),
            looks: Vec::new(),
            unasked,
            counts: Counts::default(),
            unknown: lineage.unknown(),
            notes: BTreeMap::new(),
            questions,
            events,
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
        for session in timeline.sessions.iter().rev().take(2) {
            for answer in timeline.answers(session) {
                let row = timeline.row(answer.entry);
                let text = note(row, answer.place as usize);
                timeline.notes.extend(text.map(|text| (answer, text)));
            }
        }
        timeline
    }

    /// The line of an entry.
    pub fn row(&self, entry: u32) -> &Row {
        &self.events.rows()[self.entries[entry as usize].row as usize]
    }

    /// The entries, newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Row> {
        let rows = self.entries.iter().rev();
        rows.map(|entry| &self.events.rows()[entry.row as usize])
    }

    /// The last entry of a session.
    pub fn last(&self, session: &Session) -> &Row {
        self.row(session.last)
    }

    /// The last entry of a session that its silence is judged by.
    pub fn judged(&self, session: &Session) -> &Row {
        self.row(session.judged)
    }

    /// The name of a session.
    pub fn sid(&self, session: &Session) -> &str {
        self.events.sid(self.last(session))
    }

    /// When a session's last entry was made.
    pub fn ts(&self, session: &Session) -> Ts {
        self.events.ts(self.last(session))
    }

    /// The entries of a session, oldest first.
    pub fn entries_of(&self, session: &Session) -> impl Iterator<Item = u32> {
        let next = |&entry: &u32| self.entries[entry as usize].next;
        std::iter::successors(Some(session.first), next)
    }

    /// The latest answer for each question version, in the order of first mention.
    pub fn answers(&self, session: &Session) -> Vec<SessionAnswer> {
        self.latest(self.entries_of(session))
    }

    /// The same of the entries that its silence is judged by.
    pub fn judged_answers(&self, session: &Session) -> Vec<SessionAnswer> {
        self.latest(self.judged_entries(session))
    }

    fn judged_entries(&self, session: &Session) -> impl Iterator<Item = u32> {
        let last = session.judged;
        self.entries_of(session)
            .take_while(move |&entry| entry <= last)
    }

    fn latest(&self, entries: impl Iterator<Item = u32>) -> Vec<SessionAnswer> {
        let mut answers: Vec<SessionAnswer> = Vec::new();
        for entry in entries {
            let row = self.row(entry);
            for (place, answer) in (0..).zip(self.events.answers(row)) {
                let new = SessionAnswer { entry, place };
                let same = answers
                    .iter_mut()
                    .find(|old| self.answer(**old).question == answer.question);
                match same {
                    Some(old) => *old = new,
                    None => answers.push(new),
                }
            }
        }
        answers
    }

    /// What was answered.
    pub fn answer(&self, answer: SessionAnswer) -> Answer {
        self.events.answers(self.row(answer.entry))[answer.place as usize]
    }

    /// Text that is no entry: for each commit the first line, and how many there are.
    pub fn texts(&self) -> impl Iterator<Item = (&Row, usize)> {
        let texts = self.texts.values();
        texts.map(|&(row, lines)| (&self.events.rows()[row as usize], lines))
    }

    /// The note of an answer of one of the last two sessions.
    pub fn note(&self, answer: SessionAnswer) -> Option<&str> {
        self.notes.get(&answer).map(String::as_str)
    }

    fn group(&mut self, events: &Events, original: bool) {
        let mut of_session: Vec<Option<u32>> = vec![None; events.session_count()];
        // The session that a worktree recorded last.
        let mut current: HashMap<(u32, u32), u32> = HashMap::new();
        let mut is_over: Vec<bool> = Vec::new();
        for number in 0..self.entries.len() {
            let entry = u32::try_from(number).unwrap_or(u32::MAX);
            let row = *self.row(entry);
            // A line that is dated ahead counts for nothing until its time comes.
            if row.is_ahead && !original {
                continue;
            }
            let known = of_session[row.session as usize];
            let place = known.unwrap_or_else(|| {
                self.sessions.push(Session {
                    first: entry,
                    last: entry,
                    predecessor: None,
                    judged: entry,
                    is_foreign: false,
                    has_delta: false,
                });
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
        for place in 0..self.sessions.len() {
            let session = &self.sessions[place];
            let has_delta = if session.first == session.judged {
                let answers = events.answers(self.row(session.first));
                has_delta_at_last(answers)
            } else {
                let answers = self.judged_answers(session);
                answers.into_iter().any(|one| self.answer(one).delta)
            };
            self.sessions[place].has_delta = has_delta;
        }
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

/// Whether any answer of one entry is a delta; of two about the same question the later one counts.
fn has_delta_at_last(answers: &[Answer]) -> bool {
    let mut places = (1..).zip(answers).filter(|(_, answer)| answer.delta);
    places.any(|(next, answer)| {
        let mut later = answers[next..].iter();
        !later.any(|later| later.question == answer.question)
    })
}
