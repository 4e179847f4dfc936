//! The answer of a probe over history: the commits that changed it.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::atomic::{AtomicUsize, Ordering},
};

use jiff::Timestamp;
use serde::Serialize;

use super::{Derived, Found, Prober, Tell};
use crate::{
    git::{self, Oid, Repo, in_shares},
    question::Probe,
};

/// Below this number of commits, one thread is faster than several.
const MANY: usize = 32;

#[derive(Debug, Default, Serialize)]
pub struct Trace {
    /// Oldest first; the first is that of the oldest commit, and of every root commit.
    pub changes: Vec<Change>,
    pub touched: usize,
    /// For `agree` and `subset`, the last change of each part on the line of first parents.
    pub parts: Vec<PartSince>,
    /// The answer at the newest of the commits.
    #[serde(skip)]
    pub last: Option<Found>,
    /// The first commit without a known answer, with the reason, and the number of all.
    #[serde(skip)]
    pub unknown: Option<(Oid, git::Error, usize)>,
}

impl Trace {
    /// The reason why the probe finds nothing, if it never found anything.
    pub fn never_found(&self) -> Option<&str> {
        let is_gone = |change: &Change| matches!(change.now, Found::Gone(_));
        match &self.last {
            Some(Found::Gone(why)) if self.changes.iter().all(is_gone) => Some(why),
            _ => None,
        }
    }
}

#[derive(Debug, Serialize)]
pub struct Change {
    pub commit: Oid,
    #[serde(rename = "ts")]
    pub committed: Timestamp,
    pub author: String,
    /// True if the commit is a merge, whose author need not be that of the change.
    pub is_merge: bool,
    #[serde(skip)]
    pub before: Option<Found>,
    #[serde(flatten)]
    pub now: Found,
    /// For `agree` and `subset`, the result of each part.
    pub parts: Vec<Found>,
    /// The indices of the parts that changed there; none at the first commit.
    pub moved: Vec<usize>,
}

#[derive(Debug, Serialize)]
pub struct PartSince {
    #[serde(flatten)]
    pub now: Found,
    pub commit: Oid,
    #[serde(rename = "ts")]
    pub committed: Timestamp,
    pub author: String,
}

/// Traces a probe along first parents, or over `all` that the tip contains, where an answer counts as changed at a
/// commit if none of its parents has it. The probe runs only at commits that touch its files. `tell` is called with the
/// number of finished commits.
pub fn trace(repo: &Repo, tip: Oid, probe: &Probe, all: bool, tell: Tell) -> git::Result<Trace> {
    let touching = repo.changing(tip, &probe.reads(), all)?;
    let mut commits = match touching.first() {
        _ if all => repo.roots(tip)?,
        Some(&oldest) => vec![repo.root(oldest)?],
        None => vec![repo.root(tip)?],
    };
    let roots = commits.clone();
    let mut trace = Trace { touched: touching.len(), ..Trace::default() };
    commits.extend(touching.into_iter().filter(|commit| !roots.contains(commit)));
    let mailmap = repo.mailmap(tip);
    let mut wanted: Vec<Oid> = commits.clone();
    let mut parents: HashMap<Oid, Vec<Oid>> = HashMap::new();
    if all {
        for &commit in &commits {
            let those = repo.parents(commit)?;
            wanted.extend(&those);
            parents.insert(commit, those);
        }
        let mut seen = HashSet::new();
        wanted.retain(|commit| seen.insert(*commit));
    }
    let found = derive(repo, &wanted, probe, tell);
    let mut last: Option<Oid> = None;
    let mut since: BTreeMap<usize, Oid> = BTreeMap::new();
    let author = |commit| Ok::<_, git::Error>(mailmap.resolve(&repo.author(commit)?).name);
    for commit in commits {
        let before = match last {
            _ if all => parents.remove(&commit).unwrap_or_default(),
            last => last.into_iter().collect(),
        };
        let before = before.iter().map(|parent| found[parent].as_ref());
        let now_and_before = found[&commit]
            .as_ref()
            .and_then(|now| Ok((now, before.collect::<Result<Vec<_>, _>>()?)));
        let (now, before) = match now_and_before {
            Ok(both) => both,
            Err(error) => {
                let (_, _, number) = trace.unknown.get_or_insert((commit, error.clone(), 0));
                *number += 1;
                continue;
            }
        };
        last = Some(commit);
        trace.last = Some(now.found.clone());
        let moved: Vec<usize> = (0..now.parts.len())
            .filter(|&part| {
                !before.iter().any(|earlier| earlier.parts[part].is_same(&now.parts[part]))
            })
            .collect();
        if !all {
            since.extend(moved.iter().map(|&part| (part, commit)));
        }
        if !before.iter().any(|before| before.found.is_same(&now.found)) {
            trace.changes.push(Change {
                commit,
                committed: repo.commit_time(commit)?,
                author: author(commit)?,
                is_merge: repo.parents(commit)?.len() > 1,
                before: before.first().map(|before| before.found.clone()),
                now: now.found.clone(),
                parts: now.parts.clone(),
                moved: if before.is_empty() { Vec::new() } else { moved },
            });
        }
    }
    for (part, commit) in since {
        trace.parts.push(PartSince {
            now: found[&commit]
                .as_ref()
                .map(|answer| answer.parts[part].clone())
                .map_err(Clone::clone)?,
            commit,
            committed: repo.commit_time(commit)?,
            author: author(commit)?,
        });
    }
    Ok(trace)
}

/// In one thread per processor.
fn derive(
    repo: &Repo,
    commits: &[Oid],
    probe: &Probe,
    tell: Tell,
) -> HashMap<Oid, git::Result<Derived>> {
    let (done, of) = (AtomicUsize::new(0), commits.len());
    let derive = |repo: Repo, commits: &[Oid]| -> Vec<(Oid, git::Result<Derived>)> {
        let prober = Prober::new(&repo, commits[0]);
        // The newest first: older versions of files are deltas of newer ones.
        commits
            .iter()
            .rev()
            .map(|&commit| {
                let derived = prober.run(commit, probe);
                tell(done.fetch_add(1, Ordering::Relaxed) + 1, of);
                (commit, derived)
            })
            .collect()
    };
    in_shares(commits, MANY, || repo.clone(), derive).into_iter().flatten().collect()
}
