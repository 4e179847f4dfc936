//! The agreement of two places, and since when they differ.

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
    place::{Place, numbers, version_text},
    sources::is_changelog,
    tree::{Tree, Versions, first},
};
use crate::git::{FileChange, Line, in_shares};

/// The changes of some files along first parents, newest first.
pub struct History<'r> {
    repo: Versions<'r>,
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

/// The statements between the same surroundings.
pub type Told = HashMap<String, Stated>;

/// A fact that two places state, and whether they agree.
pub struct Pair {
    pub word: String,
    pub name: String,
    pub manifest: Place,
    pub place: Place,
    pub state: State,
}

impl Pair {
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

    /// True if a branch need not mend it: a changelog follows with the release, and who has the minimum mostly has its
    /// patches.
    pub fn is_passing(&self) -> bool {
        let is_changelog = |place: &Place| is_changelog(&place.file);
        let is_patch = || {
            let [manifest, place] = [&self.manifest, &self.place].map(|place| &place.version);
            manifest.iter().take(2).eq(place.iter().take(2))
        };
        is_changelog(&self.manifest)
            || is_changelog(&self.place)
            || self.name.starts_with("minimum") && is_patch()
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

impl<'r> History<'r> {
    pub fn read(tree: &'r Tree, line: &Line, paths: &[String], now: Timestamp) -> Self {
        let changes = tree.changes(line, paths);
        let mut of_files: HashMap<_, Vec<_>> = HashMap::new();
        for (number, change) in changes.iter().enumerate() {
            of_files.entry(change.path.clone()).or_default().push(number);
        }
        let repo = tree.versions();
        Self { repo, now, changes, of_files, known: RefCell::default() }
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
        let question = self.repo.answers.question(format!("first {}", place.pattern));
        let state = |&number: &usize| {
            let find = |text: &str| first(&place.pattern, text).map(|found| text[found].to_owned());
            let said =
                self.repo.ask(self.changes[number].blob, &[question], |text| vec![find(text)]);
            (number, said.into_iter().flatten().next().map(|said| numbers(&said)))
        };
        // The newest first: older versions of files are deltas of newer ones.
        let stated = Rc::new(self.changes_of(&place.file).iter().map(state).collect::<Stated>());
        self.known.borrow_mut().insert(key, stated.clone());
        stated
    }

    /// The change since which a place states nothing, if it stated something before.
    pub fn ended(&self, place: &Place) -> Option<Since> {
        let stated = self.stated(place);
        let newest = stated.iter().position(|(_, version)| version.is_some())?;
        let (change, _) = stated[..newest].last()?;
        Some(since(&self.changes[*change], self.now))
    }

    /// The statements of a source of versions: while it states one with a label, the last one without counts.
    pub fn released(&self, source: &Place) -> Stated {
        let mut stated = self.stated(source).to_vec();
        carry_over(&mut stated, |change| self.changes[change].blob.is_some());
        stated
    }

    /// Reads the versions between the same surroundings in files, for each of theirs; while one had a label, the last one
    /// without. One thread per processor reads them.
    pub fn told(&self, tree: &Tree, asked: &[(&str, Vec<String>)]) -> Vec<Told> {
        // The rest of `self` is for one thread only.
        let (changes, of_files) = (&self.changes, &self.of_files);
        let read = |versions: Versions, share: &[(&str, Vec<String>)]| -> Vec<Told> {
            let told = |(file, around): &(&str, Vec<String>)| {
                let changes_of = of_files.get(*file).map_or(&[][..], Vec::as_slice);
                told_in(&versions, changes, changes_of, around)
            };
            share.iter().map(told).collect()
        };
        in_shares(asked, 1, || tree.versions(), read).into_iter().flatten().collect()
    }

    fn changes_of(&self, file: &str) -> &[usize] {
        self.of_files.get(file).map_or(&[], Vec::as_slice)
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
                    // A commit may change both files, and the version in one.
                    let ahead = commit.iter().find(|(_, side, _)| now[*side] != was);
                    let change = ahead.map_or(change, |(number, ..)| &self.changes[*number]);
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

fn told_in(
    versions: &Versions,
    changes: &[FileChange],
    numbers_of_changes: &[usize],
    around: &[String],
) -> Told {
    let answers = versions.answers;
    let mut told: Told = around.iter().map(|around| (around.clone(), Vec::new())).collect();
    // With the question, and the number of times that each changed.
    let mut open: Vec<(&String, u32, usize)> = around
        .iter()
        .map(|around| (around, answers.question(format!("around {around}")), 0))
        .collect();
    for &number in numbers_of_changes {
        if open.is_empty() {
            break;
        }
        let questions: Vec<u32> = open.iter().map(|(_, question, _)| *question).collect();
        let mut here = versions
            .ask(changes[number].blob, &questions, |text| {
                let mut here = HashMap::new();
                for literal in literals(text) {
                    let version = if literal.is_labelled { "" } else { &text[literal.at] };
                    here.entry(literal.around).or_insert(version);
                }
                open.iter()
                    .map(|(around, ..)| here.get(*around).map(|version| (*version).to_owned()))
                    .collect()
            })
            .into_iter();
        open.retain_mut(|(around, _, changed)| {
            let version = here.next().flatten();
            // What comes back is another statement.
            let is_there = version.is_some();
            let version =
                version.map(|version| numbers(&version)).filter(|version| !version.is_empty());
            let stated = told.entry((*around).clone()).or_default();
            *changed += usize::from(stated.last().is_some_and(|(_, last)| *last != version));
            stated.push((number, version));
            is_there && *changed < CHANGES
        });
    }
    for stated in told.values_mut() {
        carry_over(stated, |_| true);
    }
    told
}

fn carry_over(stated: &mut Stated, counts: impl Fn(usize) -> bool) {
    for at in (1..stated.len()).rev() {
        let (older, newer) = (stated[at].1.clone(), &mut stated[at - 1]);
        if newer.1.is_none() && counts(newer.0) {
            newer.1 = older;
        }
    }
}

pub fn since(change: &FileChange, now: Timestamp) -> Since {
    Since {
        days: days(change, now),
        date: change.committed.strftime("%Y-%m-%d").to_string(),
        commit: change.commit,
        author: String::new(),
        is_merge: change.is_merge,
        is_move: false,
        path: change.path.clone(),
    }
}

/// Whole days since a change; shorter breaks are work in progress.
fn days(change: &FileChange, until: Timestamp) -> i64 {
    (until.as_second() - change.committed.as_second()) / 86_400
}
