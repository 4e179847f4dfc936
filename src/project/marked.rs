//! What becomes of answers that are carried: others, who lack the commits from which they come, go by the marks.

use std::collections::{BTreeSet, HashSet};

use super::{Error, Project, ready::TALK};
use crate::{
    git::{Oid, Remote, Repo},
    metrics::flagged_answers,
    store::carry::Move,
};

/// Marks the answers that are flagged at the commits from which they come, and those that depend on what differs at the new
/// ones, if the old ones are here. A remote often keeps those of a branch that it squashed.
pub fn mark(repo: &Repo, remote: Option<&Remote>, moves: &mut [Move]) -> Result<(), Error> {
    let from: BTreeSet<Oid> = moves.iter().map(|one| one.from).collect();
    // Into a shallow clone, git would fetch all that the branch is built on.
    if let Some(remote) = remote.filter(|_| !repo.is_shallow().unwrap_or(true)) {
        for missing in from.iter().filter(|one| !repo.has_object(**one)) {
            // A remote may have removed it.
            let _ = repo.fetch(remote, &remote.name, &[missing.to_string()], TALK);
        }
    }
    let from: Vec<Oid> = from.into_iter().filter(|one| repo.has_object(*one)).collect();
    for tip in &from {
        let is_inside = |other: &Oid| other != tip && repo.is_ancestor(*tip, *other);
        if !from.iter().any(is_inside) {
            Project::open(repo.clone(), Some(&tip.to_string()), false)?.mark(moves)?;
        }
    }
    Ok(())
}

impl Project {
    fn mark(&self, moves: &mut [Move]) -> Result<(), Error> {
        self.judged(|mut pass, rulings, _| {
            let flagged: HashSet<String> =
                flagged_answers(&rulings.all, pass.timeline).into_iter().collect();
            for one in moves {
                let outdated = pass.outdated_at(one.from, one.to);
                let is_in = |mark: &String| {
                    one.lines.iter().any(|(_, id)| mark.ends_with(&format!(" {id}")))
                };
                one.flagged.extend(flagged.iter().filter(|mark| is_in(mark)).cloned());
                one.outdated.extend(
                    outdated.into_iter().filter(|mark| is_in(mark) && !flagged.contains(mark)),
                );
                for marks in [&mut one.flagged, &mut one.outdated] {
                    marks.sort_unstable();
                    marks.dedup();
                }
            }
        })
    }
}
