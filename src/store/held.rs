//! Branches that no remote has, of lines that this clone wrote: the log does not tell them. Such a line may have to wait
//! for its branch.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, OpenOptions},
    io::{ErrorKind, Write as _},
    path::Path,
};

use super::{Error, state_dir};
use crate::{file, git::Repo};

const NAME: &str = "held";
/// A million lines.
const MOST: u64 = 64 << 20;
/// No branch has this name.
const DETACHED: &str = "-";

#[derive(Debug, Default)]
pub struct Held {
    /// The branch of each held line, by the line's id; `None` for a detached HEAD.
    branches: HashMap<String, Option<String>>,
    let_go: HashSet<String>,
}

impl Held {
    pub fn read(repo: &Repo) -> Result<Self, Error> {
        let bytes = match file::read(&state_dir(repo), NAME.as_ref(), MOST) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            read => read.map_err(Error::file("read", &state_dir(repo).join(NAME)))?,
        };
        let mut held = Self::default();
        for row in String::from_utf8_lossy(&bytes).lines() {
            if let Some((id, branch)) = row.split_once(' ') {
                let branch = (branch != DETACHED).then(|| branch.to_owned());
                held.branches.insert(id.to_owned(), branch);
            } else {
                held.branches.remove(row);
                held.let_go.insert(row.to_owned());
            }
        }
        Ok(held)
    }

    pub fn holds(&self, id: &str) -> bool {
        self.branches.contains_key(id)
    }

    /// Returns true if a person let the line go.
    pub fn has_let_go(&self, id: &str) -> bool {
        self.let_go.contains(id)
    }

    pub fn branch(&self, id: &str) -> Option<&str> {
        self.branches.get(id)?.as_deref()
    }
}

/// Returns true for the file that knows the held lines.
pub fn is_of_held(path: &Path) -> bool {
    path.ends_with(NAME)
}

/// Called before the line is appended, so that it is never seen without its branch.
pub fn hold(repo: &Repo, id: &str, branch: Option<&str>) -> Result<(), Error> {
    add(repo, &format!("{id} {}\n", branch.unwrap_or(DETACHED)))
}

/// Lets a held line go out as soon as its commit is public.
pub fn let_go(repo: &Repo, id: &str) -> Result<(), Error> {
    add(repo, &format!("{id}\n"))
}

/// In one write, so that the rows of several processes stay whole.
fn add(repo: &Repo, row: &str) -> Result<(), Error> {
    let folder = state_dir(repo);
    let path = folder.join(NAME);
    fs::create_dir_all(&folder)
        .and_then(|()| OpenOptions::new().create(true).append(true).open(&path))
        .and_then(|mut file| file.write_all(row.as_bytes()))
        .map_err(Error::file("write", &path))
}
