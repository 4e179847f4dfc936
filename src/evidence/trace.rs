//! The answer of a probe over history: the commits that changed it.

use std::collections::HashMap;

use jiff::Timestamp;

use super::{Found, Prober};
use crate::{
    git::{self, Oid, Repo},
    question::Probe,
};

/// The answer of a probe over the history of a tip.
#[derive(Debug, Default)]
pub struct Trace {
    /// Oldest first; the first is that of the oldest commit, and of every one without parents.
    pub changes: Vec<Change>,
    /// How many commits touch what the probe reads.
    pub touched: usize,
    /// Whether any commit that has parents is among them.
    changed_what_it_reads: bool,
    /// Why it can't be told at one of them, and at how many.
    pub unknown: Option<(Oid, git::Error, usize)>,
}

/// A commit that changed the answer.
#[derive(Debug)]
pub struct Change {
    pub commit: Oid,
    pub committed: Timestamp,
    /// As `.mailmap` has the name.
    pub author: String,
    /// The answer at its first parent.
    pub before: Option<Found>,
    pub now: Found,
}

impl Trace {
    /// Whether the answer stayed what it was although what it reads changed.
    pub fn is_vacuous(&self) -> bool {
        let mut two = self.changes.windows(2);
        self.changed_what_it_reads
            && self.unknown.is_none()
            && two.all(|two| two[0].now.is_same(&two[1].now))
    }
}

/// Traces a probe along first parents, or over `all` that the tip contains, where an answer counts as changed at a commit
/// if none of its parents has it. It is derived only where a commit touches what the probe reads.
pub fn trace(repo: &Repo, tip: Oid, probe: &Probe, all: bool) -> git::Result<Trace> {
    let touching = repo.changing(tip, &probe.reads(), all)?;
    let mut commits = match touching.first() {
        _ if all => repo.roots(tip)?,
        Some(&oldest) => vec![repo.root(oldest)?],
        None => vec![repo.root(tip)?],
    };
    let roots = commits.clone();
    let mut trace = Trace {
        touched: touching.len(),
        ..Trace::default()
    };
    commits.extend(touching.into_iter().filter(|one| !roots.contains(one)));
    trace.changed_what_it_reads = commits.len() > roots.len();
    let (prober, mailmap) = (Prober::new(repo, tip), repo.mailmap());
    let mut known: HashMap<Oid, Found> = HashMap::new();
    let mut last: Option<Found> = None;
    for commit in commits {
        let mut find = |commit: Oid| match known.get(&commit) {
            Some(found) => Ok(found.clone()),
            None => {
                let found = prober.run(commit, probe)?.found;
                if all {
                    known.insert(commit, found.clone());
                }
                Ok(found)
            }
        };
        let found = find(commit).and_then(|now| {
            let parents = if all { repo.parents(commit)? } else { vec![] };
            let before: Vec<Found> = match &last {
                Some(last) if !all => vec![last.clone()],
                _ => parents.into_iter().map(find).collect::<git::Result<_>>()?,
            };
            Ok((before, now))
        });
        match found {
            Ok((before, now)) => {
                last = Some(now.clone());
                if !before.iter().any(|before| before.is_same(&now)) {
                    let before = before.into_iter().next();
                    trace.changes.push(Change {
                        commit,
                        committed: repo.commit_time(commit)?,
                        author: mailmap.resolve(&repo.author(commit)?).name,
                        before,
                        now,
                    });
                }
            }
            Err(error) => {
                let (_, _, number) = trace.unknown.get_or_insert((commit, error, 0));
                *number += 1;
            }
        }
    }
    Ok(trace)
}
