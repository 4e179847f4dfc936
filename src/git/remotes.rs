//! The configured remotes: what each one gets of the log, and the settings about it that can't be meant so.

use gix::{bstr::ByteSlice, remote::Direction};

use super::{Error, Repo, Result, error::Doing};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub name: String,
    /// Its log is read here: `remote.<name>.sq` is true or `sq.logRemote` names it, and its name and ref can share the
    /// log.
    pub shares_log: bool,
    /// `remote.<name>.sq` is false or no boolean, or it is this very repository, where every commit would be public.
    pub declines_log: bool,
    pub gets: Gets,
    pub fetch: Vec<String>,
    /// The log's ref on the remote: `remote.<name>.sqRef`, else `sq.logRef`, by default [`DEFAULT_LOG_REF`].
    pub log_ref: String,
}

/// The entries that are published to a remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gets {
    Nothing,
    /// Those of commits that are public there.
    PublicThere,
    /// Those of commits that are public at any remote: `sq.logRemote` names this one.
    PublicAnywhere,
    /// All, by `sq.logPublishes`.
    All,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addresses {
    pub fetch: Option<String>,
    /// Usually the same as those to fetch from.
    pub push: Vec<String>,
}

pub const DEFAULT_LOG_REF: &str = "refs/notes/sq";

impl Remote {
    /// Returns true if the remote's name works in ref names and is no option.
    pub fn can_share_log(&self) -> bool {
        let tracking = format!("refs/notes/remotes/{}/sq", self.name);
        !self.name.starts_with('-')
            && <&gix::path::RelativePath>::try_from(tracking.as_str()).is_ok()
            && gix::refs::FullName::try_from(tracking).is_ok()
    }
}

/// A value of the configuration that can't be meant so, and one to set instead.
#[derive(Debug)]
pub struct BadSetting {
    pub key: String,
    pub why: String,
    pub instead: &'static str,
}

impl Repo {
    /// The name of the only remote that gets the log; it need not exist.
    pub fn log_home(&self) -> Option<String> {
        self.config_string("sq.logRemote")
    }

    pub fn remotes(&self) -> Vec<Remote> {
        let config = self.inner.config_snapshot();
        let home = self.log_home();
        let log_ref = self.config_string("sq.logRef");
        let is_whole = self.config_string("sq.logPublishes").as_deref() == Some("all");
        let mut remotes: Vec<Remote> = Vec::new();
        for section in config.plumbing().sections_by_name("remote").into_iter().flatten() {
            let Some(name) = section.header().subsection_name().map(|n| n.to_str_lossy()) else {
                continue;
            };
            if !remotes.iter().any(|remote| remote.name == name) {
                let key = |value: &str| format!("remote.{name}.{value}");
                let is_set = config.string(key("sq").as_str()).is_some();
                let flag = self.config_flag(&key("sq")).or(is_set.then_some(false));
                let is_home = home.as_deref() == Some(&*name);
                let common = log_ref.clone().filter(|_| is_home || home.is_none());
                let log_ref = self.config_string(&key("sqRef")).or(common);
                remotes.push(Remote {
                    shares_log: flag.unwrap_or(is_home),
                    declines_log: flag == Some(false),
                    gets: Gets::Nothing,
                    fetch: self.config_strings(&key("fetch")),
                    log_ref: log_ref.unwrap_or_else(|| DEFAULT_LOG_REF.to_owned()),
                    name: name.into_owned(),
                });
            }
        }
        remotes.retain(|remote| {
            config.string(format!("remote.{}.url", remote.name).as_str()).is_some()
        });
        for remote in &mut remotes {
            remote.declines_log |= self.is_itself(&remote.name);
            remote.shares_log &= !remote.declines_log
                && remote.can_share_log()
                && self.can_hold_log(&remote.log_ref);
            remote.gets = match &home {
                _ if !remote.shares_log => Gets::Nothing,
                None => Gets::PublicThere,
                Some(home) if *home != remote.name => Gets::Nothing,
                Some(_) if is_whole => Gets::All,
                Some(_) => Gets::PublicAnywhere,
            };
        }
        remotes.sort_by(|remote, other| remote.name.cmp(&other.name));
        remotes
    }

    /// Returns true if a remote is this very repository.
    pub fn is_itself(&self, remote: &str) -> bool {
        let remote = self.inner.find_remote(remote).ok();
        let url = remote.as_ref().and_then(|remote| remote.url(Direction::Push));
        let Some(url) = url.filter(|url| url.scheme == gix::url::Scheme::File) else {
            return false;
        };
        let base = self.worktree().unwrap_or_else(|| self.git_dir());
        let Ok(mut there) = base.join(url.path.to_path_lossy()).canonicalize() else {
            return false;
        };
        let common = self.common_dir();
        if common.canonicalize().is_ok_and(|common| there.starts_with(common)) {
            return true;
        }
        if there.ends_with(".git") {
            there.pop();
        }
        let linked = self.inner.worktrees().unwrap_or_default().into_iter();
        let linked = linked.filter_map(|linked| linked.base().ok());
        let mut roots = self.main_worktree().into_iter().chain(linked);
        roots.any(|root| root.canonicalize().is_ok_and(|root| root == there))
    }

    /// Returns true for the full name of a ref of notes, or of a branch that is not a branch of people here.
    fn can_hold_log(&self, name: &str) -> bool {
        let is_notes = name.starts_with("refs/notes/");
        let is_branch = || name.starts_with("refs/heads/");
        let here = || self.ref_target(name).ok().flatten();
        gix::refs::FullName::try_from(name).is_ok()
            && (is_notes || is_branch() && here().is_none_or(|tip| self.is_notes_commit(tip)))
    }

    fn bad_log_refs(&self) -> Vec<BadSetting> {
        let keys = self
            .remotes()
            .into_iter()
            .map(|remote| remote.name)
            .map(|name| format!("remote.{name}.sqRef"));
        ["sq.logRef".to_owned()].into_iter().chain(keys).filter_map(|key| {
            let name = self.config_string(&key)?;
            (!self.can_hold_log(&name)).then(|| BadSetting {
                why: format!(
                    "{key} is {name:?}, which can't hold the log: give the full name of a ref in refs/notes/ or refs/heads/ that is no branch here"
                ),
                key,
                instead: DEFAULT_LOG_REF,
            })
        }).collect()
    }

    /// Fails if a ref that is set for the log can't hold it.
    pub fn require_log_refs(&self) -> Result<()> {
        match self.bad_log_refs().into_iter().next() {
            None => Ok(()),
            Some(BadSetting { key, why, instead }) => {
                let set = format!("`git config {key} {instead}`");
                let help = format!("{set}, or the name that is set in the team's other clones");
                Err(Error::refused(why, help))
            }
        }
    }

    /// The settings about the log that can't be meant so. None of them makes it go further.
    pub fn bad_settings(&self) -> Vec<BadSetting> {
        let mut bad = self.bad_log_refs();
        let home = self.log_home();
        for remote in self.remotes() {
            let key = format!("remote.{}.sq", remote.name);
            let (value, flag) = (self.config_string(&key), self.config_flag(&key));
            if let Some(value) = value.filter(|_| flag.is_none()) {
                bad.push(BadSetting {
                    why: format!("{key} is {value:?}, which is not a boolean: it counts as false"),
                    key,
                    instead: "false",
                });
            } else if flag == Some(false) && home.as_ref() == Some(&remote.name) {
                bad.push(BadSetting {
                    why: format!(
                        "{key} is false, and sq.logRemote is {}: entries stay in this clone",
                        remote.name
                    ),
                    key,
                    instead: "true",
                });
            }
        }
        if let Some(word) = self.config_string("sq.logPublishes")
            && !["public", "all"].contains(&&*word)
        {
            bad.push(BadSetting {
                key: "sq.logPublishes".to_owned(),
                why: format!(
                    "sq.logPublishes is {word:?}, neither public nor all: it counts as public"
                ),
                instead: "public",
            });
        }
        bad
    }

    /// The URLs to fetch from and push to, after `insteadOf` and `pushInsteadOf`.
    pub fn addresses(&self, remote: &Remote) -> Result<Addresses> {
        let reading = || format!("read the address of {}", remote.name);
        let found = self.inner.find_remote(remote.name.as_str()).doing(reading())?;
        let urls = |direction| {
            found.urls(direction).map(|url| url.to_bstring().to_string()).collect::<Vec<_>>()
        };
        Ok(Addresses {
            fetch: urls(Direction::Fetch).into_iter().next(),
            push: urls(Direction::Push),
        })
    }

    /// The upstream of the current branch, else the only remote that can share the log, else `origin`.
    pub fn upstream_remote(&self, branch: Option<&str>) -> Option<String> {
        let mut remotes = self.remotes();
        remotes.retain(Remote::can_share_log);
        let known = |name: &String| remotes.iter().any(|remote| &remote.name == name);
        branch
            .and_then(|branch| self.config_string(&format!("branch.{branch}.remote")))
            .filter(known)
            .or_else(|| match remotes.as_slice() {
                [only] => Some(only.name.clone()),
                _ => Some("origin".to_owned()).filter(known),
            })
    }

    /// The remote and the short name that a branch has there, by its upstream: the same name, also below a folder as in
    /// `ada/topic`. An upstream of another name is only what it was made from.
    pub fn name_at(&self, branch: &str) -> Option<(String, String)> {
        let key = |key: &str| self.config_string(&format!("branch.{branch}.{key}"));
        let name = key("merge")?.strip_prefix("refs/heads/")?.to_owned();
        let is_its_own = name == branch || name.ends_with(&format!("/{branch}"));
        key("remote").filter(|_| is_its_own).map(|remote| (remote, name))
    }
}
