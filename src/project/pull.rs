//! Finds the question store that questions are pulled from: a file, a repository, or the URL of one.

use std::path::{Path, PathBuf};

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
            .config("protocol.file.allow", "always")
            .words(clone)
            .args([source, "git"])
            .run()?;
        committed(&Repo::open_exactly(&folder.path().join("git"))?, source)?
    } else {
        return Err(unread(source, &"there is no such file or repository"));
    };
    let set = question::parse(source, &bytes).map_err(|error| {
        Error::from(error).help("nothing was changed; it has to be fixed there")
    })?;
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

/// A path as seen from the root of the repository, since it is kept in a tracked file.
pub fn from_root(root: &Path, dir: &Path, source: &str) -> Result<String, Error> {
    let user =
        source.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?.0)));
    // Over HTTP a token stands in the place of the name.
    let is_secret = |(scheme, user): (&str, &str)| {
        !user.contains('/') && (user.contains(':') || scheme.starts_with("http"))
    };
    if user.is_some_and(is_secret) {
        return Err(Error::refused(
            "the URL has a name or a password, which would be written to the question store",
            "leave it out; a credential helper of git can supply it",
        ));
    }
    let is_path = dir.join(source).exists();
    let below = dir.strip_prefix(root).ok().filter(|_| is_path);
    let Some(mut below) = below else {
        return Ok(source.to_owned());
    };
    // The same from every folder, because questions are pulled again by this name.
    let mut rest = Path::new(source);
    while let (Ok(up), Some(parent)) = (rest.strip_prefix(".."), below.parent()) {
        (rest, below) = (up, parent);
    }
    let path: PathBuf = below.components().chain(rest.components()).collect();
    Ok(path.to_string_lossy().replace('\\', "/"))
}
