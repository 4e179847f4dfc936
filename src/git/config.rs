//! Reads git's configuration, and edits the clone's own file.

use std::{collections::BTreeSet, env};

use gix::{
    bstr::ByteSlice,
    config::{Source, file::Metadata, source::Kind},
    remote::Direction,
};

use super::{Repo, Result, error::Doing, repository::set_worktree};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub name: String,
    /// Its log is read here: `remote.<name>.sq` is true or `sq.logRemote` names it, and its name can share the log.
    pub shares_log: bool,
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
    /// Returns true if the remote's name works in ref names and is no option, and its log ref is valid.
    pub fn can_share_log(&self) -> bool {
        let tracking = format!("refs/notes/remotes/{}/sq", self.name);
        !self.name.starts_with('-')
            && <&gix::path::RelativePath>::try_from(tracking.as_str()).is_ok()
            && gix::refs::FullName::try_from(tracking).is_ok()
            && gix::refs::FullName::try_from(self.log_ref.as_str()).is_ok()
            && self.log_ref.starts_with("refs/")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigEdit {
    pub section: String,
    pub subsection: Option<String>,
    pub name: String,
    pub value: String,
}

impl ConfigEdit {
    /// `section.name`, or `section.subsection.name`.
    pub fn new(section: &str, subsection: Option<&str>, name: &str, value: &str) -> Self {
        Self {
            section: section.to_owned(),
            subsection: subsection.map(str::to_owned),
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }
}

impl std::fmt::Display for ConfigEdit {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(&self.section)?;
        if let Some(subsection) = &self.subsection {
            write!(f, ".{subsection}")?;
        }
        write!(f, ".{}", self.name)
    }
}

impl Repo {
    pub fn config_string(&self, key: &str) -> Option<String> {
        self.inner
            .config_snapshot()
            .string(key)
            .map(|value| value.to_string())
    }

    /// A boolean value; `None` if it is absent or not a boolean.
    pub fn config_flag(&self, key: &str) -> Option<bool> {
        self.inner.config_snapshot().boolean(key)
    }

    /// A boolean in the user's or the system's own files: not in the repository's, nor in what the environment or the
    /// command line say instead.
    pub fn user_flag(&self, section: &str, key: &str) -> bool {
        let elsewhere = ["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"];
        if elsewhere.iter().any(|name| env::var_os(name).is_some()) {
            return false;
        }
        let config = self.inner.config_snapshot();
        let is_user = |meta: &Metadata| {
            use Kind::{GitInstallation, Global, System};
            matches!(meta.source.kind(), GitInstallation | System | Global)
        };
        let key = format!("{section}.{key}");
        let flag = config.plumbing().boolean_filter(&key, is_user);
        matches!(flag, Ok(Some(true)))
    }

    /// All values of a key, in the order in which git reads its files.
    pub fn config_strings(&self, key: &str) -> Vec<String> {
        let config = self.inner.config_snapshot();
        let values = config.plumbing().strings(key).unwrap_or_default();
        values.iter().map(ToString::to_string).collect()
    }

    /// The names of `filter` or `hook` sections that the repository's own config defines, as opposed to the user's.
    pub(super) fn own_sections(&self, name: &str) -> Vec<String> {
        let config = self.inner.config_snapshot();
        let sections = config.plumbing().sections_by_name(name);
        let names = sections.into_iter().flatten().filter_map(|section| {
            let is_own = matches!(section.meta().source, Source::Local | Source::Worktree);
            let name = section.header().subsection_name();
            Some(name.filter(|_| is_own)?.to_string())
        });
        names.collect()
    }

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
        let sections = config.plumbing().sections_by_name("remote");
        for section in sections.into_iter().flatten() {
            let Some(name) = section.header().subsection_name().map(|n| n.to_str_lossy()) else {
                continue;
            };
            if !remotes.iter().any(|remote| remote.name == name) {
                let key = |value: &str| format!("remote.{name}.{value}");
                let flag = config.boolean(key("sq").as_str());
                let is_home = home.as_deref() == Some(&*name);
                let common = log_ref.clone().filter(|_| is_home || home.is_none());
                let log_ref = self.config_string(&key("sqRef")).or(common);
                remotes.push(Remote {
                    shares_log: flag == Some(true) || is_home,
                    declines_log: flag == Some(false),
                    gets: Gets::Nothing,
                    fetch: self.config_strings(&key("fetch")),
                    log_ref: log_ref.unwrap_or_else(|| DEFAULT_LOG_REF.to_owned()),
                    name: name.into_owned(),
                });
            }
        }
        remotes.retain(|remote| {
            config
                .string(format!("remote.{}.url", remote.name).as_str())
                .is_some()
        });
        for remote in &mut remotes {
            remote.shares_log &= remote.can_share_log();
            remote.gets = match &home {
                _ if !remote.shares_log => Gets::Nothing,
                None => Gets::PublicThere,
                Some(home) if *home != remote.name => Gets::Nothing,
                Some(_) if is_whole => Gets::All,
                Some(_) => Gets::PublicAnywhere,
            };
        }
        remotes.sort_by(|one, two| one.name.cmp(&two.name));
        remotes
    }

    /// The URLs to fetch from and push to, after `insteadOf` and `pushInsteadOf`.
    pub fn addresses(&self, remote: &Remote) -> Result<Addresses> {
        let reading = || format!("read the address of {}", remote.name);
        let found = self.inner.find_remote(remote.name.as_str());
        let found = found.doing(reading())?;
        let urls = |direction| {
            let urls = found.urls(direction);
            urls.map(|url| url.to_bstring().to_string())
                .collect::<Vec<_>>()
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

    /// Adds values to the clone's own config file, all or none, and returns those that were new.
    pub fn add_config(&mut self, edits: &[ConfigEdit]) -> Result<Vec<ConfigEdit>> {
        let mut file = self.config_file()?;
        let mut added = Vec::new();
        for edit in edits {
            // Checked under the file's lock: another process may have added it.
            if has(&file, edit) {
                continue;
            }
            let subsection = edit.subsection.as_deref().map(Into::into);
            file.section_mut_or_create_new(&edit.section, subsection)
                .doing("edit the config")?
                .push(&edit.name, Some(edit.value.as_bytes().as_bstr()))
                .doing("edit the config")?;
            added.push(edit.clone());
        }
        if !added.is_empty() {
            file.commit().doing("write the config")?;
        }
        self.reload()?;
        Ok(added)
    }

    /// All values of the clone's own config file, without included files and the user's other files.
    pub fn own_config(&self) -> Result<Vec<ConfigEdit>> {
        let file = self.own_config_file()?;
        let mut values = Vec::new();
        for section in file.sections() {
            let names: BTreeSet<String> = section.value_names().collect();
            let header = section.header();
            for name in names {
                values.extend(section.values(&name).iter().map(|value| ConfigEdit {
                    section: header.name().to_string(),
                    subsection: header.subsection_name().map(ToString::to_string),
                    name: name.clone(),
                    value: value.to_string(),
                }));
            }
        }
        Ok(values)
    }

    /// Removes values, and sections that become empty, from the clone's own config file; returns the removed ones.
    /// Git does it, since gix leaves the whitespace of a removed line behind.
    pub fn remove_config(&mut self, edits: &[ConfigEdit]) -> Result<Vec<ConfigEdit>> {
        let path = self.common_dir().join("config");
        let mut removed = Vec::new();
        for edit in edits {
            if !has(&self.own_config_file()?, edit) {
                continue;
            }
            let key = edit.to_string();
            let git = self.git().args(["config", "--file"]).args([&path]);
            let unset = ["--fixed-value", "--unset-all", &key, &edit.value];
            let taken = git.args(unset).run();
            match taken {
                Ok(_) => removed.push(edit.clone()),
                // Another process removed it meanwhile.
                Err(_) if !has(&self.own_config_file()?, edit) => {}
                Err(error) => return Err(error),
            }
        }
        self.reload()?;
        Ok(removed)
    }

    pub fn reload(&mut self) -> Result<()> {
        let worktree = self.worktree();
        self.inner.reload().doing("read the config again")?;
        set_worktree(&mut self.inner, worktree)
    }

    fn own_config_file(&self) -> Result<gix::config::File> {
        let path = self.common_dir().join("config");
        gix::config::File::from_path_no_includes(path, Source::Local).doing("read the config")
    }

    fn config_file(&self) -> Result<gix::config::FileTransaction> {
        let path = self.common_dir().join("config");
        let mut file = self.inner.config_file_mut(path).doing("lock the config")?;
        // After a last comment without a line feed, gix would append a new key to that line. Serializing ends every
        // line.
        *file = gix::config::File::from_bytes_no_includes(
            &file.to_bstring(),
            file.meta_owned(),
            gix::config::file::init::Options::default(),
        )
        .doing("read the config")?;
        Ok(file)
    }
}

fn has(file: &gix::config::File, edit: &ConfigEdit) -> bool {
    let values = file.strings(edit.to_string().as_str()).unwrap_or_default();
    values.iter().any(|value| *value == edit.value.as_str())
}
