//! Lines that the log has lost although a remote had them.

use serde::{Deserialize, Serialize};

use super::{
    Error, LogHistory, LogTips, Purged, lacking, moved_from,
    share::{fetched, seen},
    tracking_ref,
};
use crate::{
    entry::is_entry,
    git::{Oid, RefTip, Repo},
};

/// The end of git's message in a reflog where a fetch brought what goes on from the state before.
const FORWARD: &str = "fast-forward";

/// So many of these states of a remote are remembered, the newest.
const REPLACED: usize = 16;

/// The states seen on remotes, all of whose lines the log has to have.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Past(pub Vec<Oid>);

impl Past {
    /// The newest of each remote, and those that a fetch or a push replaced. Read it before the log: a publishing process
    /// folds a state before it records it.
    pub fn seen(repo: &Repo) -> Result<Self, Error> {
        let mut states: Vec<Oid> = seen(repo, None)?.iter().map(|tip| tip.target).collect();
        states.extend(Self::replaced(repo)?.0);
        Ok(Self(states))
    }

    /// Those that a fetch or a push replaced.
    fn replaced(repo: &Repo) -> Result<Self, Error> {
        let mut states = Vec::new();
        for remote in repo.remotes() {
            if remote.shares_log && moved_from(&remote).is_none() {
                states.extend(replaced(repo, &tracking_ref(&remote.name))?);
            }
        }
        Ok(Self(states))
    }

    /// Adds those before a commit of a fetched log that took lines out. The cost is that of the log's history.
    pub fn with_history(mut self, repo: &Repo, tips: &LogTips) -> Result<Self, Error> {
        let mut logs = [&*tips.fetched, &fetched(repo)?].concat();
        logs.sort_unstable_by_key(|tip| tip.target);
        logs.dedup_by_key(|tip| tip.target);
        logs.retain(|tip| repo.is_notes_commit(tip.target));
        let is_part = |tip: &RefTip| {
            let mut others = logs.iter().filter(|other| other.target != tip.target);
            others.any(|other| repo.is_ancestor(tip.target, other.target))
        };
        for tip in logs.iter().filter(|tip| !is_part(tip)) {
            let log = LogHistory::read(repo, &tip.name, tip.target)?;
            let removing = log.commits.windows(2).filter(|step| step[1].removed > 0);
            self.0.extend(removing.map(|step| step[0].id));
        }
        Ok(self)
    }

    /// Number of entries that a fetch replaced, and that a sync did not put back.
    pub fn missing(repo: &Repo) -> Result<usize, Error> {
        let gone = Self::replaced(repo)?.gone(repo, &LogTips::read(repo)?);
        Ok(gone.map_or(0, |gone| gone.len()))
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

/// The states of a ref that were replaced by one that does not go on from them. One that shares no history with the present
/// one was that of another place, or was replaced on purpose.
fn replaced(repo: &Repo, tracking: &str) -> Result<Vec<Oid>, Error> {
    let Ok(Some(now)) = repo.ref_target(tracking) else {
        return Ok(Vec::new());
    };
    let moves = repo.ref_moves(tracking)?;
    let doubtful = moves.iter().filter(|step| !step.deed.ends_with(FORWARD));
    let replaced = doubtful.filter_map(|step| {
        let (from, to) = (step.from?, step.to?);
        (!repo.is_ancestor(from, to)).then_some(from)
    });
    let is_related = |state: &Oid| {
        repo.merge_base(*state, now).is_ok_and(|base| base.is_some())
            && lacking(repo, &[now], *state).is_ok()
    };
    Ok(replaced.filter(is_related).take(REPLACED).collect())
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Removed {
    pub lines: usize,
    pub commits: Vec<Oid>,
    pub purged: Vec<Purged>,
}
