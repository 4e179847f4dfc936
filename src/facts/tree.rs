//! The files of one commit: which are looked at, and their texts.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    ops::Range,
    path::Path,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use regex::bytes::Regex;
use serde::Serialize;

use super::{
    At,
    answers::{Answer, Answers},
    moves::Moves,
};
use crate::{
    git::{self, EntryAt, ErrorKind, FileChange, Line, Marks, Oid, Pathspecs, Repo},
    question::regex,
};

/// Larger files state their facts elsewhere, too.
const MOST: u64 = 4 << 20;

/// Folders of other people's files, and of what was true on one day.
const FOREIGN: &str = r"(^|/)(vendor|vendored|deps|external|(third|3rd)[_-]?party|node_modules|testdata|tests?|fixtures|__tests__|templates|archive|blog|plans|proposals|rfcs|adr)/";

/// Folders of samples.
const SAMPLES: &str = r"(^|/)(examples?|samples)/";

/// Matches nothing.
pub const NONE: &str = r"[^\s\S]";

/// Attributes of what a program makes, and need not be there, or what is to be left out.
const MADE: [&str; 2] = ["linguist-generated", "sq-ignore"];

/// The same, and of other people's files.
const MARKS: [&str; 3] = ["linguist-generated", "linguist-vendored", "sq-ignore"];

/// The files that set them.
const ATTRIBUTES: &str = ":(glob)**/.gitattributes";

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
    pub answers: &'r Answers,
    /// The commit whose history precedes; `None` before the first one.
    pub tip: Option<Oid>,
    /// The only commit of the history that is read, if it is not all of it.
    pub base: Option<Oid>,
    staged: &'r [FileChange],
    /// True if history is cut off before what is asked of it.
    pub is_shallow: bool,
    files: BTreeMap<String, Oid>,
    /// The files that are not in folders of other people's.
    own: Vec<String>,
    folders: HashSet<String>,
    /// Symbolic links and submodules.
    links: HashSet<String>,
    /// The files and folders of each name.
    named: HashMap<String, Vec<String>>,
    marks: RefCell<Marks>,
    /// Those that were read.
    texts: RefCell<HashMap<String, Option<String>>>,
    pub moves: Moves<'r>,
    /// Blobs that this partial clone lacks.
    pub lacks: RefCell<BTreeSet<Oid>>,
    /// True if a file of the history could not be read.
    is_damaged: Arc<AtomicBool>,
}

/// Reads files of the history.
pub struct Versions<'r> {
    repo: Repo,
    pub answers: &'r Answers,
    is_damaged: Arc<AtomicBool>,
}

impl Versions<'_> {
    /// The answers of a version to some questions; there are none if there is no file, or it can't be read.
    pub fn ask(
        &self,
        blob: Option<Oid>,
        questions: &[u32],
        find: impl FnOnce(&str) -> Vec<Answer>,
    ) -> Vec<Answer> {
        match blob {
            Some(blob) => self.answers.of(blob, questions, || Some(find(&self.text(blob)?))),
            None => vec![None; questions.len()],
        }
    }

    /// `None` if it can't be read; one that is too large says nothing.
    pub fn text(&self, blob: Oid) -> Option<String> {
        match self.repo.blob(blob) {
            Ok(bytes) => Some(text(bytes)),
            Err(error) if error.kind == ErrorKind::TooLarge => Some(String::new()),
            Err(_) => {
                self.is_damaged.store(true, Ordering::Relaxed);
                None
            }
        }
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

impl<'r> Tree<'r> {
    pub fn open(
        repo: &'r Repo,
        answers: &'r Answers,
        at: At<'r>,
        base: Option<Oid>,
    ) -> git::Result<Self> {
        let repo = at.repo(repo);
        let staged = match at {
            At::Commit(_) => &[][..],
            At::Index(staged, _) => &*staged.changes,
        };
        let (mut files, mut folders) = (BTreeMap::new(), HashSet::new());
        let mut links = HashSet::new();
        for EntryAt { path, is_folder, blob } in repo.entries_at(at.files())? {
            match blob {
                // A path that is not UTF-8 can't stand in a probe.
                Some(blob) if !path.contains('\u{fffd}') => drop(files.insert(path, blob)),
                Some(_) => {}
                None if is_folder => drop(folders.insert(path)),
                None => drop(links.insert(path)),
            }
        }
        let attributes = match base {
            Some(base) => repo.files_at(base, &mut Pathspecs::parse(&[ATTRIBUTES.into()])?)?,
            None => Vec::new(),
        };
        // A branch does not break a fact and mark its document in one go.
        let marking =
            files.iter().filter(|(path, _)| base.is_none() || last(path) != ".gitattributes");
        let marking = marking.chain(attributes.iter().map(|file| (&file.path, &file.blob)));
        let (foreign, is_damaged) = (pattern(FOREIGN)?, Arc::<AtomicBool>::default());
        let is_own = |path: &&String| !foreign.is_match(path.as_bytes());
        Ok(Self {
            repo,
            answers,
            tip: at.tip(),
            base,
            staged,
            is_shallow: base.is_none() && repo.is_shallow()?,
            named: named(&files),
            marks: RefCell::new(repo.marks(marking)),
            own: files.keys().filter(is_own).cloned().collect(),
            files,
            folders,
            links,
            texts: RefCell::default(),
            moves: Moves::new(repo, answers, base, is_damaged.clone()),
            lacks: RefCell::default(),
            is_damaged,
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
        let paths = pattern(paths)?;
        let is_wanted = |path: &&String| paths.is_match(path.as_bytes()) && !self.is_marked(path);
        Ok(self.own.iter().filter(is_wanted).collect())
    }

    /// All files whose paths match.
    pub fn all(&self, paths: &str) -> git::Result<Vec<&String>> {
        let paths = pattern(paths)?;
        Ok(self.files.keys().filter(|path| paths.is_match(path.as_bytes())).collect())
    }

    /// True of files that are made, or other people's, by the attributes of the base or, without one, of the commit.
    pub fn is_marked(&self, path: &str) -> bool {
        self.marks.borrow_mut().has_attribute(path, &MARKS)
    }

    /// True of paths that need not be there: git ignores them, or a program makes them.
    pub fn is_made(&self, path: &str) -> bool {
        let mut marks = self.marks.borrow_mut();
        marks.is_ignored(path) || marks.has_attribute(path, &MADE)
    }

    /// True also of links and submodules, and of what may lie behind one.
    pub fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        let is_link = |path: &Path| path.to_str().is_some_and(|path| self.links.contains(path));
        self.files.contains_key(path)
            || self.folders.contains(path)
            || Path::new(path).ancestors().any(is_link)
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

    /// The blob of a file with its text; `None` as [`Tree::text`].
    pub fn read(&self, path: &str) -> git::Result<Option<(Oid, String)>> {
        Ok(self.files.get(path).copied().zip(self.text(path)?))
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
            Some(&blob) if self.repo.blob_size(blob)? <= MOST => Some(text(self.repo.blob(blob)?)),
            _ => None,
        };
        self.texts.borrow_mut().insert(path.to_owned(), text.clone());
        Ok(text)
    }
}

impl Tree<'_> {
    /// The changes of files, and of what is below folders, newest first: those of the index, then those of its history.
    /// In a partial clone, it fetches the versions of files that are still there in one go.
    pub fn changes(&self, line: &Line, paths: &[String]) -> Vec<FileChange> {
        let mut changes = self.staged.to_vec();
        changes.extend(line.of(paths));
        let versions = changes.iter().filter(|change| self.files.contains_key(&change.path));
        self.repo.bring(&versions.filter_map(|change| change.blob).collect::<Vec<_>>());
        changes
    }

    pub fn versions(&self) -> Versions<'_> {
        Versions {
            repo: self.repo.remembering_versions(),
            answers: self.answers,
            is_damaged: self.is_damaged.clone(),
        }
    }

    /// True if a file of the history could not be read.
    pub fn is_damaged(&self) -> bool {
        self.is_damaged.load(Ordering::Relaxed)
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
            named.entry(last(path).to_owned()).or_default().push(path.to_owned());
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
