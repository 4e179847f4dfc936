//! Whether two places agreed, and since when they differ.

use std::{cell::RefCell, collections::HashMap};

use super::{
    facts::{Place, version_in},
    tree::Tree,
};
use crate::git::{self, FileChange, Oid, Repo};

/// The changes of some files along first parents, newest first.
pub struct History {
    repo: Repo,
    changes: Vec<FileChange>,
    versions: RefCell<HashMap<(Oid, String), Version>>,
}

type Version = Option<Vec<u64>>;

/// What became of two places.
#[derive(Debug)]
pub enum Past<'h> {
    /// They agree; how often they differed for a day or longer.
    Agree(usize),
    Broke(Break<'h>),
    /// They differ, and never agreed.
    Strangers,
}

#[derive(Debug)]
pub struct Break<'h> {
    pub change: &'h FileChange,
    /// The version on which they agreed.
    pub was: Vec<u64>,
    /// Only the first one moved, and the second one stands where it stood, or below the first.
    pub is_left_behind: bool,
}

/// In seconds; shorter breaks are work in progress.
const DAY: i64 = 86_400;

impl History {
    pub fn read(tree: &Tree, paths: &[String]) -> git::Result<Self> {
        let changes = match paths {
            [] => Vec::new(),
            _ => tree.repo.file_changes(tree.commit, paths)?,
        };
        Ok(Self {
            repo: tree.repo.remembering_versions(),
            changes,
            versions: RefCell::default(),
        })
    }

    /// The newest change of a path, or below it; `None` if it never existed.
    pub fn end(&self, paths: &[String]) -> Option<&FileChange> {
        self.changes.iter().find(|change| {
            let mut rest = paths
                .iter()
                .filter_map(|path| change.path.strip_prefix(path));
            rest.any(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }

    /// Compares two places at each commit that changes one of them.
    pub fn compare(&self, places: [&Place; 2], precision: usize) -> git::Result<Past<'_>> {
        let mut moves = Vec::new();
        // The newest first: older versions of files are deltas of newer ones.
        for change in &self.changes {
            for side in (0..2).filter(|&side| places[side].file == change.path) {
                moves.push((change, side, self.version(places[side], change, precision)?));
            }
        }
        let mut now: [Version; 2] = [None, None];
        let mut states: Vec<(&FileChange, [Version; 2])> = Vec::new();
        for (change, side, version) in moves.into_iter().rev() {
            now[side] = version;
            // A commit that changes both files makes one state.
            states.pop_if(|(last, _)| last.commit == change.commit);
            states.push((change, now.clone()));
        }
        let (mut agreed, mut broke, mut breaks) = (None, None, 0);
        for (change, state) in states {
            match &state {
                [Some(one), Some(two)] if one == two => {
                    let since = broke
                        .take()
                        .map(|(broke, _): (&FileChange, _)| broke.committed);
                    let end = change.committed.as_second();
                    breaks +=
                        usize::from(since.is_some_and(|since| end - since.as_second() >= DAY));
                    agreed = Some(one.clone());
                }
                [Some(_), Some(_)] if agreed.is_some() && broke.is_none() => {
                    broke = Some((change, state));
                }
                [Some(_), Some(_)] => {}
                // What comes back is another statement.
                _ => broke = None,
            }
        }
        Ok(match (agreed, broke) {
            (Some(was), Some((change, [first, second]))) if now[0] != now[1] => {
                Past::Broke(Break {
                    change,
                    is_left_behind: first.as_ref() != Some(&was)
                        && second.as_ref() == Some(&was)
                        && (now[1] == second || now[1] < now[0]),
                    was,
                })
            }
            _ if now[0].is_some() && now[0] == now[1] => Past::Agree(breaks),
            _ => Past::Strangers,
        })
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
        let key = (blob, place.pattern.clone());
        let known = self.versions.borrow().get(&key).cloned();
        let mut version = match known {
            Some(known) => known,
            None => version_in(
                &String::from_utf8_lossy(&self.repo.blob(blob)?),
                &place.pattern,
            )?,
        };
        self.versions.borrow_mut().insert(key, version.clone());
        if let Some(version) = &mut version {
            version.resize(precision, 0);
        }
        Ok(version)
    }
}
