//! Lines that the log has lost although a remote had them.

use serde::{Deserialize, Serialize};

use super::{Error, LogTips, lacking, share::seen};
use crate::{
    entry::is_entry,
    git::{Oid, Repo},
};

/// The states seen on remotes, all of whose lines the log has to have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past(Vec<Oid>);

impl Past {
    /// Read it before the log: a publishing process folds a state before it records it.
    pub fn seen(repo: &Repo) -> Result<Self, Error> {
        Ok(Self(seen(repo, None)?.into_iter().map(|tip| tip.target).collect()))
    }

    /// The entries that the log has lost, with their commits. The cost is that of the difference.
    pub fn gone(&self, repo: &Repo, tips: &LogTips) -> Result<Vec<(Oid, Vec<u8>)>, Error> {
        let known: Vec<Oid> = tips.commits().collect();
        let mut gone = Vec::new();
        for state in &self.0 {
            if repo.is_notes_commit(*state) {
                gone.extend(lacking(repo, &known, *state)?);
            }
        }
        gone.retain(|(_, line)| is_entry(line));
        gone.sort_unstable();
        gone.dedup();
        Ok(gone)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    pub lines: usize,
    pub commits: Vec<Oid>,
}
