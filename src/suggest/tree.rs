//! The files of one commit: which are looked at, and their texts.

use std::{
    cell::RefCell,
    collections::{HashMap, HashSet},
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

/// A span between fences is code.
const FENCE: &str = r"^[\s>]*(?:(`{3,})[^`]*|(~{3,}).*)$";

pub struct Tree<'r> {
    pub repo: &'r Repo,
    pub commit: Oid,
    /// The project's own files.
    pub own: Vec<String>,
    /// All regular files and their folders.
    all: HashSet<String>,
}

impl<'r> Tree<'r> {
    pub fn open(repo: &'r Repo, commit: Oid) -> git::Result<Self> {
        let files = repo.files_at(commit, &mut Pathspecs::parse(&[".".to_owned()])?)?;
        let mut own: Vec<String> = files.into_iter().map(|file| file.path).collect();
        let mut all = HashSet::new();
        for mut path in own.iter().map(String::as_str) {
            while !path.is_empty() && all.insert(path.to_owned()) {
                path = folder(path);
            }
        }
        let foreign = pattern(FOREIGN)?;
        // A path that is not UTF-8 can't stand in a probe.
        own.retain(|path| !foreign.is_match(path.as_bytes()) && !path.contains('\u{fffd}'));
        Ok(Self {
            repo,
            commit,
            own,
            all,
        })
    }

    /// True also of links and submodules, and of what may lie behind one.
    pub fn has(&self, path: &str) -> bool {
        self.all.contains(path) || !matches!(self.repo.blob_at(self.commit, path), Ok(None))
    }

    pub fn has_anywhere(&self, path: &str) -> bool {
        let end = format!("/{path}");
        self.all.iter().any(|one| one.ends_with(&end))
    }

    /// `None` if there is no such file, or it is too large.
    pub fn text(&self, path: &str) -> git::Result<Option<String>> {
        let read = || match self.repo.blob_at(self.commit, path)? {
            Some(blob) if self.repo.blob_size(blob)? <= MOST => self.repo.blob(blob).map(Some),
            _ => Ok(None),
        };
        match read() {
            Err(error) if matches!(error.kind, ErrorKind::TooLarge | ErrorKind::Unsupported) => {
                Ok(None)
            }
            bytes => Ok(bytes?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())),
        }
    }
}

/// The lines of a text: where each begins, its text, and whether it is code. Fences are paired line by line.
pub fn lines(text: &str) -> git::Result<Vec<(usize, &str, bool)>> {
    let fence = pattern(FENCE)?;
    let (mut open, mut start, mut lines): (&str, _, _) = ("", 0, Vec::new());
    for line in text.split_inclusive('\n') {
        let found = fence.captures(line.trim_end().as_bytes());
        let marks = found.and_then(|found| found.get(1).or(found.get(2)));
        let marks = marks.map_or("", |marks| &line[marks.range()]);
        lines.push((
            start,
            line.trim_end(),
            !open.is_empty() || !marks.is_empty(),
        ));
        if open.is_empty() {
            open = marks;
        } else if marks.starts_with(open) && line.trim().ends_with(marks) {
            open = "";
        }
        start += line.len();
    }
    Ok(lines)
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

pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
