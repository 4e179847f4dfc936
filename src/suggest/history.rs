//! When two places agreed, and since when they differ.

use std::{cell::RefCell, collections::HashMap};

use super::{
    facts::{Place, numbers},
    paths::Named,
    tree::Tree,
};
use crate::git::{self, FileChange, Oid};

/// The changes of some files, newest first.
pub struct History<'t> {
    tree: &'t Tree<'t>,
    changes: Vec<FileChange>,
    versions: RefCell<HashMap<(String, Oid), Version>>,
}

/// The first numbers of a version; `None` where none is stated.
type Version = Option<Vec<u64>>;

/// What became of two statements.
#[derive(Debug, Default)]
pub struct Past {
    pub agrees: bool,
    /// Since when they differ, if they agreed before.
    pub broke: Option<Broke>,
    /// How often they differed for a day or longer.
    pub breaks: usize,
}

#[derive(Debug)]
pub struct Broke {
    pub change: FileChange,
    /// The version on which they agreed.
    pub was: String,
    /// The first one moved, and the second one stood still then.
    pub first_moved: bool,
    /// The second one still says the same, or less than the first.
    pub is_behind: bool,
}

const DAY: i64 = 86_400;

impl<'t> History<'t> {
    pub fn read(tree: &'t Tree, paths: &[String]) -> git::Result<Self> {
        Ok(Self {
            tree,
            changes: match paths {
                [] => Vec::new(),
                _ => tree.repo.file_changes(tree.commit, paths)?,
            },
            versions: RefCell::default(),
        })
    }

    /// The newest change of a path that is gone.
    pub fn end(&self, named: &Named) -> Option<&FileChange> {
        self.changes.iter().find(|change| {
            named.places.iter().any(|place| {
                let below = change.path.strip_prefix(place.as_str());
                below.is_some_and(|below| below.is_empty() || below.starts_with('/'))
            })
        })
    }

    /// Compares two statements at every commit that changes one of the files.
    pub fn compare(&self, places: [&Place; 2], precision: usize) -> git::Result<Past> {
        let changes = places.map(|place| {
            let changes = self.changes.iter().enumerate();
            let changes = changes.filter(|(_, change)| change.path == place.file);
            changes.map(|(index, _)| index).collect::<Vec<_>>()
        });
        let mut next = [0, 0];
        let version = |side: usize, next: usize| match changes[side].get(next) {
            Some(&index) => self.version(places[side], &self.changes[index], precision),
            None => Ok(None),
        };
        let today = [version(0, 0)?, version(1, 0)?];
        let mut after = today.clone();
        let mut past = Past {
            agrees: agree(&today) == Some(true),
            ..Past::default()
        };
        let (mut mended, mut differ) = (None, None);
        while let Some(&index) = (0..2)
            .filter_map(|side| changes[side].get(next[side]))
            .min()
        {
            let change = &self.changes[index];
            let mut before = after.clone();
            for side in 0..2 {
                let other = changes[side].get(next[side]);
                if other.is_some_and(|&other| self.changes[other].commit == change.commit) {
                    next[side] += 1;
                    before[side] = version(side, next[side])?;
                }
            }
            let seconds = change.committed.as_second();
            match (agree(&before), agree(&after)) {
                (Some(false), Some(true)) => mended = Some(seconds),
                (Some(true), Some(false)) if mended.is_some_and(|end| end - seconds >= DAY) => {
                    past.breaks += 1;
                }
                _ => {}
            }
            if !past.agrees {
                if agree(&before) != Some(false) {
                    differ.get_or_insert((change, after));
                }
                if let (Some(true), Some((change, after))) = (agree(&before), &differ) {
                    past.broke = Some(Broke {
                        change: (*change).clone(),
                        was: text(before[0].as_ref()),
                        first_moved: before[0] != after[0] && before[1] == after[1],
                        is_behind: today[1] == after[1] || today[1] < today[0],
                    });
                    break;
                }
            }
            after = before;
        }
        Ok(past)
    }

    fn version(
        &self,
        place: &Place,
        change: &FileChange,
        precision: usize,
    ) -> git::Result<Version> {
        let Some(blob) = change.blob else {
            return Ok(None);
        };
        let key = (format!("{precision} {:?}", place.probe), blob);
        if let Some(known) = self.versions.borrow().get(&key) {
            return Ok(known.clone());
        }
        let found = self.tree.find(change.commit, &place.probe)?;
        let found = found.map(|text| {
            let mut numbers = numbers(&text);
            numbers.resize(precision, 0);
            numbers
        });
        self.versions.borrow_mut().insert(key, found.clone());
        Ok(found)
    }
}

fn agree([one, two]: &[Version; 2]) -> Option<bool> {
    Some(one.as_ref()? == two.as_ref()?)
}

fn text(version: Option<&Vec<u64>>) -> String {
    let numbers = version.into_iter().flatten().map(u64::to_string);
    numbers.collect::<Vec<_>>().join(".")
}
