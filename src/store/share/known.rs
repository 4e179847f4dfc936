//! The public commits of a URL, as known here.

use std::collections::HashSet;

use super::{
    plan::{NotedLine, Plan},
    publish::noted,
    reach::reached,
    tracked::{is_tracked, kept_at},
};
use crate::{
    git::{Addresses, Oid, RefTip, Remote, Repo},
    store::{Error, LocalState},
};

pub struct Known<'r> {
    repo: &'r Repo,
    remote: &'r Remote,
    /// The tracking refs, if they belong to this URL.
    tracked: Vec<RefTip>,
    pub told: Vec<RefTip>,
    /// True to search past a clock that may have been wrong.
    pub exact: bool,
}

impl<'r> Known<'r> {
    pub fn here(
        repo: &'r Repo,
        remote: &'r Remote,
        addresses: &Addresses,
        at: &str,
    ) -> Result<Self, Error> {
        let mut tracked = Vec::new();
        if are_of(repo, remote, addresses, at)? {
            let remotes = repo.remotes();
            tracked = repo.refs_under("refs/")?;
            tracked.retain(|tip| is_tracked(&tip.name, remote, &remotes));
        }
        Ok(Self {
            repo,
            remote,
            tracked,
            told: Vec::new(),
            exact: false,
        })
    }

    /// Splits the lines that the remote lacks; `shared` are states of its log.
    pub fn plan(&self, lines: Vec<NotedLine>, shared: &[Oid]) -> Result<Plan, Error> {
        let anchors: HashSet<Oid> = lines.iter().map(|(anchor, _)| *anchor).collect();
        let mut public = noted(self.repo, shared, anchors.iter().copied());
        let mut wanted = &anchors - &public;
        let mut local = self.repo.refs_under("refs/heads/")?;
        local.retain(|tip| !lines.is_empty() && self.branch_is_public(&tip.name) == Some(false));
        wanted.extend(local.iter().map(|tip| tip.target));
        public.extend(self.reached(&wanted)?);
        let is_apart = |branch: &str, anchor: Oid| {
            let name = format!("refs/heads/{branch}");
            let tip = local.iter().find(|tip| tip.name == name);
            // Work that was pushed under another name is now past the commit.
            tip.is_some_and(|tip| tip.target == anchor || !public.contains(&tip.target))
        };
        wanted.retain(|anchor| !public.contains(anchor));
        let here = self.reached_here(&wanted)?;
        let is_public = |anchor: Oid| public.contains(&anchor);
        Ok(Plan::of(lines, is_public, is_apart, |anchor| {
            here.contains(&anchor)
        }))
    }

    /// Also by the upstream of this branch; `None` if this clone has no such branch.
    fn branch_is_public(&self, name: &str) -> Option<bool> {
        let short = name.strip_prefix("refs/heads/")?;
        let config = |key: &str| self.repo.config_string(&format!("branch.{short}.{key}"));
        let is_upstream = config("remote").is_some_and(|remote| remote == self.remote.name);
        let upstream = config("merge").filter(|_| is_upstream);
        let names = [Some(name.to_owned()), upstream];
        Some(names.into_iter().flatten().any(|name| {
            let kept = kept_at(&name, self.remote);
            let is_kept = self
                .tracked
                .iter()
                .any(|tip| Some(&tip.name) == kept.as_ref());
            is_kept || self.told.iter().any(|tip| tip.name == name)
        }))
    }

    /// The commits of `wanted` that a branch, a tag or HEAD contains.
    fn reached_here(&self, wanted: &HashSet<Oid>) -> Result<HashSet<Oid>, Error> {
        let mut tips: Vec<Oid> = self.repo.head()?.commit.into_iter().collect();
        for prefix in ["refs/heads/", "refs/tags/"] {
            let refs = self.repo.refs_under(prefix)?;
            tips.extend(refs.iter().map(|tip| tip.target));
        }
        let mut links = self.repo.links();
        Ok(reached(&tips, wanted, false, |id| links.get(id)))
    }

    fn reached(&self, wanted: &HashSet<Oid>) -> Result<HashSet<Oid>, Error> {
        let mut links = self.repo.links();
        let tips = self.tracked.iter().chain(&self.told);
        let tips: Vec<Oid> = tips.map(|tip| tip.target).collect();
        let mut found = reached(&tips, wanted, self.exact, |id| links.get(id));
        if found.len() == wanted.len() {
            return Ok(found);
        }
        let known: HashSet<Oid> = tips.into_iter().collect();
        let mut before = Vec::new();
        for tip in &self.tracked {
            let moves = self.repo.ref_moves(&tip.name)?;
            before.extend(moves.iter().flat_map(|step| [step.from, step.to]).flatten());
        }
        before.retain(|tip| !known.contains(tip));
        let rest: HashSet<Oid> = wanted.difference(&found).copied().collect();
        found.extend(reached(&before, &rest, self.exact, |id| links.get(id)));
        Ok(found)
    }
}

/// Returns true if the tracking refs are those of this URL: fetches and pushes use it, and always did.
fn are_of(repo: &Repo, remote: &Remote, addresses: &Addresses, at: &str) -> Result<bool, Error> {
    let is_one = addresses.push == [at] && addresses.fetch.as_deref() == Some(at);
    let known = LocalState::read(repo)?.addresses.remove(&remote.name);
    Ok(is_one && known.is_none_or(|known| known == at))
}
