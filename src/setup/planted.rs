//! The memory of what was planted in files, and of what stood there before: nothing else is ever taken back.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{entry::sha256_hex, file, git::Repo, store::state_dir};

const NAME: &str = "planted.json";

/// Size limit, in bytes, for the memory. It has at most [`file::MOST`] bytes of each file.
const MOST: u64 = file::MOST << 6;

/// A file as it was left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planted {
    /// The digest of the whole file.
    sha256: String,
    /// The file without what was planted; `None` if there was none.
    pub before: Option<String>,
    /// The texts that were planted in it: commands, rules and paragraphs.
    pub texts: BTreeSet<String>,
}

impl Planted {
    pub fn new(after: &str, before: Option<String>, texts: BTreeSet<String>) -> Self {
        Self { sha256: sha256_hex(after.as_bytes()), before, texts }
    }

    /// Returns true if the file is still as it was left.
    pub fn is(&self, bytes: &[u8]) -> bool {
        sha256_hex(bytes) == self.sha256
    }
}

/// The memory of the files below one folder.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Root {
    files: BTreeMap<String, Planted>,
    /// The folders that were made for the files.
    folders: BTreeSet<String>,
}

type Memory = BTreeMap<String, Root>;

/// A folder below which files are planted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ground {
    pub root: PathBuf,
    /// Its name in the memory. Worktrees of agents have one without a slash; it survives a move of the repository.
    name: String,
    /// The folder of the memory.
    memory: PathBuf,
}

impl Ground {
    /// The worktree, for the files of coding agents; `None` in a bare repository.
    pub fn of_agents(repo: &Repo) -> Option<Self> {
        let name = repo.linked_worktree().unwrap_or_default();
        Some(Self { root: repo.worktree()?, name, memory: state_dir(repo) })
    }

    /// The worktree, for the question store.
    pub fn of_store(repo: &Repo) -> Option<Self> {
        let ground = Self::of_agents(repo)?;
        Some(Self { name: format!("store/{}", ground.name), ..ground })
    }

    /// The git directory or the worktree, for git hooks.
    pub fn of_hooks(repo: &Repo, root: PathBuf) -> Self {
        Self { root, name: "hooks/".to_owned(), memory: state_dir(repo) }
    }

    /// A folder of the user, with the folder of the user's memory.
    pub fn of_user(root: &Path, memory: &Path) -> Self {
        let name = format!("user/{}", root.display());
        Self { root: root.to_owned(), name, memory: memory.to_owned() }
    }

    /// The memory of a file that now has these bytes. In a linked worktree, that may be what another one planted and
    /// git brought along.
    pub fn planted(&self, path: &Path, now: Option<&[u8]>) -> Option<Planted> {
        let mut memory = read(&self.memory);
        memory
            .remove(&self.name)
            .and_then(|mut root| root.files.remove(&key(path)))
            // Somebody else has put back what was there before.
            .filter(|planted| planted.before.as_deref().map(str::as_bytes) != now)
            .or_else(|| {
                memory
                    .into_iter()
                    .filter(|(name, _)| !name.contains('/') && !self.name.contains('/'))
                    .filter_map(|(_, mut root)| root.files.remove(&key(path)))
                    .find(|planted| now.is_some_and(|bytes| planted.is(bytes)))
            })
    }

    /// Writes a file, with `write`; remembers it first, so that a crash leaves nothing unknown.
    pub fn plant(
        &self,
        path: &Path,
        text: &str,
        planted: Planted,
        write: impl FnOnce(&Path, &str) -> io::Result<()>,
    ) -> io::Result<()> {
        self.update(|root| {
            let missing = folders(path).filter(|folder| !self.root.join(folder).exists());
            root.folders.extend(missing.map(key));
            root.files.insert(key(path), planted);
        })?;
        write(&self.root.join(path), text)
    }

    /// Removes a file, and the folders that were made for it and are now empty.
    pub fn uproot(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(self.root.join(path))?;
        self.update(|root| {
            root.files.remove(&key(path));
            for folder in folders(path).take_while(|folder| root.folders.contains(&key(folder))) {
                if fs::remove_dir(self.root.join(folder)).is_err() {
                    break;
                }
            }
            root.folders.retain(|folder| self.root.join(folder).exists());
        })
    }

    pub fn forget(&self, path: &Path) -> io::Result<()> {
        self.update(|root| _ = root.files.remove(&key(path)))
    }

    fn update(&self, change: impl FnOnce(&mut Root)) -> io::Result<()> {
        let before = read(&self.memory);
        let mut after = before.clone();
        change(after.entry(self.name.clone()).or_default());
        after.retain(|_, root| !root.files.is_empty());
        if after == before { Ok(()) } else { write(&self.memory, &after) }
    }
}

/// Forgets all but the files of coding agents; returns true if there are any. A dry run only looks.
pub fn forget_init(repo: &Repo, dry_run: bool) -> io::Result<bool> {
    let mut memory = read(&state_dir(repo));
    memory.retain(|name, _| !name.contains('/'));
    if !dry_run {
        write(&state_dir(repo), &memory)?;
    }
    Ok(!memory.is_empty())
}

pub fn is_memory(path: &Path) -> bool {
    path.ends_with(NAME)
}

/// Those between the file and its root, the innermost first.
fn folders(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip(1).filter(|folder| folder.file_name().is_some())
}

fn key(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A missing or damaged memory knows nothing.
fn read(folder: &Path) -> Memory {
    let bytes = file::read(folder, NAME.as_ref(), MOST).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn write(folder: &Path, memory: &Memory) -> io::Result<()> {
    let path = folder.join(NAME);
    if !memory.is_empty() {
        return file::keep(&path, file::private(folder)?, memory);
    }
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => {
            // Only the last memory leaves an empty folder.
            let _ = fs::remove_dir(folder);
            Ok(())
        }
    }
}
