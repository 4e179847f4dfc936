//! The files of one commit: which are looked at, and their texts.

use std::{
    cell::{Cell, RefCell},
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Range,
    path::Path,
    rc::Rc,
};

use regex::bytes::Regex;
use serde::Serialize;

use crate::{
    git::{self, ErrorKind, FileChange, Marks, Oid, Pathspecs, Repo, Staged},
    question::regex,
};

/// Larger files state their facts elsewhere, too.
const MOST: u64 = 4 << 20;

/// Folders of other people's files, and of what was true on one day.
const FOREIGN: &str = r"(^|/)(vendor|vendored|deps|external|(third|3rd)[_-]?party|node_modules|testdata|tests?|fixtures|__tests__|templates|archive|blog|plans|proposals|rfcs|adr)/";

/// Folders of samples.
const SAMPLES: &str = r"(^|/)(examples?|samples)/";

/// The part of its content that a moved file has to keep, in percent.
const SURE: u8 = 90;

/// Matches nothing.
pub const NONE: &str = r"[^\s\S]";

/// Attributes of what a project did not write by hand, or wants to be left out.
const MARKS: [&str; 3] = ["linguist-generated", "linguist-vendored", "sq-ignore"];

/// Files of prose.
const DOCUMENTS: &str = r"(?i)\.(md|mdx|mdc|markdown|mdown|mkdn?|rst|adoc|txt)$|(^|/)(README|CHANGELOG|CHANGES|NEWS|HISTORY)$";

/// The number of files that were compared.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Compared {
    /// Manifests, lock files and workflows.
    pub sources: usize,
    pub documents: usize,
}

pub struct Tree<'r> {
    pub repo: &'r Repo,
    /// A commit, or the tree of the index.
    pub commit: Oid,
    /// The commit whose history precedes; `None` before the first one.
    pub tip: Option<Oid>,
    staged: Vec<FileChange>,
    pub is_shallow: bool,
    files: BTreeMap<String, Oid>,
    /// The files and folders of each name.
    named: HashMap<String, Vec<String>>,
    marks: RefCell<Marks>,
    /// Those that were read.
    texts: RefCell<HashMap<String, Option<String>>>,
    /// Blobs that this partial clone lacks.
    pub lacks: RefCell<BTreeSet<Oid>>,
    /// True if a file of the history could not be read.
    pub is_damaged: Rc<Cell<bool>>,
}

/// Reads files of the history. One that is too large, or can't be read, says nothing.
pub struct Versions {
    repo: Repo,
    is_damaged: Rc<Cell<bool>>,
}

impl Versions {
    pub fn text(&self, blob: Oid) -> String {
        let bytes = self.repo.blob(blob).unwrap_or_else(|error| {
            self.is_damaged.set(self.is_damaged.get() || error.kind != ErrorKind::TooLarge);
            Vec::new()
        });
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl<'r> Tree<'r> {
    pub fn open(repo: &'r Repo, commit: Oid) -> git::Result<Self> {
        Self::new(repo, commit, Some(commit), Vec::new())
    }

    /// The commit that is being made after `head`.
    pub fn staged(staged: &'r Staged, head: Option<Oid>) -> git::Result<Self> {
        Self::new(&staged.repo, staged.tree, head, staged.changes.clone())
    }

    fn new(
        repo: &'r Repo,
        commit: Oid,
        tip: Option<Oid>,
        staged: Vec<FileChange>,
    ) -> git::Result<Self> {
        let mut files = repo.files_at(commit, &mut Pathspecs::parse(&[".".to_owned()])?)?;
        // A path that is not UTF-8 can't stand in a probe.
        files.retain(|file| !file.path.contains('\u{fffd}'));
        let files: BTreeMap<_, _> = files.into_iter().map(|file| (file.path, file.blob)).collect();
        Ok(Self {
            repo,
            commit,
            tip,
            staged,
            is_shallow: repo.is_shallow()?,
            named: named(&files),
            marks: RefCell::new(repo.marks(files.iter())),
            files,
            texts: RefCell::default(),
            lacks: RefCell::default(),
            is_damaged: Rc::default(),
        })
    }

    /// The project's own files whose paths match.
    pub fn own(&self, paths: &str) -> git::Result<Vec<&String>> {
        let samples = pattern(SAMPLES)?;
        let mut own = self.own_or_samples(paths)?;
        own.retain(|path| !samples.is_match(path.as_bytes()));
        Ok(own)
    }

    /// The same with those in folders of samples.
    pub fn own_or_samples(&self, paths: &str) -> git::Result<Vec<&String>> {
        let [paths, foreign] = [pattern(paths)?, pattern(FOREIGN)?];
        let is_own = |path: &[u8]| paths.is_match(path) && !foreign.is_match(path);
        Ok(self
            .files
            .keys()
            .filter(|path| is_own(path.as_bytes()) && !self.is_marked(path))
            .collect())
    }

    /// All files whose paths match.
    pub fn all(&self, paths: &str) -> git::Result<Vec<&String>> {
        let paths = pattern(paths)?;
        Ok(self.files.keys().filter(|path| paths.is_match(path.as_bytes())).collect())
    }

    /// True of files that are made, or other people's, by the attributes of the commit.
    pub fn is_marked(&self, path: &str) -> bool {
        self.marks.borrow_mut().has_attribute(path, &MARKS)
    }

    /// True of paths that git ignores by the files of the commit.
    pub fn is_ignored(&self, path: &str) -> bool {
        self.marks.borrow_mut().is_ignored(path)
    }

    /// True also of links and submodules, and of what may lie behind one.
    pub fn has(&self, path: &str) -> bool {
        let is_none = |found| matches!(found, Ok(None));
        !is_none(self.repo.object_at(self.commit, path))
            || !is_none(self.repo.blob_at(self.commit, path))
    }

    /// True if a file or a folder of any folder has this path.
    pub fn has_anywhere(&self, path: &str) -> bool {
        let end = format!("/{path}");
        let named = self.named.get(last(path)).into_iter().flatten();
        named.into_iter().any(|known| known == path || known.ends_with(&end))
    }

    /// The only file of this name.
    pub fn only_file(&self, name: &str) -> Option<&String> {
        let named = self.named.get(name).into_iter().flatten();
        let mut files = named.filter(|path| self.files.contains_key(*path));
        files.next().filter(|_| files.next().is_none())
    }

    /// `None` if there is no such file, or it is too large. Each is read once: every kind of fact looks at the same documents.
    pub fn text(&self, path: &str) -> git::Result<Option<String>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return Ok(known.clone());
        }
        let text = match self.files.get(path) {
            Some(&blob) if self.repo.lacks(blob) => {
                self.lacks.borrow_mut().insert(blob);
                return Ok(None);
            }
            Some(&blob) if self.repo.blob_size(blob)? <= MOST => {
                let bytes = self.repo.blob(blob)?;
                Some(String::from_utf8_lossy(&bytes).into_owned())
            }
            _ => None,
        };
        self.texts.borrow_mut().insert(path.to_owned(), text.clone());
        Ok(text)
    }
}

impl Tree<'_> {
    /// The changes of files, and of what is below folders, newest first: those of the index, then those of its history.
    /// In a partial clone, it fetches the versions of files that are still there in one go.
    pub fn changes(&self, paths: &[String]) -> git::Result<Vec<FileChange>> {
        let mut changes = self.staged.clone();
        if let Some(tip) = self.tip {
            changes.extend(self.repo.file_changes(tip, paths)?);
        }
        let versions = changes.iter().filter(|change| self.files.contains_key(&change.path));
        self.repo.bring(&versions.filter_map(|change| change.blob).collect::<Vec<_>>());
        Ok(changes)
    }

    pub fn versions(&self) -> Versions {
        Versions { repo: self.repo.remembering_versions(), is_damaged: self.is_damaged.clone() }
    }

    /// The moves of files that git is sure of in a commit, or in the index if it is not a commit yet; none if it can't
    /// compare the files.
    pub fn moves(&self, commit: &str) -> git::Result<Vec<(String, String)>> {
        let moves = match commit.parse() {
            Ok(commit) if self.repo.has_object(commit) => match self.repo.first_parent(commit)? {
                Some(parent) if self.repo.has_object(parent) => {
                    self.repo.moves(parent, commit, SURE)
                }
                _ => return Ok(Vec::new()),
            },
            _ => self.repo.staged_moves(SURE),
        };
        Ok(self.or_damaged(moves))
    }

    /// The name that a document had before a commit, if that renamed it, and git can compare the files.
    pub fn name_before(&self, commit: Oid, path: &str) -> Option<String> {
        self.or_damaged(self.repo.name_before(commit, path))
    }

    fn or_damaged<T: Default>(&self, read: git::Result<T>) -> T {
        read.unwrap_or_else(|_| {
            self.is_damaged.set(true);
            T::default()
        })
    }

    /// The files that were read.
    pub fn compared(&self) -> Compared {
        let texts = self.texts.borrow();
        let read: Vec<&String> =
            texts.iter().filter(|(_, text)| text.is_some()).map(|(path, _)| path).collect();
        let is_document =
            |path: &&&String| pattern(DOCUMENTS).is_ok_and(|it| it.is_match(path.as_bytes()));
        let is_setting =
            |path: &&&String| path.rsplit('/').next().is_some_and(|name| name.starts_with(".git"));
        let documents = read.iter().filter(is_document).count();
        let settings = read.iter().filter(is_setting).count();
        Compared { documents, sources: read.len() - documents - settings }
    }
}

/// The paths of files and their folders, by the last part.
fn named(files: &BTreeMap<String, Oid>) -> HashMap<String, Vec<String>> {
    let mut named: HashMap<String, Vec<String>> = HashMap::new();
    let mut before = "";
    for file in files.keys() {
        let mut path = file.as_str();
        // The files of a folder follow each other.
        while !path.is_empty() && !Path::new(before).starts_with(path) {
            let known = named.entry(last(path).to_owned()).or_default();
            known.push(path.to_owned());
            path = folder(path);
        }
        before = file;
    }
    named
}

/// The first group of the first match.
pub fn first(rule: &str, text: &str) -> Option<Range<usize>> {
    let found = pattern(rule).ok()?.captures(text.as_bytes())?;
    found.get(1).map(|found| found.range())
}

/// A pattern as probes match it, compiled once.
pub fn pattern(pattern: &str) -> git::Result<Rc<Regex>> {
    thread_local! {
        static COMPILED: RefCell<HashMap<String, Rc<Regex>>> = RefCell::default();
    }
    if let Some(known) = COMPILED.with_borrow(|known| known.get(pattern).cloned()) {
        return Ok(known);
    }
    // Shared, because a clone begins with an empty cache of states.
    let compiled = Rc::new(regex(pattern).map_err(|why| git::Error::new(ErrorKind::Other, why))?);
    COMPILED.with_borrow_mut(|known| known.insert(pattern.to_owned(), compiled.clone()));
    Ok(compiled)
}

/// The last part of a path.
pub fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The text of the line of a position.
pub fn line_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[start..].lines().next().unwrap_or_default()
}

/// The number of the line of a position.
pub fn number_at(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}
