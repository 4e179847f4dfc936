//! The files of one commit, and their texts.

use std::{cell::RefCell, collections::BTreeMap, collections::HashMap, rc::Rc};

use crate::{
    evidence::{Found, Prober},
    git::{self, ErrorKind, Oid, Pathspecs, Repo},
    question::Probe,
};

/// Larger files state their facts elsewhere, too.
const MOST: u64 = 4 << 20;

/// Folders of other people's files, of samples, and of what was true on one day.
const FOREIGN: [&str; 20] = [
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "node_modules",
    "testdata",
    "test",
    "tests",
    "fixtures",
    "__tests__",
    "examples",
    "example",
    "samples",
    "templates",
    "archive",
    "blog",
    "plans",
    "proposals",
    "rfcs",
    "adr",
];

pub struct Tree<'r> {
    pub repo: &'r Repo,
    pub commit: Oid,
    files: BTreeMap<String, Oid>,
    texts: RefCell<HashMap<Oid, Option<Rc<str>>>>,
    prober: Prober,
}

impl<'r> Tree<'r> {
    pub fn open(repo: &'r Repo, commit: Oid) -> git::Result<Self> {
        let mut all = Pathspecs::parse(&[".".to_owned()])?;
        let files = repo.files_at(commit, &mut all)?.into_iter();
        // A path that is not UTF-8 can't stand in a probe.
        let files = files.filter(|file| !file.path.contains('\u{fffd}'));
        Ok(Self {
            repo,
            commit,
            files: files.map(|file| (file.path, file.blob)).collect(),
            texts: RefCell::default(),
            prober: Prober::new(repo, commit),
        })
    }

    /// The files that belong to the project itself.
    pub fn own(&self) -> impl Iterator<Item = &str> {
        let files = self.files.keys().map(String::as_str);
        files.filter(|path| !folder(path).split('/').any(|part| FOREIGN.contains(&part)))
    }

    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// True of files, folders, symbolic links and submodules, and of what may be in a submodule or behind a link.
    pub fn exists(&self, path: &str) -> bool {
        let below = format!("{path}/");
        let next = self.files.range(path.to_owned()..).next();
        let is_folder = self.files.range(below.clone()..).next();
        next.is_some_and(|(file, _)| file == path)
            || is_folder.is_some_and(|(file, _)| file.starts_with(&below))
            || !matches!(self.repo.blob_at(self.commit, path), Ok(None))
            || !matches!(self.repo.object_at(self.commit, path), Ok(None))
    }

    /// True if the path exists below any folder.
    pub fn exists_anywhere(&self, path: &str) -> bool {
        let (inside, below) = (format!("/{path}"), format!("/{path}/"));
        let mut files = self.files.keys();
        files.any(|file| file.ends_with(&inside) || file.contains(&below))
    }

    /// The text of a file; `None` if there is none, or it is too large.
    pub fn text(&self, path: &str) -> git::Result<Option<Rc<str>>> {
        let Some(&blob) = self.files.get(path) else {
            return Ok(None);
        };
        if let Some(text) = self.texts.borrow().get(&blob) {
            return Ok(text.clone());
        }
        let read = || -> git::Result<Option<Rc<str>>> {
            if self.repo.blob_size(blob)? > MOST {
                return Ok(None);
            }
            Ok(Some(String::from_utf8_lossy(&self.repo.blob(blob)?).into()))
        };
        let text = match read() {
            Err(error) if error.kind == ErrorKind::TooLarge => None,
            text => text?,
        };
        self.texts.borrow_mut().insert(blob, text.clone());
        Ok(text)
    }

    /// What a probe finds at a commit, if it is a text or a number.
    pub fn find(&self, commit: Oid, probe: &Probe) -> git::Result<Option<String>> {
        Ok(match self.prober.run(commit, probe)?.found {
            Found::Value(serde_json::Value::String(text)) => Some(text),
            Found::Value(value) if value.is_number() => Some(value.to_string()),
            _ => None,
        })
    }
}

/// The folder of a path, without a slash at its end.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub fn join(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        _ => format!("{folder}/{name}"),
    }
}
