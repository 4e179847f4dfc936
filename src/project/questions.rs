//! Finds the question store: in a commit, else in the worktree.

use std::{fmt::Display, io};

use super::{Error, Project, absent};
use crate::{
    file,
    git::{ErrorKind, Oid, Repo},
    question::{self, Closing, Closings, Places, QuestionSet, StoreError},
    timeline::short,
};

/// The question store that is used, compared with the one in the worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreNews {
    Committed,
    /// The worktree's is used, because the tip has none.
    NotCommitted,
    /// The tip's is used, and the worktree's differs, or is not there.
    Differs,
    /// The worktree's is the same, and something is closed beside it that is not closed at the tip.
    Closes,
}

pub struct FoundStore {
    pub set: QuestionSet,
    /// From the root of the repository.
    pub path: String,
    pub blob: Oid,
    pub news: StoreNews,
}

pub fn store_paths(repo: &Repo) -> Vec<String> {
    question::store_paths(repo.config_string("sq.questions"))
}

pub fn worktree_store(repo: &Repo) -> Result<Option<(String, Vec<u8>, QuestionSet)>, Error> {
    let Some(root) = repo.worktree() else {
        return Ok(None);
    };
    let is_set = repo.config_string("sq.questions").is_some();
    for (place, path) in store_paths(repo).into_iter().enumerate() {
        let bytes = match file::read(&root, path.as_ref(), file::MOST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            // A link, where the user keeps no store.
            Err(_) if place > 0 && is_set && file::is_below_none(&root, &path) => continue,
            Err(error) => return Err(unread(&error)),
        };
        let mut set = question::parse(&path, &bytes).map_err(|error| StoreError {
            is_tracked: repo.tracks(&path).unwrap_or(false),
            ..error
        })?;
        let (_, closings) = worktree_closings(repo, &path)?;
        set.closed.0.extend(closings.into_iter().map(|closing| closing.closes));
        return Ok(Some((path, bytes, set)));
    }
    Ok(None)
}

/// The closings beside a store, and the path of their file.
fn worktree_closings(repo: &Repo, store: &str) -> Result<(String, Vec<Closing>), Error> {
    let path = question::closings_path(store);
    let root = repo.worktree().ok_or_else(|| absent::not_in_worktree(repo))?;
    let bytes = match file::read(&root, path.as_ref(), file::MOST) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(_) if file::is_below_none(&root, &path) => Vec::new(),
        Err(error) => return Err(unread(&error)),
    };
    let closings = question::parse_closings(&path, &bytes)
        .map_err(|error| StoreError { is_tracked: repo.tracks(&path).unwrap_or(false), ..error })?;
    Ok((path, closings))
}

/// The closings at a commit, else in the worktree, with a store or without one.
pub fn dismissals(repo: &Repo, commit: Option<Oid>) -> Result<Closings, Error> {
    let mut closed = Closings::default();
    for store in store_paths(repo) {
        let closings = match commit {
            None if repo.worktree().is_none() => Vec::new(),
            None => worktree_closings(repo, &store)?.1,
            Some(commit) => closings_at(repo, commit, &store).unwrap_or_default(),
        };
        closed.0.extend(closings.into_iter().map(|closing| closing.closes));
    }
    Ok(closed)
}

/// The closings beside a store of a commit.
fn closings_at(repo: &Repo, commit: Oid, store: &str) -> Result<Vec<Closing>, Error> {
    let path = question::closings_path(store);
    let Some(blob) = repo.blob_at(commit, &path)? else {
        return Ok(Vec::new());
    };
    let name = name_at(repo, commit, &path)?;
    Ok(question::parse_closings(&name, &store_bytes(repo, blob, &name)?)?)
}

/// Adds closings to the file beside a store, and tells git to merge it line by line. The paths that were written.
pub fn close(repo: &Repo, store: &str, new: Vec<Closing>) -> Result<Vec<String>, Error> {
    let (path, known) = worktree_closings(repo, store)?;
    let Some(text) = question::add_closings(known, new) else {
        return Ok(Vec::new());
    };
    if text.len() as u64 > file::MOST {
        let why = format!("{path} would be longer than 1 MiB, and could not be read");
        let help = "nothing was changed; delete its lines on what no question asks any more";
        return Err(Error::refused(why, help));
    }
    write_store(repo, &path, &text)?;
    let (folder, name) =
        path.rsplit_once('/').map_or(("", &*path), |(folder, name)| (folder, name));
    let attributes = format!("{folder}/.gitattributes").trim_start_matches('/').to_owned();
    let root = repo.worktree().ok_or_else(|| absent::not_in_worktree(repo))?;
    let known = match file::read(&root, attributes.as_ref(), file::MOST) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some(String::new()),
        known => known.ok().and_then(|bytes| String::from_utf8(bytes).ok()),
    };
    let Some(mut text) = known else {
        return Ok(vec![path]);
    };
    let line = format!("/{name} merge=union -filter");
    if text.lines().any(|known| known == line) {
        return Ok(vec![path]);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    write_store(repo, &attributes, &(text + &line + "\n"))?;
    Ok(vec![path, attributes])
}

pub fn write_store(repo: &Repo, path: &str, text: &str) -> Result<(), Error> {
    let file = repo.worktree().ok_or_else(|| absent::not_in_worktree(repo))?.join(path);
    file::replace(&file, text).map_err(|error| {
        let help = "nothing was changed; see that its folder can be written";
        Error::refused("could not write the question store", help).because(error)
    })
}

/// The question store of HEAD, else the worktree's, in a repository that may have no commit yet.
pub fn store_of_head(repo: &Repo) -> Result<Option<FoundStore>, Error> {
    match repo.head()?.commit {
        Some(tip) => store_if_any(repo, tip),
        None => store_in_worktree(repo),
    }
}

/// The question store of a commit, else the worktree's.
pub fn store_if_any(repo: &Repo, tip: Oid) -> Result<Option<FoundStore>, Error> {
    let Some(store) = store_at(repo, tip)? else {
        return store_in_worktree(repo);
    };
    // A checkout may convert line endings.
    let plain = |text: &[u8]| String::from_utf8_lossy(text).replace("\r\n", "\n");
    let worktree = if repo.head()?.commit == Some(tip) { repo.worktree() } else { None };
    let in_worktree =
        worktree.as_ref().map(|root| file::read(root, store.path.as_ref(), file::MOST));
    let news = match in_worktree {
        Some(Ok(copy)) if plain(&copy) != plain(&repo.blob(store.blob)?) => StoreNews::Differs,
        Some(Ok(_)) | None => StoreNews::Committed,
        Some(Err(error))
            if error.kind() == io::ErrorKind::NotFound && repo.leaves_out(&store.path)? =>
        {
            StoreNews::Committed
        }
        Some(Err(_)) => StoreNews::Differs,
    };
    let is_closing = || {
        let closings =
            worktree_closings(repo, &store.path).map_or_else(|_| Vec::new(), |all| all.1);
        closings.iter().any(|closing| !store.set.closed.0.contains(&closing.closes))
    };
    let news = match news {
        StoreNews::Committed if worktree.is_some() && is_closing() => StoreNews::Closes,
        news => news,
    };
    Ok(Some(FoundStore { news, ..store }))
}

/// The error of a command that needs the question store in the worktree.
pub fn no_store(repo: &Repo) -> Error {
    let head = repo.head().ok().and_then(|head| head.commit);
    let unread = head.filter(|_| repo.worktree().is_some());
    let unread = unread.and_then(|head| store_at(repo, head).err());
    unread.unwrap_or_else(|| absent::not_in_worktree(repo))
}

/// The question store of a commit, with what people closed there.
pub fn store_at(repo: &Repo, commit: Oid) -> Result<Option<FoundStore>, Error> {
    let Some(mut store) = store_alone(repo, commit)? else {
        return Ok(None);
    };
    store.close(closings_at(repo, commit, &store.path)?);
    Ok(Some(store))
}

/// That of a base. Where it is not valid, that of the newest of the first parents which is counts, and a file of closings that
/// is not valid closes nothing: else no proposal could fix them.
pub fn store_of_base(repo: &Repo, commit: Oid) -> Result<Option<FoundStore>, Error> {
    let found = match store_alone(repo, commit) {
        Err(error) if error.kind == ErrorKind::Questions => {
            let mut before = store_commits(repo, commit)?.into_iter().rev();
            before.find_map(|commit| store_alone(repo, commit).ok()).ok_or(error)?
        }
        found => found?,
    };
    let Some(mut store) = found else {
        return Ok(None);
    };
    store.close(closings_at(repo, commit, &store.path).unwrap_or_default());
    Ok(Some(store))
}

fn store_alone(repo: &Repo, commit: Oid) -> Result<Option<FoundStore>, Error> {
    let is_set = repo.config_string("sq.questions").is_some();
    for (place, path) in store_paths(repo).into_iter().enumerate() {
        let blob = match repo.blob_at(commit, &path) {
            // A submodule or a link, where the user keeps no store.
            Err(error) if error.kind == ErrorKind::Unsupported => match place {
                1.. if is_set => continue,
                _ => return Err(unread(&error)),
            },
            found => found?,
        };
        let Some(blob) = blob else {
            continue;
        };
        let name = name_at(repo, commit, &path)?;
        let set = question::parse(&name, &store_bytes(repo, blob, &name)?)?;
        return Ok(Some(FoundStore { set, path, blob, news: StoreNews::Committed }));
    }
    Ok(None)
}

/// A file as git names it; a tree that is judged is that of the index.
fn name_at(repo: &Repo, commit: Oid, path: &str) -> Result<String, Error> {
    let is_index = repo.tree_of(commit)? == commit;
    Ok(if is_index { format!(":{path}") } else { format!("{}:{path}", short(commit)) })
}

/// `name` stands for the store in errors.
pub fn store_bytes(repo: &Repo, blob: Oid, name: &str) -> Result<Vec<u8>, Error> {
    if repo.blob_size(blob)? > file::MOST {
        let limit = file::MOST;
        return Err(unread(&format!("{name} has more than {limit} bytes")));
    }
    repo.blob(blob)
}

/// `None` if HEAD's commit has no question store, or an invalid one.
pub fn committed_store(repo: &Repo) -> Result<Option<FoundStore>, Error> {
    let tip = repo.head()?.commit;
    Ok(tip.and_then(|tip| store_at(repo, tip).ok().flatten()))
}

pub fn store_blob(repo: &Repo, commit: Oid) -> Option<Oid> {
    store_paths(repo).into_iter().find_map(|path| repo.blob_at(commit, &path).ok()?)
}

/// The commits among the first parents of `tip` that changed the question store, oldest first.
pub fn store_commits(repo: &Repo, tip: Oid) -> Result<Vec<Oid>, Error> {
    let list = ["--literal-pathspecs", "rev-list", "--first-parent", "--reverse"];
    let listed =
        repo.git().args(list).args([&tip.to_string(), "--"]).args(store_paths(repo)).run()?;
    Ok(String::from_utf8_lossy(&listed).lines().filter_map(|line| line.parse().ok()).collect())
}

/// The oldest commit that brought a question store, in whatever branch.
pub fn first_store_commit(repo: &Repo, tip: Oid) -> Result<Option<Oid>, Error> {
    let list = ["--literal-pathspecs", "rev-list", "--full-history", "--topo-order"];
    let listed =
        repo.git().args(list).args([&tip.to_string(), "--"]).args(store_paths(repo)).run()?;
    Ok(String::from_utf8_lossy(&listed).lines().next_back().and_then(|line| line.parse().ok()))
}

/// The newest commit among the first parents of HEAD whose question store has a question of this id.
pub fn last_asked(repo: &Repo, id: &str) -> Result<Option<Oid>, Error> {
    let Some(tip) = repo.head()?.commit else {
        return Ok(None);
    };
    let has_it = |commit: &Oid| {
        let store = store_alone(repo, *commit).ok().flatten();
        store.is_some_and(|store| store.set.questions.iter().any(|asked| asked.id == id))
    };
    Ok(store_commits(repo, tip)?.into_iter().rev().find(has_it))
}

fn store_in_worktree(repo: &Repo) -> Result<Option<FoundStore>, Error> {
    let Some((path, bytes, set)) = worktree_store(repo)? else {
        return Ok(None);
    };
    Ok(Some(FoundStore { set, blob: repo.blob_id(&bytes)?, path, news: StoreNews::NotCommitted }))
}

impl Project {
    /// The path of the tip's question store, and the line of each question.
    pub fn question_places(&self) -> Option<(String, Places)> {
        let store = match &self.base {
            Some(base) => base.tips.as_ref(),
            None => self.store.as_ref(),
        }?;
        // The worktree's store is not in the object database, and readers of a report do not have it.
        let bytes = store_bytes(&self.repo, store.blob, &store.path).unwrap_or_default();
        let text = String::from_utf8(bytes).unwrap_or_default();
        Some((store.path.clone(), Places::of(&text, &store.set)))
    }
}

impl FoundStore {
    fn close(&mut self, closings: Vec<Closing>) {
        self.set.closed.0.extend(closings.into_iter().map(|closing| closing.closes));
    }

    /// How the worktree's store differs from the committed one, and what to do.
    pub fn differs(&self) -> Option<[String; 2]> {
        let path = &self.path;
        match self.news {
            StoreNews::Committed => None,
            StoreNews::NotCommitted => Some([
                format!("{path} is not committed yet"),
                "commit it, so that everybody answers the same questions".into(),
            ]),
            StoreNews::Closes => Some([
                format!("{} has closings that are not committed", question::closings_path(path)),
                "commit it: only what HEAD has is closed".into(),
            ]),
            StoreNews::Differs => Some([
                format!("{path} in the worktree differs from the committed version, which is used"),
                "commit or revert the change; `git sq question lint` checks it".into(),
            ]),
        }
    }

    pub fn warning(&self) -> Option<String> {
        self.differs().map(|both| both.join(": "))
    }
}

fn unread(why: &impl Display) -> Error {
    Error::refused(
        format!("could not read the question store: {why}"),
        "it has to be a regular file of at most 1 MiB in the worktree; `git config sq.questions` sets its path",
    )
}

pub fn no_commit() -> Error {
    Error::new(ErrorKind::NoCommit, "HEAD has no commit yet").help(
        "git sq reads commits and writes notes on them: make the first one; `git sq init` works before that",
    )
}
