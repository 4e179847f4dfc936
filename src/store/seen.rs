//! The shared log as this clone knows it.

use super::{LogTips, local::LocalState};
use crate::{
    entry::Seen,
    git::{Oid, Repo},
};

/// The first commit and the tip of the shared log; None where nothing of it is known here, or its beginning is cut off.
pub fn seen(repo: &Repo, tips: &LogTips) -> Option<Seen<'static>> {
    let tip = shared_tip(tips)?;
    let known = LocalState::read(repo).ok()?.shared;
    let root = root(repo, tip, known.as_ref())?;
    let shared = (root, tip.to_string());
    if known.as_ref() != Some(&shared) {
        // Where that can't be kept, it is walked again.
        let _ = LocalState::update(repo, |state| state.shared = Some(shared.clone()));
    }
    Some(Seen {
        root: shared.0.into(),
        tip: shared.1.into(),
    })
}

/// The log of the first remote that shares it.
fn shared_tip(tips: &LogTips) -> Option<Oid> {
    let log = tips.fetched.iter().find(|tip| tip.name.ends_with("/sq"))?;
    Some(log.target)
}

/// Walks back to the beginning, or to a state of which it is known.
fn root(repo: &Repo, tip: Oid, known: Option<&(String, String)>) -> Option<String> {
    let mut commit = tip;
    loop {
        if let Some((root, _)) = known.filter(|(_, tip)| *tip == commit.to_string()) {
            return Some(root.clone());
        }
        match repo.first_parent(commit).ok()? {
            Some(parent) => commit = parent,
            None => return Some(commit.to_string()),
        }
    }
}
