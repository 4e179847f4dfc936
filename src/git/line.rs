//! The commits along first parents, with the files that each changed. Only new commits add to it, so it can be kept.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{EntryAt, Oid, Repo, Result, commit::timestamp, error::Doing, shares::in_shares};

/// Commits that are worth a git of their own.
const SHARE: usize = 32;

/// Commits whose changes are held in full at one time.
const BATCH: usize = 8192;

/// A change of one file along first parents.
#[derive(Debug, Clone)]
pub struct FileChange {
    /// The number of commits since; 0 for a change of the index, 1 for one of the tip.
    pub age: usize,
    pub commit: Oid,
    pub committed: Timestamp,
    /// True if the commit is a merge, whose author need not be that of the change.
    pub is_merge: bool,
    pub path: String,
    /// True if there was a file, a link or a submodule before it, and after it.
    pub exists: [bool; 2],
    /// `None` if there is no regular file since.
    pub blob: Option<Oid>,
}

/// The line of first parents of a commit. In a shallow clone, the last commit adds all that it has.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Line {
    /// The oldest first.
    steps: Vec<Step>,
    paths: Vec<String>,
    changes: Vec<Change>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Step {
    commit: Oid,
    /// In seconds since 1970.
    committed: i64,
    is_merge: bool,
    /// The number of changes of this step and all before.
    changes: usize,
}

#[derive(Debug, Serialize, Deserialize)]
struct Change {
    path: u32,
    exists: [bool; 2],
    blob: Option<Oid>,
}

impl Line {
    /// The changes of these files, and of what is below folders, newest first.
    pub fn of(&self, paths: &[String]) -> Vec<FileChange> {
        let asked: HashSet<&str> = paths.iter().map(String::as_str).collect();
        self.matching(|path| {
            let mut folders = path.match_indices('/').map(|(end, _)| &path[..end]);
            asked.contains(path) || folders.any(|folder| asked.contains(folder))
        })
    }

    /// The changes of files whose paths match, newest first.
    pub fn matching(&self, is_asked: impl Fn(&str) -> bool) -> Vec<FileChange> {
        let is_asked: Vec<bool> = self.paths.iter().map(|path| is_asked(path)).collect();
        let mut found = Vec::new();
        for (age, place) in (1..).zip((0..self.steps.len()).rev()) {
            let step = &self.steps[place];
            for change in self.changes_at(place) {
                if is_asked[change.path as usize] {
                    found.push(FileChange {
                        age,
                        commit: step.commit,
                        committed: timestamp(step.committed),
                        is_merge: step.is_merge,
                        path: self.paths[change.path as usize].clone(),
                        exists: change.exists,
                        blob: change.blob,
                    });
                }
            }
        }
        found
    }

    /// Returns true if the commit of this age removed a file: only then does it rename one.
    pub fn removes(&self, age: usize) -> bool {
        let place = self.steps.len().checked_sub(age).filter(|&place| place < self.steps.len());
        let mut changes = place.into_iter().flat_map(|place| self.changes_at(place));
        changes.any(|change| change.exists == [true, false])
    }

    fn changes_at(&self, place: usize) -> &[Change] {
        &self.changes[self.changes_before(place)..self.steps[place].changes]
    }

    fn changes_before(&self, place: usize) -> usize {
        place.checked_sub(1).map_or(0, |before| self.steps[before].changes)
    }

    /// Adds commits, and what git printed of them: each one's id, then its files.
    fn add(&mut self, new: &[New], printed: &[u8], numbers: &mut HashMap<String, u32>) {
        let printed = String::from_utf8_lossy(printed);
        let (mut new, mut fields) = (new.iter(), printed.split_terminator('\0'));
        while let Some(field) = fields.next() {
            // `100644 100644 <id before> <id after> M`, then the path.
            let raw: Vec<&str> = field.split(' ').collect();
            if let ([was, mode, _, id, _], Some(step)) = (&raw[..], self.steps.last_mut()) {
                let (path, next) = (fields.next().unwrap_or_default(), numbers.len());
                let next = u32::try_from(next).unwrap_or(u32::MAX);
                step.changes += 1;
                self.changes.push(Change {
                    path: *numbers.entry(path.to_owned()).or_insert(next),
                    exists: [was.trim_start_matches(':'), mode].map(|mode| mode != "000000"),
                    blob: id.parse().ok().filter(|_| mode.starts_with("100")),
                });
            } else if let Some(&New { commit, committed, is_merge, .. }) = new.next() {
                let changes = self.changes.len();
                self.steps.push(Step { commit, committed, is_merge, changes });
            }
        }
    }

    pub fn tip(&self) -> Option<Oid> {
        self.steps.last().map(|step| step.commit)
    }
}

/// A commit that a line lacks.
struct New {
    commit: Oid,
    parent: Option<Oid>,
    committed: i64,
    is_merge: bool,
}

impl Repo {
    /// The line of a commit. What it shares with `known` is not read again.
    pub fn line(&self, tip: Oid, mut known: Line) -> Result<Line> {
        if known.tip() == Some(tip) {
            return Ok(known);
        }
        let places: HashMap<Oid, usize> =
            known.steps.iter().map(|step| step.commit).zip(0..).collect();
        let shallow = self.inner.shallow_commits().doing("read the shallow file")?;
        let (mut links, mut new, mut next) = (self.links(), Vec::new(), Some(tip));
        while let Some(commit) = next.filter(|commit| !places.contains_key(commit)) {
            let link = links.get(commit).ok_or_else(|| self.unread("commit", commit))?;
            let is_cut = shallow.as_ref().is_some_and(|shallow| shallow.contains(&commit.0));
            next = link.parents.first().copied().filter(|_| !is_cut);
            let is_merge = link.parents.len() > 1;
            new.push(New { commit, parent: next, committed: link.time, is_merge });
        }
        known.steps.truncate(next.map_or(0, |commit| places[&commit] + 1));
        known.changes.truncate(known.changes_before(known.steps.len()));
        new.reverse();
        self.extended(known, &new)
    }

    /// The line with more commits, the oldest first.
    fn extended(&self, mut known: Line, new: &[New]) -> Result<Line> {
        let mut numbers: HashMap<String, u32> =
            std::mem::take(&mut known.paths).into_iter().zip(0..).collect();
        for batch in new.chunks(BATCH) {
            for (new, printed) in self.changed_files(batch)? {
                known.add(new, &printed, &mut numbers);
            }
        }
        known.paths = vec![String::new(); numbers.len()];
        for (path, number) in numbers {
            known.paths[number as usize] = path;
        }
        Ok(known)
    }

    /// The line of two commits, as if the first were the only parent of the second, and had none.
    pub fn line_of_two(&self, before: Oid, after: Oid) -> Result<Line> {
        let mut line = Line::default();
        let files = self.entries_at(before)?.into_iter().filter(|entry| !entry.is_folder);
        for (path, EntryAt { path: name, blob, .. }) in (0..).zip(files) {
            line.paths.push(name);
            line.changes.push(Change { path, exists: [false, true], blob });
        }
        let mut links = self.links();
        let mut time = |commit| {
            let known = links.get(commit).ok_or_else(|| self.unread("commit", commit));
            known.map(|known| known.time)
        };
        let committed = time(before)?;
        let changes = line.changes.len();
        line.steps.push(Step { commit: before, committed, is_merge: false, changes });
        if after == before {
            return Ok(line);
        }
        let (parent, committed) = (Some(before), time(after)?);
        self.extended(line, &[New { commit: after, parent, committed, is_merge: false }])
    }

    /// The differences of commits, in parts that follow each other, by one git per processor.
    fn changed_files<'n>(&self, new: &'n [New]) -> Result<Vec<(&'n [New], Vec<u8>)>> {
        in_shares(new, SHARE, || self.clone(), |repo, share| Ok((share, repo.compared(share)?)))
            .into_iter()
            .collect()
    }

    /// The differences of commits from their first parents, as git prints them: the commit, then its files.
    fn compared(&self, new: &[New]) -> Result<Vec<u8>> {
        let commits = new.iter().map(|New { commit, parent, .. }| match parent {
            Some(parent) => format!("{commit} {parent}\n"),
            None => format!("{commit}\n"),
        });
        self.git()
            // Else all of a pack is mapped into memory.
            .config("core.packedGitWindowSize", "1m")
            .config("core.packedGitLimit", "32m")
            .words("diff-tree --stdin --root --always -r -z --raw --no-abbrev --no-renames")
            .run_with_input(commits.collect::<String>())
    }
}
