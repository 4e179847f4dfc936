//! Finds the question store that questions are pulled from: a file, a repository, or the URL of one.

use std::path::Path;

use super::{Error, committed_store, questions::store_bytes};
use crate::{
    file,
    git::{Git, Repo},
    question::{self, QuestionSet},
};

/// The text of a question store, and the questions in it.
pub fn foreign_store(root: &Path, source: &str) -> Result<(String, QuestionSet), Error> {
    let path = root.join(source);
    let bytes = if path.is_file() {
        let (folder, name) = (path.parent().unwrap_or(root), path.file_name());
        file::read(folder, name.unwrap_or_default().as_ref(), file::MOST)
            .map_err(|error| unread(source, &error))?
    } else if path.is_dir() {
        committed(&Repo::open_at(&path).map_err(|error| unread(source, &error))?, source)?
    } else if source.contains(':') {
        let folder = tempfile::tempdir().map_err(|error| unread(source, &error))?;
        let clone = "clone --quiet --bare --depth=1 --template= --";
        // A source may name any remote helper of git: they wait for input, or run commands.
        Git::in_folder(folder.path())
            .env("GIT_PROTOCOL_FROM_USER", "0")
            .words("-c protocol.file.allow=always")
            .words(clone)
            .args([source, "git"])
            .run()?;
        committed(&Repo::open_exactly(&folder.path().join("git"))?, source)?
    } else {
        return Err(unread(source, &"there is no such file or repository"));
    };
    let set = question::parse(source, &bytes)?;
    Ok((String::from_utf8_lossy(&bytes).into_owned(), set))
}

fn committed(repo: &Repo, source: &str) -> Result<Vec<u8>, Error> {
    let store = committed_store(repo)?
        .ok_or_else(|| unread(source, &"HEAD has no valid question store"))?;
    store_bytes(repo, store.blob, source)
}

fn unread(source: &str, why: &dyn std::fmt::Display) -> Error {
    Error::refused(
        format!("could not read the questions of {source}: {why}"),
        "give a question store, a repository that has one, or the URL of a repository",
    )
}
