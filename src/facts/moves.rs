//! Where files went, and what documents were called before.

use std::{
    cell::RefCell,
    collections::{HashMap, hash_map::Entry},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use super::answers::Answers;
use crate::git::{self, Oid, Repo};

/// The part of its content that a moved file has to keep, in percent.
const SURE: u8 = 90;

pub struct Moves<'r> {
    repo: &'r Repo,
    answers: &'r Answers,
    /// The commit with which others are compared in place of their parents.
    base: Option<Oid>,
    /// The moves in commits.
    known: RefCell<HashMap<Oid, Vec<(String, String)>>>,
    is_damaged: Arc<AtomicBool>,
}

impl<'r> Moves<'r> {
    pub fn new(
        repo: &'r Repo,
        answers: &'r Answers,
        base: Option<Oid>,
        is_damaged: Arc<AtomicBool>,
    ) -> Self {
        Self { repo, answers, base, known: RefCell::default(), is_damaged }
    }

    /// The path to which a file or a folder moved in a commit, or in the index if it is not a commit yet, if git is sure
    /// of it, and can compare the files.
    pub fn target(&self, commit: Oid, path: &str) -> Option<String> {
        if commit.is_null() {
            return target(&self.or_damaged(self.repo.staged_moves(SURE))?, path);
        }
        self.answers.to(commit, self.question("moved", path), || {
            let mut known = self.known.borrow_mut();
            let moves = match known.entry(commit) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.or_damaged(self.moves_in(commit))?),
            };
            Some(target(moves, path))
        })
    }

    fn moves_in(&self, commit: Oid) -> git::Result<Vec<(String, String)>> {
        let before = self.before(commit)?;
        match before.filter(|&before| self.repo.has_object(before)) {
            Some(before) => self.repo.moves(before, commit, SURE),
            None => Ok(Vec::new()),
        }
    }

    /// The name that a document had before a commit, if that renamed it, and git can compare the files.
    pub fn name_before(&self, commit: Oid, path: &str) -> Option<String> {
        self.answers.to(commit, self.question("before", path), || {
            self.or_damaged(self.before(commit).and_then(|before| match before {
                Some(before) => self.repo.name_before(before, commit, path),
                None => Ok(None),
            }))
        })
    }

    fn before(&self, commit: Oid) -> git::Result<Option<Oid>> {
        self.base.map_or_else(|| self.repo.first_parent(commit), |base| Ok(Some(base)))
    }

    fn question(&self, word: &str, path: &str) -> String {
        match self.base {
            Some(base) => format!("{base} {word} {path}"),
            None => format!("{word} {path}"),
        }
    }

    fn or_damaged<T>(&self, read: git::Result<T>) -> Option<T> {
        self.is_damaged.fetch_or(read.is_err(), Ordering::Relaxed);
        read.ok()
    }
}

/// Where a path went, if that is one place; a folder only if all of its files went to one other folder.
fn target(moves: &[(String, String)], path: &str) -> Option<String> {
    let mut own = moves.iter().filter(|(from, _)| from == path).map(|(_, to)| to);
    if let Some(target) = own.next() {
        return own.next().is_none().then(|| target.clone());
    }
    let mut targets = moves.iter().filter_map(|(from, to)| {
        let rest = from.strip_prefix(path)?.strip_prefix('/')?;
        Some(to.strip_suffix(rest).and_then(|to| to.strip_suffix('/')).map(str::to_owned))
    });
    let target = targets.next()??;
    targets.all(|other| other.as_ref() == Some(&target)).then_some(target)
}
