//! The files of one commit: which are looked at, and their texts.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    ops::Range,
    path::Path,
    rc::Rc,
};

use regex::bytes::Regex;

use crate::{
    git::{self, ErrorKind, Marks, Oid, Pathspecs, Repo},
    question::regex,
};

/// Larger files state their facts elsewhere, too.
const MOST: u64 = 4 << 20;

/// Folders of other people's files, of samples, and of what was true on one day.
const FOREIGN: &str = r"(^|/)(vendor|vendored|deps|external|(third|3rd)[_-]?party|node_modules|testdata|tests?|fixtures|__tests__|examples?|samples|templates|archive|blog|plans|proposals|rfcs|adr)/";

/// Matches nothing.
pub const NONE: &str = r"[^\s\S]";

/// Attributes of what a project did not write by hand, or wants to be left out.
const MARKS: [&str; 3] = ["linguist-generated", "linguist-vendored", "sq-ignore"];

pub struct Tree<'r> {
    pub repo: &'r Repo,
    pub commit: Oid,
    files: BTreeMap<String, Oid>,
    /// The files and folders of each name.
    named: HashMap<String, Vec<String>>,
    marks: RefCell<Marks>,
}

impl<'r> Tree<'r> {
    pub fn open(repo: &'r Repo, commit: Oid) -> git::Result<Self> {
        let mut files = repo.files_at(commit, &mut Pathspecs::parse(&[".".to_owned()])?)?;
        // A path that is not UTF-8 can't stand in a probe.
        files.retain(|file| !file.path.contains('\u{fffd}'));
        let files: BTreeMap<_, _> = files.into_iter().map(|file| (file.path, file.blob)).collect();
        Ok(Self {
            repo,
            commit,
            named: named(&files),
            marks: RefCell::new(repo.marks(files.iter())),
            files,
        })
    }

    /// The project's own files whose paths match.
    pub fn own(&self, paths: &str) -> git::Result<Vec<&String>> {
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

    /// `None` if there is no such file, or it is too large.
    pub fn text(&self, path: &str) -> git::Result<Option<String>> {
        match self.files.get(path) {
            Some(&blob) if self.repo.blob_size(blob)? <= MOST => {
                let bytes = self.repo.blob(blob)?;
                Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
            }
            _ => Ok(None),
        }
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
