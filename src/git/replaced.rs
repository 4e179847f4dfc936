//! Objects that `git replace` put another in the place of.

use gix::{objs::Kind, prelude::HeaderExt as _};

use super::{Error, ErrorKind, Repo, Result};

const HELP: &str =
    "`git replace --list` shows what is replaced, `git replace -d <object>` undoes it";

impl Repo {
    /// Whether any object is replaced.
    pub fn has_replacements(&self) -> Result<bool> {
        let moved = std::env::var_os("GIT_REPLACE_REF_BASE").is_some();
        Ok(moved || !self.refs_under("refs/replace/")?.is_empty())
    }
}

/// Refuses an object that is replaced by one of another kind, or by a tag, which may lead back to it: git can't read
/// that either.
pub(super) fn refuse_odd(repo: &gix::Repository) -> Result<()> {
    for (old, new) in repo.objects.store_ref().replacements() {
        let mut stored = repo.objects.clone();
        stored.ignore_replacements = true;
        let kind = |id: gix::ObjectId| stored.header(id).ok().map(|header| header.kind());
        let (before, after) = (kind(old), kind(new));
        if after == Some(Kind::Tag) || before.is_some_and(|_| after.is_some() && before != after) {
            let message = format!("refs/replace/{old} puts another kind of object in its place");
            return Err(Error::new(ErrorKind::Unsupported, message).help(HELP));
        }
    }
    Ok(())
}

/// What is said where a commit is its own ancestor.
pub(super) fn circular() -> Error {
    let message = "a ref below refs/replace makes a commit its own ancestor";
    Error::new(ErrorKind::Unsupported, message).help(HELP)
}
