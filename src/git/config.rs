//! Reads git's configuration, and edits the clone's own file.

use std::{collections::BTreeSet, env, sync::OnceLock};

use gix::{
    bstr::ByteSlice,
    config::{Source, file::Metadata, source::Kind},
};

use super::{Repo, Result, error::Doing, repository::set_worktree};

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
        self.inner.config_snapshot().string(key).map(|value| value.to_string())
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
        let key = format!("{section}.{key}");
        matches!(config.plumbing().boolean_filter(&key, is_user), Ok(Some(true)))
    }

    /// A value in the user's or the system's own files.
    pub(super) fn user_string(&self, key: &str) -> Option<String> {
        let config = self.inner.config_snapshot();
        config.plumbing().string_filter(key, is_user).map(|value| value.to_string())
    }

    /// All values of a key, in the order in which git reads its files.
    pub fn config_strings(&self, key: &str) -> Vec<String> {
        let config = self.inner.config_snapshot();
        config.plumbing().strings(key).unwrap_or_default().iter().map(ToString::to_string).collect()
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
            match git.args(unset).run() {
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
        self.drivers = OnceLock::new();
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

fn is_user(meta: &Metadata) -> bool {
    use Kind::{GitInstallation, Global, System};
    matches!(meta.source.kind(), GitInstallation | System | Global)
}

fn has(file: &gix::config::File, edit: &ConfigEdit) -> bool {
    file.strings(edit.to_string().as_str())
        .unwrap_or_default()
        .iter()
        .any(|value| *value == edit.value.as_str())
}
