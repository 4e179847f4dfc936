//! The commands that this user approved, stored outside every repository.

use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::{self, ErrorKind as Io, Write as _},
    path::{Component, Path, PathBuf},
    time::UNIX_EPOCH,
};

use serde::{Deserialize, Serialize};

use crate::{
    entry::sha256_hex,
    file,
    git::{Doing, Error, ErrorKind, Oid, Repo, Result},
    question::{Question, RunOf},
    store::{Place, place_of},
};

/// The complete scope of an approval. Its file contains just this, and is named by its digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The git folder that all worktrees share.
    repository: String,
    place: Option<Place>,
    /// When that folder was made, in nanoseconds since 1970: a new clone in its place may have its inode.
    made: Option<u128>,
    pub question: String,
    pub run: RunOf,
    pub files: BTreeMap<String, String>,
    /// The named files that the command only reads as data: they may change.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub data: BTreeSet<String>,
}

/// Programs that run nothing that stands in the files named after `--`.
const READERS: [&str; 4] = ["git", "diff", "grep", "wc"];

impl Approval {
    /// Fails also if the command names a link or a submodule, whose content is elsewhere.
    pub fn of(repo: &Repo, commit: Oid, question: &Question) -> Result<Self> {
        let Some(run) = question.command() else {
            let what = format!("the probe of {} is not a command", question.name());
            return Err(Error::new(ErrorKind::Unsupported, what));
        };
        let top = repo.worktree().unwrap_or_else(|| "/".into());
        let mut files = BTreeMap::new();
        for path in run.run.iter().flat_map(|word| named(&top, word)) {
            if let Some(blob) = repo.blob_at(commit, &path)? {
                files.insert(path, blob.to_string());
            }
        }
        let (repository, place, made) = here(repo);
        Ok(Self {
            repository,
            place,
            made,
            question: question.name().to_string(),
            run: run.clone(),
            files,
            data: BTreeSet::new(),
        })
    }

    /// The same approval where these files are data; fails if the command does not name one of them.
    pub fn with_data(mut self, data: &[String]) -> Result<Self> {
        for path in data {
            if self.files.remove(path).is_none() {
                let message = format!("the command of {} names no file {path}", self.question);
                return Err(Error::refused(
                    message,
                    "give its path from the root, as in --data src/api.rs",
                ));
            }
            self.data.insert(path.clone());
        }
        Ok(self)
    }

    /// The files that are surely data: those after `--` of a program that runs nothing in them.
    pub fn likely_data(&self) -> Vec<&str> {
        let mut words = self.run.run.iter().map(String::as_str);
        let is_reader = words.next().is_some_and(|program| READERS.contains(&program));
        let operands = words.skip_while(|word| *word != "--").filter(|_| is_reader);
        operands.filter(|word| self.files.contains_key(*word)).collect()
    }

    pub fn fixed_word(&self, repo: &Repo) -> Option<&str> {
        let top = repo.worktree()?;
        self.run.run.iter().map(String::as_str).find(|word| leads_back(&top, word))
    }

    /// Returns true if the user gave it, whichever of its files are data.
    pub fn is_given(&self, repo: &Repo) -> Result<bool> {
        Ok(Self::all(repo)?.into_iter().any(|given| {
            let mut asked = self.clone();
            asked.files.retain(|path, _| !given.data.contains(path));
            asked.data.clone_from(&given.data);
            asked == given
        }))
    }

    pub fn give(&self) -> Result<()> {
        let (name, bytes) = self.file();
        let folder = folder()?;
        let write = || -> io::Result<()> {
            make(&folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&folder)?;
            file.write_all(&bytes)?;
            file.as_file().sync_all()?;
            file.persist(folder.join(name))?;
            Ok(())
        };
        write().doing("keep the approval")
    }

    pub fn revoke(&self) -> Result<()> {
        match fs::remove_file(folder()?.join(self.file().0)) {
            Err(error) if error.kind() != Io::NotFound => Err(error).doing("revoke an approval"),
            _ => Ok(()),
        }
    }

    pub fn all(repo: &Repo) -> Result<Vec<Self>> {
        let here = here(repo);
        let folder = folder()?;
        let names = match fs::read_dir(&folder) {
            Ok(names) => names,
            Err(error) if error.kind() == Io::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).doing("list the approvals"),
        };
        let mut all: Vec<Self> = names
            .flatten()
            .map(|found| found.file_name())
            .filter_map(|name| {
                let bytes = file::read(&folder, name.as_ref(), file::MOST).ok()?;
                let approval: Self = serde_json::from_slice(&bytes).ok()?;
                (approval.file() == (name.into_string().ok()?, bytes)).then_some(approval)
            })
            .filter(|Self { repository, place, made, .. }| {
                (repository, place, made) == (&here.0, &here.1, &here.2)
            })
            .collect();
        all.sort_by(|approval, other| approval.question.cmp(&other.question));
        Ok(all)
    }

    fn file(&self) -> (String, Vec<u8>) {
        let bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        (format!("{}.json", sha256_hex(&bytes)), bytes)
    }
}

fn here(repo: &Repo) -> (String, Option<Place>, Option<u128>) {
    let folder = repo.common_dir();
    let folder = folder.canonicalize().unwrap_or(folder);
    let made = folder.metadata().and_then(|metadata| metadata.created()).ok();
    let made = made.and_then(|made| Some(made.duration_since(UNIX_EPOCH).ok()?.as_nanos()));
    (folder.to_string_lossy().into_owned(), place_of(&folder), made)
}

/// The paths below the top folder that a word of a command may name: `./a`, `b/../a` and `--config=a` name `a`.
fn named(top: &Path, word: &str) -> impl Iterator<Item = String> {
    paths(word).filter_map(move |word| {
        let path = plain(&top.join(word))
            .strip_prefix(top)
            .ok()?
            .iter()
            .map(|part| part.to_str())
            .collect::<Option<Vec<_>>>()?
            .join("/");
        (!path.is_empty()).then_some(path)
    })
}

fn paths(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value);
    [Some(word), value].into_iter().flatten()
}

fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// Returns true if a word leads into the worktree from outside, and so from another worktree into this one too.
fn leads_back(top: &Path, word: &str) -> bool {
    let leaves = |path: &Path| {
        let depths = path.components().scan(0, |depth, part| {
            *depth += match part {
                Component::ParentDir => -1,
                Component::CurDir => 0,
                _ => 1,
            };
            Some(*depth)
        });
        path.is_absolute() || depths.into_iter().any(|depth| depth < 0)
    };
    let is_inside = |path: PathBuf| {
        let real = |path: &Path| path.canonicalize().ok();
        let inside = real(&path).zip(real(top));
        plain(&path).starts_with(top) || inside.is_some_and(|(path, top)| path.starts_with(top))
    };
    paths(word).any(|path| leaves(path.as_ref()) && is_inside(top.join(path)))
}

fn folder() -> Result<PathBuf> {
    let absolute = |variable: &str| {
        let folder = env::var_os(variable).map(PathBuf::from);
        folder.filter(|folder| folder.is_absolute())
    };
    let state = if cfg!(windows) {
        absolute("LOCALAPPDATA")
    } else {
        absolute("XDG_STATE_HOME")
            .or_else(|| env::home_dir().map(|home| home.join(".local").join("state")))
    };
    Ok(state
        .filter(|folder| folder.is_absolute())
        .ok_or_else(|| Error::refused("could not find where approvals are kept", "set HOME"))?
        .join("git-sq")
        .join("approvals"))
}

fn make(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}
