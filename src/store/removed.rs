//! What the log had and has no more, as far as this clone knows.

use serde::{Deserialize, Serialize};

use super::{Error, LOCAL_REF, LogTips, chain::Chain, lacking::lacking, share::seen_tips};
use crate::{
    entry::is_entry,
    git::{Oid, Repo},
};

/// How many of the newest moves of the local ref are looked at: each costs a comparison of trees.
const MOVES: usize = 100;

/// What this clone knows of the log's past.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past {
    /// Notes commits all of whose lines the log has to have.
    states: Vec<Oid>,
    /// This clone's writer, and how many lines it has written.
    own: Option<(String, u64)>,
}

impl Past {
    /// What was seen on remotes. To be read before the log is: whoever publishes folds what they saw first.
    ///
    /// # Errors
    /// When refs can't be read.
    pub fn seen(repo: &Repo) -> Result<Self, Error> {
        let states = seen_tips(repo)?;
        Ok(Self { states, own: None })
    }

    /// The same with what this clone wrote last, if anything.
    ///
    /// # Errors
    /// When this clone's state can't be read.
    pub fn with_own(mut self, repo: &Repo, tips: &LogTips) -> Result<Self, Error> {
        if let Some(local) = tips.local {
            let (states, own) = Chain::last(repo, local)?;
            self.states.extend(states);
            self.own = own;
        }
        let known: Vec<Oid> = tips.commits().collect();
        self.states
            .retain(|state| !known.contains(state) && repo.is_notes_commit(*state));
        Ok(self)
    }

    /// The same with what the local ref held before its newest moves.
    ///
    /// # Errors
    /// When the reflog can't be read.
    pub fn with_reflog(mut self, repo: &Repo) -> Result<Self, Error> {
        let moves = repo.ref_moves(LOCAL_REF)?;
        let newest = moves.iter().take(MOVES);
        let held = newest.flat_map(|step| [step.to, step.from]).flatten();
        self.states
            .extend(held.filter(|state| repo.is_notes_commit(*state)));
        self.states.sort_unstable();
        self.states.dedup();
        Ok(self)
    }

    /// The writer of this clone, and how many lines it has written.
    pub fn own(&self) -> Option<(&str, u64)> {
        let own = self.own.as_ref();
        own.map(|(writer, lines)| (writer.as_str(), *lines))
    }

    /// The entries that the log has no more, with their commits. Cost follows what differs.
    ///
    /// # Errors
    /// When notes can't be read.
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

/// Lines that the log had and has no more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    pub lines: usize,
    /// The commits that carried them.
    pub commits: Vec<Oid>,
    /// How many lines this clone wrote and how many of them there are, where these are fewer.
    pub own: Option<(u64, u64)>,
}
