//! The commits that are public for a log, as known here.

use std::collections::HashSet;

use super::{
    plan::{NotedLine, Plan},
    private::{Work, works},
    reach::reached,
    tracked::{is_tracked, kept_at},
};
use crate::{
    git::{Addresses, Gets, Oid, RefTip, Remote, Repo, Talk},
    store::{Error, Held, LocalState},
};

pub struct Known<'r> {
    repo: &'r Repo,
    gets: Gets,
    /// The remotes whose commits count.
    code: Vec<Code>,
    /// True to search past a clock that may have been wrong.
    pub exact: bool,
    /// True to look for the squash of what was not pushed as it is, which takes a walk of the history.
    pub finds_squashes: bool,
}

struct Code {
    remote: Remote,
    at: String,
    /// The tracking refs, if they belong to this URL.
    tracked: Vec<RefTip>,
    told: Vec<RefTip>,
}

impl<'r> Known<'r> {
    pub fn here(
        repo: &'r Repo,
        remote: &Remote,
        addresses: &Addresses,
        at: &str,
    ) -> Result<Self, Error> {
        let remotes = repo.remotes();
        let mut code = vec![Code::of(repo, remote, addresses, at, &remotes)?];
        for other in remotes.iter().filter(|other| other.name != remote.name) {
            if remote.gets == Gets::PublicAnywhere && !other.declines_log {
                let addresses = repo.addresses(other)?;
                if let Some(at) = addresses.push.first() {
                    code.push(Code::of(repo, other, &addresses, at, &remotes)?);
                }
            }
        }
        Ok(Self { repo, gets: remote.gets, code, exact: false, finds_squashes: false })
    }

    /// Asks the remotes for their branches and tags; returns false if they were asked before.
    pub fn ask(&mut self, talk: Talk) -> Result<bool, Error> {
        if self.code.iter().any(|code| !code.told.is_empty()) {
            return Ok(false);
        }
        for (place, code) in self.code.iter_mut().enumerate() {
            match self.repo.heads_and_tags(&code.remote, &code.at, talk) {
                Ok(told) => code.told = told,
                // Its entries wait; the log itself could be reached.
                Err(_) if place > 0 => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    /// Fetches the branches and tags that are not here; returns true if there were any.
    pub fn fetch(&self, talk: Talk) -> Result<bool, Error> {
        let mut any = false;
        for code in &self.code {
            let mut names: Vec<String> = code
                .told
                .iter()
                .filter(|tip| !self.repo.has_object(tip.target))
                .map(|tip| tip.name.clone())
                .collect();
            names.dedup();
            if !names.is_empty() {
                self.repo.fetch(&code.remote, &code.at, &names, talk)?;
                any = true;
            }
        }
        Ok(any)
    }

    /// Splits the lines that the remote lacks; `shared` are states of its log.
    pub fn plan(&self, lines: Vec<NotedLine>, shared: &[Oid]) -> Result<Plan, Error> {
        if self.gets == Gets::All {
            return Ok(Plan { ready: lines, ..Plan::default() });
        }
        let anchors: HashSet<Oid> = lines.iter().map(|(anchor, _)| *anchor).collect();
        let mut public = match self.gets {
            // Its log may once have been whole, with private commits.
            Gets::PublicAnywhere => HashSet::new(),
            _ => noted(self.repo, shared, anchors.iter().copied()),
        };
        let mut wanted = &anchors - &public;
        public.extend(self.reached(&wanted)?);
        wanted.retain(|anchor| !public.contains(anchor));
        let here = self.reached_here(&wanted)?;
        let held = if lines.is_empty() { Held::default() } else { Held::read(self.repo)? };
        let is_public = |anchor: Oid| public.contains(&anchor);
        let mut works = works(self.repo, &held, &lines, is_public)?;
        self.leave_private(&mut works)?;
        let ids: HashSet<&str> = works.iter().map(|work| work.id.as_str()).collect();
        let plan = Plan::of(lines, is_public, &ids, |anchor| here.contains(&anchor));
        Ok(Plan { gone: self.without_branch(works, &held)?, ..plan.naming(&held) })
    }

    /// The lines of work whose branch was deleted here, each with that branch, or whose branch is not known.
    fn without_branch(
        &self,
        works: Vec<Work>,
        held: &Held,
    ) -> Result<Vec<(String, Option<String>)>, Error> {
        let mut gone = Vec::new();
        for Work { id, branches, .. } in works {
            let mut is_here = false;
            for name in &branches {
                is_here |= self.repo.ref_target(&format!("refs/heads/{name}"))?.is_some();
            }
            let name = branches.into_iter().next();
            // Of a detached HEAD, the next commit is awaited.
            if !is_here && (name.is_some() || !held.holds(&id)) {
                gone.push((id, name));
            }
        }
        Ok(gone)
    }

    /// Drops the work that is public: by its branch, by its commits, or by their squash.
    fn leave_private(&self, works: &mut Vec<Work>) -> Result<(), Error> {
        works.retain(|work| !work.is_carried && !self.has_branch(&work.branches));
        let commits: HashSet<Oid> = works.iter().flat_map(|work| &work.commits).copied().collect();
        let there = self.reached(&commits)?;
        works.retain(|work| work.commits.iter().all(|commit| !there.contains(commit)));
        if !self.finds_squashes {
            return Ok(());
        }
        let mut private = Vec::new();
        for work in works.drain(..) {
            let homes: HashSet<Oid> = work.homes(self.repo)?.into_iter().collect();
            if homes.is_empty() || self.reached(&homes)?.is_empty() {
                private.push(work);
            }
        }
        *works = private;
        Ok(())
    }

    /// Returns true if a remote has a branch of one of these names.
    fn has_branch(&self, names: &[String]) -> bool {
        names.iter().map(|name| format!("refs/heads/{name}")).any(|name| {
            self.code.iter().any(|code| {
                let kept = kept_at(&name, &code.remote);
                code.tracked.iter().any(|tip| Some(&tip.name) == kept.as_ref())
                    || code.told.iter().any(|tip| tip.name == name)
            })
        })
    }

    /// The commits of `wanted` that a branch, a tag or HEAD contains.
    fn reached_here(&self, wanted: &HashSet<Oid>) -> Result<HashSet<Oid>, Error> {
        let mut tips: Vec<Oid> = self.repo.head()?.commit.into_iter().collect();
        for prefix in ["refs/heads/", "refs/tags/"] {
            tips.extend(self.repo.refs_under(prefix)?.iter().map(|tip| tip.target));
        }
        let mut links = self.repo.links();
        Ok(reached(&tips, wanted, false, |id| links.get(id)))
    }

    fn reached(&self, wanted: &HashSet<Oid>) -> Result<HashSet<Oid>, Error> {
        let mut links = self.repo.links();
        let tracked = || self.code.iter().flat_map(|code| &code.tracked);
        let tips = tracked().chain(self.code.iter().flat_map(|code| &code.told));
        let tips: Vec<Oid> = tips.map(|tip| tip.target).collect();
        let mut found = reached(&tips, wanted, self.exact, |id| links.get(id));
        if found.len() == wanted.len() {
            return Ok(found);
        }
        let known: HashSet<Oid> = tips.into_iter().collect();
        let mut before = Vec::new();
        for tip in tracked() {
            let moves = self.repo.ref_moves(&tip.name)?;
            before.extend(moves.iter().flat_map(|step| [step.from, step.to]).flatten());
        }
        before.retain(|tip| !known.contains(tip));
        let rest: HashSet<Oid> = wanted.difference(&found).copied().collect();
        found.extend(reached(&before, &rest, self.exact, |id| links.get(id)));
        Ok(found)
    }
}

impl Code {
    fn of(
        repo: &Repo,
        remote: &Remote,
        addresses: &Addresses,
        at: &str,
        remotes: &[Remote],
    ) -> Result<Self, Error> {
        let mut tracked = Vec::new();
        if are_of(repo, remote, addresses, at)? {
            tracked = repo.refs_under("refs/")?;
            tracked.retain(|tip| is_tracked(&tip.name, remote, remotes));
        }
        Ok(Self { remote: remote.clone(), at: at.to_owned(), tracked, told: Vec::new() })
    }
}

/// Those of the commits that have a note in one of the tips.
pub fn noted(repo: &Repo, tips: &[Oid], commits: impl IntoIterator<Item = Oid>) -> HashSet<Oid> {
    let mut readers: Vec<_> = tips.iter().flat_map(|tip| repo.notes_reader(*tip)).collect();
    let mut has = |commit| {
        let mut notes = readers.iter_mut().map(|reader| reader.get(commit));
        notes.any(|notes| notes.is_ok_and(|blobs| !blobs.is_empty()))
    };
    commits.into_iter().filter(|commit| has(*commit)).collect()
}

/// Returns true if the tracking refs are those of this URL: fetches and pushes use it, and always did.
pub(super) fn are_of(
    repo: &Repo,
    remote: &Remote,
    addresses: &Addresses,
    at: &str,
) -> Result<bool, Error> {
    let is_one = addresses.push == [at] && addresses.fetch.as_deref() == Some(at);
    let known = LocalState::read(repo)?.addresses.remove(&remote.name);
    Ok(is_one && known.is_none_or(|known| known == at))
}
