//! The files of one commit: which are looked at, and their texts.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    ops::Range,
    rc::Rc,
};

use regex::bytes::Regex;

use crate::{
    git::{self, ErrorKind, Oid, Pathspecs, Repo},
    question::regex,
};

/// Larger files state their facts elsewhere, too.
const MOST: u64 = 4 << 20;

/// Folders of other people's files, of samples, and of what was true on one day.
const FOREIGN: &str = r"(^|/)(vendor|vendored|third[_-]party|node_modules|testdata|tests?|fixtures|__tests__|examples?|samples|templates|archive|blog|plans|proposals|rfcs|adr)/";

pub struct Tree<'r> {
    pub repo: &'r Repo,
    pub commit: Oid,
    files: BTreeMap<String, Oid>,
    texts: RefCell<HashMap<String, Option<String>>>,
}

impl<'r> Tree<'r> {
    pub fn open(repo: &'r Repo, commit: Oid) -> git::Result<Self> {
        let mut files = repo.files_at(commit, &mut Pathspecs::parse(&[".".to_owned()])?)?;
        // A path that is not UTF-8 can't stand in a probe.
        files.retain(|file| !file.path.contains('\u{fffd}'));
        let files = files.into_iter().map(|file| (file.path, file.blob)).collect();
        Ok(Self { repo, commit, files, texts: RefCell::default() })
    }

    /// The project's own files whose paths match.
    pub fn own(&self, paths: &str) -> git::Result<Vec<&String>> {
        let [paths, foreign] = [pattern(paths)?, pattern(FOREIGN)?];
        let is_own = |path: &[u8]| paths.is_match(path) && !foreign.is_match(path);
        Ok(self.files.keys().filter(|path| is_own(path.as_bytes())).collect())
    }

    /// True also of links and submodules, and of what may lie behind one.
    pub fn has(&self, path: &str) -> bool {
        let is_none = |found| matches!(found, Ok(None));
        !is_none(self.repo.object_at(self.commit, path))
            || !is_none(self.repo.blob_at(self.commit, path))
    }

    /// True if a file or a folder of any folder has this path.
    pub fn has_anywhere(&self, path: &str) -> bool {
        let part = format!("/{path}/");
        let mut files = self.files.keys();
        files.any(|file| format!("/{file}/").contains(&part))
    }

    /// `None` if there is no such file, or it is too large. Each is read once: every kind of fact looks at the same documents.
    pub fn text(&self, path: &str) -> git::Result<Option<String>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return Ok(known.clone());
        }
        let text = match self.files.get(path) {
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
