//! The facts that files show, with what earlier runs read of the history.

use jiff::Timestamp;

use super::{Error, cache};
use crate::{
    facts::{At, Facts, Kept, find},
    git::Repo,
    question::QuestionSet,
};

const FILE: &str = "facts";

/// Finds the facts of a commit or the index, as [`find`]; `keeps` if a cache may be read and written.
pub fn facts(
    repo: &Repo,
    at: At,
    store: Option<&QuestionSet>,
    now: Timestamp,
    is_all: bool,
    keeps: bool,
) -> Result<Facts, Error> {
    let keeps = keeps && cache::is_for(repo)?;
    let mut kept: Kept = keeps.then(|| cache::load(repo, FILE)).flatten().unwrap_or_default();
    let found = find(repo, at, store, now, is_all, &mut kept)?;
    if keeps && kept.is_new {
        cache::save(repo, FILE, &kept);
    }
    Ok(found)
}
