//! Completes the checkout of a CI: the log, the whole history, and the base.

use super::Error;
use crate::{
    ci::{Base, Run},
    git::{ErrorKind, Gets, Oid, Remote, Repo, Talk},
    store::{share::fetch_branch, take},
    timeline::short,
};

/// A CI has no terminal for prompts, and kills slow jobs.
pub const TALK: Talk = Talk { timeout: None, may_ask: false };

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
    pub fn make(repo: &Repo, run: &Run) -> Result<Self, Error> {
        repo.require_log_refs()?;
        let remote = upstream(repo)?;
        let mut ready = Self::default();
        let home = repo.log_home();
        let mut remotes = repo.remotes().into_iter();
        let log = match &home {
            Some(home) => remotes.find(|remote| remote.name == *home),
            None => remote.clone(),
        };
        if let Some(mut log) = log {
            if home.is_none() {
                // The checkout is not set up.
                log.gets = Gets::PublicThere;
            }
            let taken = take(repo, &log, TALK).and_then(|()| fetch_branch(repo, &log, TALK));
            if let Err(error) = taken {
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
                .map_err(|error| ready.unknown.push(no_base(&error)))
                .ok()
        };
        let base = run.base.as_ref();
        let default = run.default.clone();
        if let Some((name, remote)) = default.as_ref().zip(remote.as_ref()) {
            // Without a branch of that name, nothing needs it.
            let _ = repo.find_remote_head(remote, Some(name), TALK);
        }
        let default = default.filter(|_| !run.is_default_branch).map(Base::Branch);
        let default = default.filter(|default| base != Some(default));
        let default = default.and_then(|default| found(&default));
        let base = base.and_then(found);
        ready.default = default.map(|(_, commit)| commit);
        ready.base = base;
        Ok(ready)
    }
}

/// Commits that are fetched at first to find a merge base.
const FIRST: u32 = 16;

/// Finds where a commit left its base. Of a shallow clone, fetches history until there, and no further.
pub fn fork(repo: &Repo, base: Oid, tip: Oid) -> Result<Oid, Error> {
    let mut commits = FIRST;
    loop {
        let ends = repo.shallow_ends()?;
        match repo.merge_base(base, tip)? {
            Some(fork) => return Ok(fork),
            // Histories that share nothing.
            None if ends.is_empty() => return Ok(base),
            None => {}
        }
        if let Some(remote) = upstream(repo)? {
            repo.deepen_by(&remote, commits, TALK)?;
        }
        if repo.shallow_ends()? == ends {
            let message = "the history before was cut off, and could not be fetched";
            return Err(Error::new(ErrorKind::Unreachable, message));
        }
        commits *= 2;
    }
}

pub fn no_base(why: &Error) -> String {
    let how = match why.hints.0.first() {
        Some(hint) if why.kind == ErrorKind::BadRevision => hint,
        _ => "name it with --base",
    };
    format!("could not find the base to compare with: {why}; {how}")
}

/// Finds the base of a proposal; of a shallow clone, fetches one commit at most.
pub fn find_base(repo: &Repo, base: &Base) -> Result<(String, Oid), Error> {
    find(repo, upstream(repo)?.as_ref(), base)
}

fn upstream(repo: &Repo) -> Result<Option<Remote>, Error> {
    let upstream = repo.upstream_remote(repo.head()?.branch.as_deref());
    Ok(repo.remotes().into_iter().find(|remote| Some(&remote.name) == upstream.as_ref()))
}

fn find(repo: &Repo, remote: Option<&Remote>, base: &Base) -> Result<(String, Oid), Error> {
    let Some(remote) = remote else {
        return Ok((base.name().to_owned(), repo.base(base.name())?));
    };
    let name = match base {
        Base::Branch(branch) => return branch_of(repo, remote, branch),
        Base::Commit(name) => name,
    };
    let commit = match repo.base(name) {
        Ok(commit) => commit,
        Err(error) => {
            let own = remote.name.as_str();
            let prefixes = [&format!("{own}/"), &format!("refs/remotes/{own}/"), "refs/heads/"];
            let branch = prefixes.into_iter().find_map(|prefix| name.strip_prefix(prefix));
            if name.contains(['~', '^']) {
                return Err(error);
            } else if let Some(branch) = branch {
                return branch_of(repo, remote, branch);
            } else if name.starts_with("refs/") {
                tip_of(repo, remote, name, name)?
            } else if name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                fetch(repo, remote, name.clone())?;
                repo.base(name)?
            } else if repo.commit(name).is_ok() {
                // A tag: whoever may push could make a branch of its name.
                return Err(error);
            } else {
                return branch_of(repo, remote, name);
            }
        }
    };
    let is_id = commit.to_string() == *name;
    Ok((if is_id { short(commit) } else { name.clone() }, commit))
}

fn branch_of(repo: &Repo, remote: &Remote, branch: &str) -> Result<(String, Oid), Error> {
    let name = format!("{}/{branch}", remote.name);
    let [from, to] = [format!("refs/heads/{branch}"), format!("refs/remotes/{name}")];
    Ok((name, tip_of(repo, remote, &from, &to)?))
}

/// Fetches a ref of the remote into one that is here.
fn tip_of(repo: &Repo, remote: &Remote, from: &str, to: &str) -> Result<Oid, Error> {
    // To fetch what is here without its history would cut that off.
    if repo.is_shallow()?
        && let Some(tip) = repo.ref_at(remote, from, TALK)?
        && repo.has_object(tip)
    {
        return repo.commit(&tip.to_string());
    }
    fetch(repo, remote, format!("+{from}:{to}"))?;
    repo.commit(to)
}

fn fetch(repo: &Repo, remote: &Remote, spec: String) -> Result<(), Error> {
    if repo.is_shallow()? {
        repo.fetch_tip(remote, &spec, TALK)
    } else {
        repo.fetch(remote, &remote.name, &[spec], TALK)
    }
}
