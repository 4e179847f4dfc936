//! Joins commits, entries and question versions into one value, oldest first; nothing downstream sees git.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet, hash_map},
    fmt,
};

use crate::{
    entry::{Entry, Reading, ResultIn, read},
    git::{self, Changes, History, Node, Oid, Pathspecs},
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

/// Which of a session's questions had a reason to change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exposure {
    /// Questions whose watched files changed since they were last derived, that were not derived for the first time
    /// and have no evidence.
    pub unexcused: Vec<String>,
    /// Questions of which that could not be found out.
    pub unknown: Vec<String>,
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

/// Why a figure may be wrong although nothing says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// History ends at this commit, by a shallow clone or a graft.
    Cut(Oid),
    /// A commit of the tip's own history is not there.
    MissingCommit(Oid),
    /// The note on this commit is not there.
    MissingNote(Oid),
    /// A line on this commit can't be read.
    Unreadable(Oid, String),
    /// A line on this commit was written by a newer program.
    Newer(Oid, u64),
    /// Whether a session's questions were exposed can't be found out.
    Exposure(String, Vec<String>),
    /// A pathspec of a question is none.
    Watch(String, String),
    /// This remote may have a log and was never asked for it.
    NeverFetched {
        remote: String,
        /// Whether a plain `git fetch` would ask it.
        set_up: bool,
    },
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Cut(commit) => write!(
                f,
                "history ends at {} (a shallow clone or a graft): what lies before is not counted",
                short(*commit)
            ),
            Self::MissingCommit(commit) => write!(f, "the commit {commit} is missing"),
            Self::MissingNote(commit) => write!(f, "the note on {} is missing", short(*commit)),
            Self::Unreadable(commit, why) => {
                write!(f, "a line on {} can't be read: {why}", short(*commit))
            }
            Self::Newer(commit, version) => write!(
                f,
                "a line on {} has version {version}, which this git sq is too old for",
                short(*commit)
            ),
            Self::Exposure(sid, questions) => write!(
                f,
                "whether {} was exposed in session {sid} can't be found out",
                questions.join(", ")
            ),
            Self::Watch(question, why) => write!(f, "{question}: {why}"),
            Self::NeverFetched { remote, set_up } => {
                let how = if *set_up {
                    format!("git fetch {remote}")
                } else {
                    "git sq init".to_owned()
                };
                write!(
                    f,
                    "{remote} may have a log and was never asked for it: run `{how}`"
                )
            }
        }
    }
}

/// The first digits of a commit's id, for people.
pub fn short(commit: Oid) -> String {
    commit.to_string()[..10].to_owned()
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
            timeline.judge_silence(differ);
        }
        timeline
    }

    /// The result that an answer names.
    pub fn result(&self, answer: Answer) -> &ResultIn<'l> {
        &self.entries[answer.entry].entry.results[answer.result]
    }

    /// The first entry of a session.
    pub fn first(&self, session: &Session) -> &PlacedEntry<'l> {
        &self.entries[session.entries[0]]
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
        let mut seen: HashMap<Cow<'l, [u8]>, usize> = HashMap::new();
        let mut candidates: Vec<Candidate<'l>> = Vec::new();
        for (anchor, line, reading) in readings(log) {
            let node = history.find(anchor);
            match reading {
                Reading::Rederive(entry) => {
                    let new = Candidate {
                        node,
                        placed: PlacedEntry {
                            entry,
                            anchor,
                            line,
                        },
                    };
                    match seen.entry(new.key()) {
                        hash_map::Entry::Vacant(place) => {
                            place.insert(candidates.len());
                            candidates.push(new);
                        }
                        hash_map::Entry::Occupied(place) => {
                            let old = &mut candidates[*place.get()];
                            if new.is_better_than(old, history) {
                                *old = new;
                            }
                        }
                    }
                }
                Reading::Foreign(foreign) if node.is_some() => match foreign.newer {
                    Some(version) => self.unknown.push(Unknown::Newer(anchor, version)),
                    None => self.counts.other_kinds += 1,
                },
                Reading::Unreadable(why) if node.is_some() => {
                    self.unknown.push(Unknown::Unreadable(anchor, why));
                }
                Reading::Foreign(_) | Reading::Unreadable(_) => {}
            }
        }
        let all = candidates.len();
        candidates.retain(|candidate| candidate.node.is_some());
        self.counts.elsewhere = all - candidates.len();
        self.entries = candidates.into_iter().map(|c| c.placed).collect();
        self.entries.sort_by(|one, two| {
            let key = |placed: &PlacedEntry<'l>| placed.entry.id.clone();
            (&one.entry.ts, key(one), one.line).cmp(&(&two.entry.ts, key(two), two.line))
        });
        self.counts.imported = self.entries.iter().filter(|e| e.entry.imported).count();
    }

    fn group(&mut self, history: &History) {
        let mut sessions: Vec<Session> = Vec::new();
        let mut of_sid: HashMap<(Option<&str>, &str), usize> = HashMap::new();
        // The session that a worktree recorded last; two worktrees of a clone never have the same branch out.
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
                let last = current.insert((writer, entry.branch.as_deref()), place);
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

    /// For every session without a delta whose head moved: did anything that it answered have a reason to change?
    fn judge_silence(&mut self, differ: Differ) {
        let mut watches: HashMap<(String, u32), Pathspecs> = HashMap::new();
        for question in &self.questions.questions {
            if question.dependencies().is_empty() {
                continue;
            }
            match Pathspecs::parse(question.dependencies()) {
                Ok(specs) => {
                    watches.insert((question.id.clone(), question.version), specs);
                }
                Err(error) => {
                    let name = question.name().to_string();
                    self.unknown.push(Unknown::Watch(name, error.message));
                }
            }
        }
        let mut derived: HashSet<(String, u32)> = HashSet::new();
        let mut known_changes: HashMap<(Oid, Oid), Option<Changes>> = HashMap::new();
        for place in 0..self.sessions.len() {
            let session = &self.sessions[place];
            let moved = session.predecessor.is_some_and(|predecessor| {
                self.last(&self.sessions[predecessor]).entry.head != self.last(session).entry.head
            });
            if moved && !self.has_delta(session) {
                let mut exposure = Exposure::default();
                for &answer in &session.answers {
                    let result = self.result(answer);
                    let key = (result.q_id.to_string(), result.q_version);
                    let (Some(specs), true, true) = (
                        watches.get_mut(&key),
                        derived.contains(&key),
                        result.evidence.is_none(),
                    ) else {
                        continue;
                    };
                    let Some(from) = self.last_derived(place, &key) else {
                        continue;
                    };
                    let to = self.last(session).anchor;
                    let changes = known_changes
                        .entry((from, to))
                        .or_insert_with(|| differ(from, to).ok());
                    match changes {
                        Some(changes) if specs.match_any(changes) => exposure.unexcused.push(key.0),
                        Some(_) => {}
                        None => exposure.unknown.push(key.0),
                    }
                }
                if !exposure.unknown.is_empty() && exposure.unexcused.is_empty() {
                    let sid = self.last(session).entry.sid.to_string();
                    self.unknown
                        .push(Unknown::Exposure(sid, exposure.unknown.clone()));
                }
                self.sessions[place].exposure = Some(exposure);
            }
            for &answer in &self.sessions[place].answers {
                let result = self.result(answer);
                derived.insert((result.q_id.to_string(), result.q_version));
            }
        }
    }

    /// The anchor of the latest session before this one, on its line of history, that derived the question.
    fn last_derived(&self, place: usize, key: &(String, u32)) -> Option<Oid> {
        let mut next = self.sessions[place].predecessor;
        while let Some(earlier) = next {
            let session = &self.sessions[earlier];
            let answer = session.answers.iter().find(|&&answer| {
                let result = self.result(answer);
                result.q_id == key.0 && result.q_version == key.1
            });
            if let Some(answer) = answer {
                return Some(self.entries[answer.entry].anchor);
            }
            next = session.predecessor;
        }
        None
    }
}

struct Candidate<'l> {
    /// Where the tip has its anchor, if it has.
    node: Option<Node>,
    placed: PlacedEntry<'l>,
}

impl<'l> Candidate<'l> {
    /// What makes two lines the same entry: the id, else the whole line.
    fn key(&self) -> Cow<'l, [u8]> {
        match &self.placed.entry.id {
            Some(Cow::Borrowed(id)) => Cow::Borrowed(id.as_bytes()),
            Some(Cow::Owned(id)) => Cow::Owned(id.clone().into_bytes()),
            None => Cow::Borrowed(self.placed.line),
        }
    }

    /// An entry on several commits counts on the one that it names, else on the one with the fewest ancestors.
    fn is_better_than(&self, other: &Self, history: &History) -> bool {
        let rank = |candidate: &Self| match candidate.node {
            None => (2, usize::MAX),
            Some(_)
                if candidate.placed.entry.head == candidate.placed.anchor.to_string().as_str() =>
            {
                (0, 0)
            }
            Some(node) => (1, history.count_contained(node)),
        };
        let tie = |candidate: &Self| (candidate.placed.anchor, candidate.placed.line);
        (rank(self), tie(self)) < (rank(other), tie(other))
    }
}

/// Every line of the log, read; in parallel where there are many.
fn readings(log: &Log) -> Vec<(Oid, &[u8], Reading<'_>)> {
    /// Fewer annotations than this are read sooner than a thread starts.
    const SHARE: usize = 256;
    let parse = |annotations| -> Vec<_> {
        let annotations: &[crate::store::Annotation] = annotations;
        let lines = annotations.iter().flat_map(|annotation| {
            let lines = annotation.text.split(|&byte| byte == b'\n');
            let lines = lines.filter(|line| !line.iter().all(u8::is_ascii_whitespace));
            lines.map(|line| (annotation.anchor, line))
        });
        lines
            .map(|(anchor, line)| (anchor, line, read(line)))
            .collect()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let share = log.annotations.len().div_ceil(threads).max(SHARE);
    if log.annotations.len() <= share {
        return parse(&log.annotations);
    }
    std::thread::scope(|scope| {
        let parsers: Vec<_> = log
            .annotations
            .chunks(share)
            .map(|annotations| scope.spawn(move || parse(annotations)))
            .collect();
        parsers
            .into_iter()
            .flat_map(|parser| match parser.join() {
                Ok(parsed) => parsed,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}
