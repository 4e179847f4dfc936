//! Answers that rules flag at commits from which they are carried: others, who lack these commits, go by the marks.

use std::collections::{BTreeSet, HashSet};

use super::{Error, Project, ready::TALK};
use crate::{
    git::{Oid, Remote, Repo},
    metrics::flagged_answers,
    store::carry::Move,
};

/// Marks what is flagged at commits that are here. A remote often keeps those of a branch that it squashed.
pub fn mark_flagged(repo: &Repo, remote: Option<&Remote>, moves: &mut [Move]) -> Result<(), Error> {
    let from: BTreeSet<Oid> = moves.iter().map(|one| one.from).collect();
    // Into a shallow clone, git would fetch all that the branch is built on.
    if let Some(remote) = remote.filter(|_| !repo.is_shallow().unwrap_or(true)) {
        for missing in from.iter().filter(|one| !repo.has_object(**one)) {
            // A remote may have removed it.
            let _ = repo.fetch(remote, &remote.name, &[missing.to_string()], TALK);
        }
    }
    let from: Vec<Oid> = from.into_iter().filter(|one| repo.has_object(*one)).collect();
    let mut flagged = HashSet::new();
    for tip in &from {
        let is_inside = |other: &Oid| other != tip && repo.is_ancestor(*tip, *other);
        if !from.iter().any(is_inside) {
            flagged.extend(Project::open(repo.clone(), Some(&tip.to_string()), false)?.flagged()?);
        }
    }
    for one in moves {
        let ids: HashSet<&str> = one.lines.iter().map(|(_, id)| &**id).collect();
        let is_in = |mark: &&String| mark.rsplit(' ').next().is_some_and(|id| ids.contains(id));
        one.flagged = flagged.iter().filter(is_in).cloned().collect();
        one.flagged.sort_unstable();
    }
    Ok(())
}

impl Project {
    fn flagged(&self) -> Result<Vec<String>, Error> {
        self.judged(|pass, rulings, _| flagged_answers(&rulings.all, pass.timeline))
    }
}
