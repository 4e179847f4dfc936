//! Completes the checkout of a CI: the log, the whole history, and the base.

use super::Error;
use crate::{
    ci::Base,
    git::{Gets, Oid, Remote, Repo, Talk},
    store::take,
    timeline::short,
};

/// A CI has no terminal for prompts, and kills slow jobs.
const TALK: Talk = Talk { timeout: None, may_ask: false };

#[derive(Debug, Default)]
pub struct Ready {
    /// The remote that gets the log.
    pub log: Option<Remote>,
    pub base: Option<(String, Oid)>,
    /// The default branch, which a proposal is compared with, too.
    pub default: Option<Oid>,
    pub unknown: Vec<String>,
}

impl Ready {
    /// Fetches the missing parts from the upstream, and changes neither the configuration nor a branch.
    pub fn make(repo: &Repo, base: Option<&Base>, default: Option<String>) -> Result<Self, Error> {
        repo.require_log_refs()?;
        let branch = repo.head()?.branch;
        let upstream = repo.upstream_remote(branch.as_deref());
        let remotes = repo.remotes();
        let named =
            |name: Option<&String>| remotes.iter().find(|remote| Some(&remote.name) == name);
        let remote = named(upstream.as_ref()).cloned();
        let mut ready = Self::default();
        let home = repo.log_home().or_else(|| upstream.clone());
        if let Some(log) = named(home.as_ref()) {
            let mut log = log.clone();
            if repo.log_home().is_none() {
                // The checkout is not set up.
                log.gets = Gets::PublicThere;
            }
            if let Err(error) = take(repo, &log, TALK) {
                ready.unknown.push(format!("the log was not fetched: {error}"));
            }
            ready.log = Some(log);
        }
        if let Some(remote) = &remote
            && repo.is_shallow()?
            && let Err(error) = repo.deepen(remote, TALK)
        {
            ready.unknown.push(format!(
                "the history was not fetched: {error}; check out all of it \
                 (fetch-depth: 0 on GitHub, GIT_DEPTH: 0 on GitLab)"
            ));
        }
        let mut found = |base: &Base| {
            find(repo, remote.as_ref(), base)
                .map_err(|error| {
                    ready.unknown.push(format!(
                        "could not find the base to compare with: {error}; name it with --base"
                    ));
                })
                .ok()
        };
        let default = default.map(Base::Branch);
        let default = default.filter(|default| base != Some(default));
        let default = default.and_then(|default| found(&default));
        let base = base.and_then(found);
        ready.default = default.map(|(_, commit)| commit);
        ready.base = base;
        Ok(ready)
    }
}

fn find(repo: &Repo, remote: Option<&Remote>, base: &Base) -> Result<(String, Oid), Error> {
    let Some(remote) = remote else {
        let name = match base {
            Base::Branch(name) | Base::Commit(name) => name.clone(),
        };
        let commit = repo.base(&name)?;
        return Ok((name, commit));
    };
    match base {
        Base::Branch(branch) => {
            let name = format!("{}/{branch}", remote.name);
            let spec = format!("+refs/heads/{branch}:refs/remotes/{name}");
            repo.fetch(remote, &remote.name, &[spec], TALK)?;
            let commit = repo.commit(&format!("refs/remotes/{name}"))?;
            Ok((name, commit))
        }
        Base::Commit(name) => {
            if repo.base(name).is_err() {
                repo.fetch(remote, &remote.name, std::slice::from_ref(name), TALK)?;
            }
            let commit = repo.base(name)?;
            let is_id = commit.to_string() == *name;
            Ok((if is_id { short(commit) } else { name.clone() }, commit))
        }
    }
}
