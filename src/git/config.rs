//! Git's configuration: values read from all its files, and edits of the clone's own.

use std::collections::BTreeSet;

use gix::{bstr::ByteSlice, config::Source};

use super::{Repo, Result, error::Doing, repository::set_worktree};

/// A remote that this clone knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub name: String,
    /// `remote.<name>.sq`: whether the log is shared with it; never where it can't be.
    pub shares_log: bool,
    pub fetch: Vec<String>,
    /// `remote.<name>.sqRef`: the ref that the log has there, [`DEFAULT_LOG_REF`] unless the remote takes no notes.
    pub log_ref: String,
}

/// The ref of a log, here and on remotes.
pub const DEFAULT_LOG_REF: &str = "refs/notes/sq";

impl Remote {
    /// Where the remote keeps what clones could not push into its log; ends in a slash.
    pub fn inboxes(&self) -> String {
        format!("{}-inbox/", self.log_ref)
    }

    /// Whether refs can be named after it, and git takes its name for no option, and its log has a ref's name: only then
    /// can it share the log.
    pub fn can_share_log(&self) -> bool {
        let tracking = format!("refs/notes/remotes/{}/sq", self.name);
        !self.name.starts_with('-')
            && <&gix::path::RelativePath>::try_from(tracking.as_str()).is_ok()
            && gix::refs::FullName::try_from(tracking).is_ok()
            && gix::refs::FullName::try_from(self.log_ref.as_str()).is_ok()
            && self.log_ref.starts_with("refs/")
    }
}

/// One value in the clone's own config file.
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
    /// The last value of a key.
    pub fn config_string(&self, key: &str) -> Option<String> {
        self.inner
            .config_snapshot()
            .string(key)
            .map(|value| value.to_string())
    }

    /// A value that is yes or no; None where there is none, or it is something else.
    pub fn config_flag(&self, key: &str) -> Option<bool> {
        self.inner.config_snapshot().boolean(key)
    }

    /// All values of a key, in the order of git's files.
    pub fn config_strings(&self, key: &str) -> Vec<String> {
        let config = self.inner.config_snapshot();
        let values = config.plumbing().strings(key).unwrap_or_default();
        values.iter().map(ToString::to_string).collect()
    }

    /// The remotes of this clone, by name.
    pub fn remotes(&self) -> Vec<Remote> {
        let config = self.inner.config_snapshot();
        let mut remotes: Vec<Remote> = Vec::new();
        let sections = config.plumbing().sections_by_name("remote");
        for section in sections.into_iter().flatten() {
            let Some(name) = section.header().subsection_name().map(|n| n.to_str_lossy()) else {
                continue;
            };
            if !remotes.iter().any(|remote| remote.name == name) {
                let key = |value: &str| format!("remote.{name}.{value}");
                remotes.push(Remote {
                    shares_log: config.boolean(key("sq").as_str()).unwrap_or(false),
                    fetch: self.config_strings(&key("fetch")),
                    log_ref: config
                        .string(key("sqRef").as_str())
                        .map_or_else(|| DEFAULT_LOG_REF.to_owned(), |name| name.to_string()),
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
        }
        remotes.sort_by(|one, two| one.name.cmp(&two.name));
        remotes
    }

    /// The remote of the current branch's upstream, else the only remote, else `origin`; of those that can share the
    /// log.
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

    /// Adds values to the clone's own config file, all or none, but for those that it has; gives what it added.
    ///
    /// # Errors
    /// When the file can't be locked or written.
    pub fn add_config(&mut self, edits: &[ConfigEdit]) -> Result<Vec<ConfigEdit>> {
        let mut file = self.config_file()?;
        let mut added = Vec::new();
        for edit in edits {
            // What came in since `edits` were chosen is here, under the file's lock.
            if has(&file, edit) {
                continue;
            }
            let subsection = edit
                .subsection
                .as_deref()
                .map(|name| name.as_bytes().as_bstr());
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

    /// All values of the clone's own config file, without what it includes and without the user's other files.
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

    /// Takes values out of the clone's own config file, and a section that is empty then; gives those it found.
    ///
    /// Git does it, not gix, which leaves the blanks of a removed line behind.
    pub fn remove_config(&mut self, edits: &[ConfigEdit]) -> Result<Vec<ConfigEdit>> {
        let path = self.common_dir().join("config");
        let mut removed = Vec::new();
        for edit in edits {
            if !has(&self.own_config_file()?, edit) {
                continue;
            }
            let key = edit.to_string();
            let taken = self
                .git()
                .args(["config", "--file"])
                .args([&path])
                .args(["--fixed-value", "--unset-all", &key, &edit.value])
                .run();
            match taken {
                Ok(_) => removed.push(edit.clone()),
                // Somebody else took it out meanwhile.
                Err(_) if !has(&self.own_config_file()?, edit) => {}
                Err(error) => return Err(error),
            }
        }
        self.reload()?;
        Ok(removed)
    }

    /// Reads the config again, as others may have changed it.
    ///
    /// # Errors
    /// When it can't be read.
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
        let mut file = self
            .inner
            .config_file_mut(self.common_dir().join("config"))
            .doing("lock the config")?;
        // Gix would put a new key into a last comment that no line feed ends. Written out, every line has its end.
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
