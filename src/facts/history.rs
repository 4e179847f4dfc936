//! Whether two places agreed, and since when they differ.

use std::{
    cell::RefCell,
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
    rc::Rc,
};

use jiff::Timestamp;

use super::{
    Since, State,
    literals::literals,
    place::{Place, numbers},
    tree::{Tree, Versions, first},
};
use crate::git::{self, FileChange};

/// The changes of some files along first parents, newest first.
pub struct History {
    repo: Versions,
    now: Timestamp,
    changes: Vec<FileChange>,
    /// The changes of each file.
    of_files: HashMap<String, Vec<usize>>,
    /// The statements of places, by file and pattern.
    known: RefCell<HashMap<(String, String), Rc<Stated>>>,
}

/// The numbers of a version.
type Version = Vec<u64>;

/// The statement of a place since each change of its file, newest first; `None` if it stated nothing.
pub type Stated = Vec<(usize, Option<Version>)>;

/// A fact that two places state, and whether they agree.
pub struct Judged {
    pub word: String,
    pub name: String,
    pub manifest: Place,
    pub place: Place,
    pub state: State,
}

impl Judged {
    /// Returns true if the place stands where both stood when they agreed, and the manifest moved.
    fn is_left_behind(&self) -> bool {
        let State::Differs { was, .. } = &self.state else {
            return false;
        };
        let precision = was.split('.').count();
        let is_as_before = |place: &Place| {
            let mut version = place.version.clone();
            version.resize(precision, 0);
            version_text(&version) == *was
        };
        is_as_before(&self.place) && !is_as_before(&self.manifest)
    }

    /// The place, marked if it was left behind.
    pub fn marked(&self) -> Place {
        Place { is_left_behind: self.is_left_behind(), ..self.place.clone() }
    }

    pub fn is_at(&self, place: &Place) -> bool {
        self.place.file == place.file && self.place.lines[0] == place.lines[0]
    }
}

/// The comparison of two places.
pub struct Compared {
    pub state: State,
    /// The number of different versions on which they agreed.
    pub agreed: usize,
    /// The manifest is one version ahead, as once before, when the place followed in the end, and not for much longer.
    pub is_usual: bool,
}

/// So many times as long as ever before, and what follows late does not follow any more.
const LATE: i64 = 2;

/// Changes of one version in a document that are looked at, from the newest.
const CHANGES: usize = 12;

impl History {
    pub fn read(tree: &Tree, paths: &[String], now: Timestamp) -> git::Result<Self> {
        let changes = match paths {
            [] => Vec::new(),
            _ => tree.changes(paths)?,
        };
        let mut of_files: HashMap<_, Vec<_>> = HashMap::new();
        for (number, change) in changes.iter().enumerate() {
            of_files.entry(change.path.clone()).or_default().push(number);
        }
        let repo = tree.versions();
        Ok(Self { repo, now, changes, of_files, known: RefCell::default() })
    }

    pub fn changes(&self) -> &[FileChange] {
        &self.changes
    }

    /// Reads the statement of a place since each change of its file.
    pub fn stated(&self, place: &Place) -> Rc<Stated> {
        let key = (place.file.clone(), place.pattern.clone());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let mut stated = Vec::new();
        // The newest first: older versions of files are deltas of newer ones.
        for &number in self.changes_of(&place.file) {
            let text = self.text(number);
            stated.push((number, first(&place.pattern, &text).map(|found| numbers(&text[found]))));
        }
        let stated = Rc::new(stated);
        self.known.borrow_mut().insert(key, stated.clone());
        stated
    }

    /// The same for a source of versions: while it states one with a label, the last one without counts.
    pub fn released(&self, source: &Place) -> Stated {
        let mut stated = self.stated(source).to_vec();
        for at in (1..stated.len()).rev() {
            let (older, newer) = (stated[at].1.clone(), &mut stated[at - 1]);
            if newer.1.is_none() && self.changes[newer.0].blob.is_some() {
                newer.1 = older;
            }
        }
        stated
    }

    /// Reads the versions between the same surroundings in a file, for each of `around`; while one had a label, the
    /// last one without.
    pub fn told(&self, file: &str, around: Vec<String>) -> HashMap<String, Stated> {
        let mut told: HashMap<_, Stated> =
            around.into_iter().map(|around| (around, Vec::new())).collect();
        // With the number of times that each changed.
        let mut open: HashMap<String, usize> =
            told.keys().map(|around| (around.clone(), 0)).collect();
        for &number in self.changes_of(file) {
            if open.is_empty() {
                break;
            }
            let text = self.text(number);
            let mut here = HashMap::new();
            for literal in literals(&text) {
                if open.contains_key(&literal.around) {
                    let version = (!literal.is_labelled).then(|| numbers(&text[literal.at]));
                    here.entry(literal.around).or_insert(version);
                }
            }
            open.retain(|around, changed| {
                let version = here.remove(around);
                // What comes back is another statement.
                let is_there = version.is_some();
                let version = version.flatten();
                let stated = told.entry(around.clone()).or_default();
                *changed += usize::from(stated.last().is_some_and(|(_, last)| *last != version));
                stated.push((number, version));
                is_there && *changed < CHANGES
            });
        }
        for stated in told.values_mut() {
            for at in (1..stated.len()).rev() {
                if stated[at - 1].1.is_none() {
                    let older = stated[at].1.clone();
                    stated[at - 1].1 = older;
                }
            }
        }
        told
    }

    fn changes_of(&self, file: &str) -> &[usize] {
        self.of_files.get(file).map_or(&[], Vec::as_slice)
    }

    fn text(&self, number: usize) -> String {
        self.changes[number].blob.map(|blob| self.repo.text(blob)).unwrap_or_default()
    }

    /// Compares what two places stated, the manifest's first; `None` if they differ, and never agreed.
    pub fn compare(&self, stated: [&Stated; 2], precision: usize) -> Option<Compared> {
        let mut moves: Vec<_> = (0..2)
            .flat_map(|side| {
                stated[side].iter().map(move |(number, version)| (*number, side, version))
            })
            .collect();
        moves.sort_by_key(|(number, ..)| Reverse(*number));
        let mut now: [Option<Version>; 2] = [None, None];
        let (mut agreed, mut broke, mut breaks, mut longest) = (BTreeSet::new(), None, 0, 0);
        // The versions of the manifest while they differ.
        let mut missed = BTreeSet::new();
        let mut was = None;
        for commit in
            moves.chunk_by(|one, two| self.changes[one.0].commit == self.changes[two.0].commit)
        {
            let change = &self.changes[commit[0].0];
            for (_, side, version) in commit {
                now[*side] = (*version).clone().map(|mut version| {
                    version.resize(precision, 0);
                    version
                });
            }
            match &now {
                [Some(one), Some(two)] if one == two => {
                    if let Some((since, _)) = broke.take() {
                        let lasted = days(since, change.committed);
                        breaks += i64::from(lasted > 0);
                        longest = longest.max(lasted);
                    }
                    missed.clear();
                    agreed.insert(one.clone());
                    was.clone_from(&now[0]);
                }
                [Some(one), Some(_)] if was.is_some() => {
                    missed.insert(one.clone());
                    broke = broke.or(Some((change, now.clone())));
                }
                // What comes back is another statement.
                _ => {
                    broke = None;
                    missed.clear();
                }
            }
        }
        let lasts = broke.as_ref().map_or(0, |(since, _)| days(since, self.now));
        let is_usual = missed.len() == 1 && longest > 0 && lasts <= LATE * longest;
        let state = match (broke, was) {
            (Some((change, [first, second])), Some(was)) => State::Differs {
                is_left_behind: first.as_ref() != Some(&was)
                    && second.as_ref() == Some(&was)
                    && (now[1] == second || now[1] < now[0]),
                was: version_text(&was),
                since: since(change, self.now),
            },
            _ if now[0].is_some() && now[0] == now[1] => State::Holds { broke: breaks },
            _ => return None,
        };
        Some(Compared { state, agreed: agreed.len(), is_usual })
    }
}

pub fn since(change: &FileChange, now: Timestamp) -> Since {
    Since {
        days: days(change, now),
        date: change.committed.strftime("%Y-%m-%d").to_string(),
        commit: change.commit.to_string(),
        author: change.author.clone(),
        is_merge: change.is_merge,
        path: change.path.clone(),
    }
}

fn version_text(version: &[u64]) -> String {
    version.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}

/// Whole days since a change; shorter breaks are work in progress.
fn days(change: &FileChange, until: Timestamp) -> i64 {
    (until.as_second() - change.committed.as_second()) / 86_400
}
