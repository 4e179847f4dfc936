//! Joins commits, entries and question versions into one value, oldest first; nothing downstream sees git.

mod exposure;
mod place;
mod unknown;

use std::collections::HashMap;

use self::place::{Candidate, readings};
pub use self::{
    exposure::Exposure,
    unknown::{Unknown, short},
};
use crate::{
    entry::{Entry, Reading, ResultIn},
    git::{self, Changes, History, Node, Oid},
    question::QuestionSet,
    store::Log,
};

/// The log as seen from one tip.
#[derive(Debug)]
pub struct Timeline<'l> {
    pub tip: Oid,
    pub questions: QuestionSet,
    /// Rederive entries that the tip contains, oldest first, each once.
    pub entries: Vec<PlacedEntry<'l>>,
    /// Oldest first, by the first entry.
    pub sessions: Vec<Session>,
    pub counts: Counts,
    pub unknown: Vec<Unknown>,
}

/// An entry and where it counts.
#[derive(Debug, Clone)]
pub struct PlacedEntry<'l> {
    pub entry: Entry<'l>,
    pub anchor: Oid,
    /// The anchor's commit time, in seconds since 1970.
    pub committed: i64,
    /// The line as it stands in the note.
    pub line: &'l [u8],
}

/// One session: all entries of a `sid` of one writer.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its entries, oldest first; never empty. The first sets its place, the last its head, anchor and time.
    pub entries: Vec<usize>,
    /// The latest result for each question version, in the order of first mention.
    pub answers: Vec<Answer>,
    /// The latest earlier session on the same line of history.
    pub predecessor: Option<usize>,
    /// Entries that came after the same worktree had begun another session.
    pub late: Vec<usize>,
    /// What the session's silence has to be judged by; only for sessions without any delta whose head moved.
    pub exposure: Option<Exposure>,
}

/// The place of a result among the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub entry: usize,
    pub result: usize,
}

/// What was met beside the entries that count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Commits that the tip contains.
    pub commits: usize,
    pub imported: usize,
    /// Lines of other kinds.
    pub other_kinds: usize,
    /// Entries none of whose commits the tip contains.
    pub elsewhere: usize,
}

/// Gives the paths that differ between two commits.
pub type Differ<'d> = &'d mut dyn FnMut(Oid, Oid) -> git::Result<Changes>;

impl<'l> Timeline<'l> {
    /// Joins what was read.
    ///
    /// `original` leaves out what questions say about their dependencies.
    pub fn build(
        tip: Oid,
        history: &History,
        log: &'l Log,
        questions: QuestionSet,
        original: bool,
        differ: Differ,
    ) -> Self {
        let mut timeline = Self {
            tip,
            questions,
            entries: Vec::new(),
            sessions: Vec::new(),
            counts: Counts {
                commits: history.len(),
                ..Counts::default()
            },
            unknown: Vec::new(),
        };
        let cut = history.cut_at().iter().copied().map(Unknown::Cut);
        let missing = history.missing().iter().copied();
        timeline.unknown.extend(cut.take(1));
        timeline.unknown.extend(missing.map(Unknown::MissingCommit));
        timeline.read_log(history, log);
        timeline.group(history);
        if !original && timeline.questions.has_dependencies() {
            timeline.judge_silence(history, differ);
        }
        timeline
    }

    /// The result that an answer names.
    pub fn result(&self, answer: Answer) -> &ResultIn<'l> {
        &self.entries[answer.entry].entry.results[answer.result]
    }

    /// The last entry of a session.
    pub fn last(&self, session: &Session) -> &PlacedEntry<'l> {
        let last = session.entries.len() - 1;
        &self.entries[session.entries[last]]
    }

    /// Whether a session reports any delta.
    pub fn has_delta(&self, session: &Session) -> bool {
        session.answers.iter().any(|&a| self.result(a).delta)
    }

    fn read_log(&mut self, history: &History, log: &'l Log) {
        let contained = |anchor: Oid| history.find(anchor).is_some();
        let missing = log.missing.iter().copied().filter(|&a| contained(a));
        self.unknown.extend(missing.map(Unknown::MissingNote));
        let mut candidates: Vec<Candidate<'l>> = Vec::new();
        for (anchor, line, reading) in readings(log) {
            let node = history.find(anchor);
            match reading {
                Reading::Rederive(entry) => {
                    candidates.push(Candidate {
                        node,
                        placed: PlacedEntry {
                            entry,
                            anchor,
                            committed: node.map_or(0, |node| history.time(node)),
                            line,
                        },
                    });
                }
                Reading::Newer(version) if node.is_some() => {
                    self.unknown.push(Unknown::Newer(anchor, version));
                }
                Reading::OtherKind if node.is_some() => self.counts.other_kinds += 1,
                Reading::Unreadable(why) if node.is_some() => {
                    self.unknown.push(Unknown::Unreadable(anchor, why));
                }
                Reading::Newer(_) | Reading::OtherKind | Reading::Unreadable(_) => {}
            }
        }
        // The same entry on several commits stands side by side then, and the best place of it comes first.
        candidates.sort_by(|one, two| {
            let entries = (&one.placed.entry, &two.placed.entry);
            let by_time = entries.0.ts.cmp(&entries.1.ts);
            by_time
                .then_with(|| entries.0.id.cmp(&entries.1.id))
                .then_with(|| one.key().cmp(&two.key()))
        });
        candidates.dedup_by(|next, kept| {
            let is_same = next.key() == kept.key();
            if is_same && next.is_better_than(kept, history) {
                std::mem::swap(next, kept);
            }
            is_same
        });
        let all = candidates.len();
        candidates.retain(|candidate| candidate.node.is_some());
        self.counts.elsewhere = all - candidates.len();
        self.entries = candidates.into_iter().map(|c| c.placed).collect();
        self.counts.imported = self.entries.iter().filter(|e| e.entry.imported).count();
    }

    fn group(&mut self, history: &History) {
        let mut sessions: Vec<Session> = Vec::new();
        let mut of_sid: HashMap<(Option<&str>, &str), usize> = HashMap::new();
        // The session that a worktree recorded last.
        let mut current: HashMap<(&str, Option<&str>), usize> = HashMap::new();
        for (number, placed) in self.entries.iter().enumerate() {
            let entry = &placed.entry;
            let key = (entry.writer.as_deref(), entry.sid.as_ref());
            let place = *of_sid.entry(key).or_insert_with(|| {
                sessions.push(Session {
                    entries: Vec::new(),
                    answers: Vec::new(),
                    predecessor: None,
                    late: Vec::new(),
                    exposure: None,
                });
                sessions.len() - 1
            });
            let session = &mut sessions[place];
            if let Some(writer) = entry.writer.as_deref() {
                let last = current.insert((writer, entry.worktree.as_deref()), place);
                if last.is_some_and(|last| last != place) && !session.entries.is_empty() {
                    session.late.push(number);
                }
            }
            session.entries.push(number);
            for (result, answer) in entry.results.iter().enumerate() {
                let new = Answer {
                    entry: number,
                    result,
                };
                let same = session.answers.iter_mut().find(|old| {
                    let old = &self.entries[old.entry].entry.results[old.result];
                    old.q_id == answer.q_id && old.q_version == answer.q_version
                });
                match same {
                    Some(old) => *old = new,
                    None => session.answers.push(new),
                }
            }
        }
        self.sessions = sessions;
        self.find_predecessors(history);
    }

    fn find_predecessors(&mut self, history: &History) {
        let nodes: Vec<Option<Node>> = self
            .sessions
            .iter()
            .map(|session| history.find(self.last(session).anchor))
            .collect();
        for place in 1..self.sessions.len() {
            self.sessions[place].predecessor =
                (0..place)
                    .rev()
                    .find(|&earlier| match (nodes[earlier], nodes[place]) {
                        (Some(one), Some(two)) => history.are_in_line(one, two),
                        _ => false,
                    });
        }
    }
}
