//! What the log does not tell of the lines that this clone wrote: the branches that no remote has. Such a line may have
//! to wait for its branch.

use std::{
    collections::HashMap,
    fs::{self, OpenOptions},
    io::{ErrorKind, Write as _},
};

use super::{Error, state_dir};
use crate::{file, git::Repo};

const NAME: &str = "held";
/// A million lines.
const MOST: u64 = 64 << 20;
/// No branch has this name.
const DETACHED: &str = "-";

/// The branch of each held line, by the line's id; `None` for a detached HEAD.
#[derive(Debug, Default)]
pub struct Held(HashMap<String, Option<String>>);

impl Held {
    pub fn read(repo: &Repo) -> Result<Self, Error> {
        let bytes = match file::read(&state_dir(repo), NAME.as_ref(), MOST) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self::default()),
            read => read.map_err(Error::file("read", &state_dir(repo).join(NAME)))?,
        };
        let mut held = HashMap::new();
        for row in String::from_utf8_lossy(&bytes).lines() {
            match row.split_once(' ') {
                Some((id, DETACHED)) => held.insert(id.to_owned(), None),
                Some((id, branch)) => held.insert(id.to_owned(), Some(branch.to_owned())),
                None => held.remove(row),
            };
        }
        Ok(Self(held))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn holds(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    pub fn branch(&self, id: &str) -> Option<&str> {
        self.0.get(id)?.as_deref()
    }
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
