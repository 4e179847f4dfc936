//! Lines that the log has lost, as far as this clone can tell.

use serde::{Deserialize, Serialize};

use super::{Error, LOCAL_REF, LogTips, chain::Chain, lacking, share::seen_tips};
use crate::{
    entry::is_entry,
    git::{Oid, Repo},
};

/// Number of the local ref's newest moves that are examined: each costs a comparison of trees.
const MOVES: usize = 100;

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// Notes commits all of whose lines the log has to have.
    states: Vec<Oid>,
    own: Option<(String, u64)>,
}

impl Past {
    /// The states seen on remotes. Read them before the log: a publishing process folds a state before it records it.
    pub fn seen(repo: &Repo) -> Result<Self, Error> {
        let states = seen_tips(repo)?;
        Ok(Self { states, own: None })
    }

    pub fn with_own(mut self, repo: &Repo, tips: &LogTips) -> Result<Self, Error> {
        if let Some(local) = tips.local {
            let (states, own) = Chain::last(repo, local)?;
            self.states.extend(states);
            self.own = own;
        }
        let known: Vec<Oid> = tips.commits().collect();
        self.states.retain(|state| !known.contains(state) && repo.is_notes_commit(*state));
        Ok(self)
    }

    /// Adds the states before the newest moves of the local ref.
    pub fn with_reflog(mut self, repo: &Repo) -> Result<Self, Error> {
        let moves = repo.ref_moves(LOCAL_REF)?;
        let held = moves.iter().take(MOVES).flat_map(|step| [step.to, step.from]).flatten();
        self.states.extend(held.filter(|state| repo.is_notes_commit(*state)));
        self.states.sort_unstable();
        self.states.dedup();
        Ok(self)
    }

    pub fn own(&self) -> Option<(&str, u64)> {
        self.own.as_ref().map(|(writer, lines)| (writer.as_str(), *lines))
    }

    /// The entries that the log has lost, with their commits. The cost is that of the difference.
    pub fn gone(&self, repo: &Repo, tips: &LogTips) -> Result<Vec<(Oid, Vec<u8>)>, Error> {
        let known: Vec<Oid> = tips.commits().collect();
        let mut gone = Vec::new();
        for state in &self.states {
            gone.extend(lacking(repo, &known, *state)?);
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
    /// The number of lines that this clone wrote and the number left, if lower.
    pub own: Option<(u64, u64)>,
}
