//! Names of documents, and the files that they name and that were there, at each commit that changed one.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashSet},
    ops::Range,
    path::Path,
};

use super::{
    claim::{Claim, Target},
    tree::{Tree, last},
};
use crate::{
    evidence::joined,
    git::{FileChange, Line, Oid},
};

/// Renames of a document that are followed.
const RENAMES: usize = 3;

pub struct Past<'t> {
    tree: &'t Tree<'t>,
    line: &'t Line,
    /// The changes of each path, newest first.
    changes: BTreeMap<String, Vec<FileChange>>,
    /// Earlier names of documents, newest first, each with the age of the commit that renamed it.
    earlier: BTreeMap<String, Vec<(usize, String)>>,
}

/// A commit that changed a document, or what it names.
pub struct Moment<'p> {
    pub document: Option<Oid>,
    pub there: There,
    pub change: &'p FileChange,
    /// The document's name until then, if it moved and what it names did not go.
    pub moved_from: Option<String>,
}

/// The state of a claim's target.
pub enum There {
    Known(bool),
    /// The versions of manifests, which may define it.
    In(Vec<Oid>),
}

/// The files whose changes say since when a claim is wrong, but for those that may be in any folder.
pub fn files(claim: &Claim) -> Vec<String> {
    let mut files = targets(claim, &claim.place.file);
    files.push(claim.place.file.clone());
    files
}

/// Where a target may be, seen from a name of the document.
fn targets(claim: &Claim, document: &str) -> Vec<String> {
    match &claim.target {
        Target::Path { path, from } => {
            from.folders(document).filter_map(|folder| joined(folder, path)).collect()
        }
        Target::Defined { files, .. } => files.clone(),
        Target::Anywhere(_) => Vec::new(),
    }
}

impl<'t> Past<'t> {
    /// `changes` are the newest first.
    pub fn new(tree: &'t Tree, line: &'t Line, changes: &[FileChange]) -> Self {
        let mut past = Self { tree, line, changes: BTreeMap::new(), earlier: BTreeMap::new() };
        past.add(changes.to_vec());
        past
    }

    fn add(&mut self, changes: Vec<FileChange>) {
        for change in changes {
            let known = self.changes.entry(change.path.clone()).or_default();
            if !known.iter().any(|known| known.commit == change.commit) {
                known.push(change);
            }
        }
    }

    /// Reads what needs more than the changes of the claims' own files: earlier names of documents, and files in any
    /// folder.
    pub fn extend(&mut self, claims: &[&Claim]) {
        for _ in 0..RENAMES {
            let renamed = self.renamed(claims);
            if renamed.is_empty() {
                break;
            }
            let mut paths: BTreeSet<String> = renamed.values().cloned().collect();
            for claim in claims {
                let name = renamed.get(&claim.place.file);
                paths.extend(name.into_iter().flat_map(|name| targets(claim, name)));
            }
            self.add(self.line.of(&Vec::from_iter(paths)));
        }
        let names = claims.iter().filter_map(|claim| match &claim.target {
            Target::Anywhere(name) => Some(name.as_str()),
            _ => None,
        });
        let names: HashSet<&str> = names.collect();
        if !names.is_empty() {
            self.add(self.line.matching(|path| names.contains(last(path))));
        }
    }

    /// The names that documents had before the oldest known ones.
    fn renamed(&mut self, claims: &[&Claim]) -> BTreeMap<String, String> {
        let documents: BTreeSet<&String> = claims.iter().map(|claim| &claim.place.file).collect();
        let mut renamed = BTreeMap::new();
        for document in documents {
            let is_new = |change: &&FileChange| !change.exists[0] && self.line.removes(change.age);
            let oldest = self.oldest(document).filter(is_new);
            if let Some(change) = oldest
                && let Some(name) = self.tree.moves.name_before(change.commit, &change.path)
            {
                let earlier = (change.age, name.clone());
                renamed.insert(document.clone(), name);
                self.earlier.entry(document.clone()).or_default().push(earlier);
            }
        }
        renamed
    }

    /// The oldest known change of a document.
    fn oldest(&self, document: &str) -> Option<&FileChange> {
        let (name, during) = self.names(document).pop()?;
        self.changes.get(name)?.iter().rev().find(|change| during.contains(&change.age))
    }

    fn of(&self, path: &str) -> impl Iterator<Item = &FileChange> {
        self.changes.get(path).into_iter().flatten()
    }

    /// The changes of a file, or of all in a folder.
    fn below(&self, path: &str) -> impl Iterator<Item = &FileChange> {
        let [from, to] = ["/", "0"].map(|end| format!("{path}{end}"));
        let inside = self.changes.range(from..to).flat_map(|(_, changes)| changes);
        self.of(path).chain(inside)
    }

    /// The names of a document, newest first, and the commits at which it had each.
    fn names<'p>(&'p self, document: &'p str) -> Vec<(&'p str, Range<usize>)> {
        let mut names = vec![(document, 0..usize::MAX)];
        for (age, name) in self.earlier.get(document).into_iter().flatten() {
            if let Some((_, during)) = names.last_mut() {
                during.end = age + 1;
            }
            names.push((name, age + 1..usize::MAX));
        }
        names
    }

    /// Oldest first.
    pub fn moments(&self, claim: &Claim) -> Vec<Moment<'_>> {
        let names = self.names(&claim.place.file);
        let targets: Vec<Vec<String>> =
            names.iter().map(|(name, _)| targets(claim, name)).collect();
        let mut events = Vec::new();
        for (name, (path, during)) in names.iter().enumerate() {
            let changes = self.of(path).filter(|change| during.contains(&change.age));
            events.extend(changes.map(|change| (change.age, Some(name), change)));
        }
        let paths: BTreeSet<&String> = targets.iter().flatten().collect();
        let mut changes: Vec<&FileChange> =
            paths.into_iter().flat_map(|path| self.below(path)).collect();
        if let Target::Anywhere(name) = &claim.target {
            let anywhere = self.changes.iter().filter(|(path, _)| last(path) == name);
            changes.extend(anywhere.flat_map(|(_, changes)| changes));
        }
        events.extend(changes.iter().map(|change| (change.age, None, *change)));
        events.sort_by_key(|(age, ..)| Reverse(*age));

        let mut there: BTreeMap<&str, Option<Oid>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (_, _, change) in events.iter().filter(|(_, name, _)| name.is_none()) {
            if seen.insert(&change.path) && change.exists[0] {
                there.insert(&change.path, None);
            }
        }
        let (mut document, mut name, mut moments) = (None, names.len() - 1, Vec::new());
        for group in events.chunk_by(|(age, ..), (next, ..)| age == next) {
            let name_before = name;
            for (_, of_name, change) in group {
                match of_name {
                    Some(of_name) => (document, name) = (change.blob, *of_name),
                    None if change.exists[1] => drop(there.insert(&change.path, change.blob)),
                    None => drop(there.remove(change.path.as_str())),
                }
            }
            let is_cause = |change: &FileChange| match claim.target {
                Target::Path { .. } => {
                    let mut targets = targets[name].iter();
                    !change.exists[1]
                        && targets.any(|target| Path::new(&change.path).starts_with(target))
                }
                Target::Anywhere(_) => !change.exists[1],
                Target::Defined { .. } => true,
            };
            let cause = group.iter().find(|(_, name, change)| name.is_none() && is_cause(change));
            let (.., change) = cause.unwrap_or(&group[0]);
            moments.push(Moment {
                moved_from: (cause.is_none() && name != name_before)
                    .then(|| names[name_before].0.to_owned()),
                document,
                there: match &claim.target {
                    Target::Path { .. } => {
                        let mut paths = targets[name].iter();
                        There::Known(paths.any(|path| is_there(&there, path)))
                    }
                    Target::Anywhere(_) => There::Known(!there.is_empty()),
                    Target::Defined { .. } => {
                        There::In(there.values().flatten().copied().collect())
                    }
                },
                change,
            });
        }
        moments
    }
}

/// True if the file is there, or one in the folder.
fn is_there(there: &BTreeMap<&str, Option<Oid>>, path: &str) -> bool {
    let inside = format!("{path}/");
    there.contains_key(path)
        || there
            .range(inside.as_str()..)
            .next()
            .is_some_and(|(found, _)| found.starts_with(&inside))
}
