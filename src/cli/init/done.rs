//! What init did to this clone, kept so that it can be taken back, and the taking back.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    super::{CommandResult, Context, Failure, Outcome},
    place::Place,
};
use crate::{
    agent::remove_hook,
    git::{ConfigEdit, Git, Repo},
    report::escape,
    store::{WritersLock, state_dir},
};

/// What init did; written down before it is done, so that undo knows of what stopped midway too.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    config: Vec<ConfigEdit>,
    planted: Vec<Planted>,
    #[serde(default)]
    hooks: Vec<Hooked>,
    /// Whether hooks were declined.
    #[serde(default)]
    no_hooks: bool,
}

/// A hook of git's that got the block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hooked {
    /// From the common git folder, so that a copy of the repository does not name the original's.
    pub path: PathBuf,
    /// Whether there was no such hook.
    pub made: bool,
    /// Whether there was no folder for hooks.
    pub made_folder: bool,
}

/// A store that was planted.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Planted {
    /// The worktree that it is in; None where its path is no text.
    pub root: Option<String>,
    /// From that root.
    pub path: String,
    pub blob: String,
    /// Folders that were made for it, from the root, the outermost first.
    pub folders: Vec<String>,
}

impl Done {
    fn path(repo: &Repo) -> PathBuf {
        state_dir(repo).join("init.json")
    }

    /// Reads the record; an empty one where init never ran.
    pub fn load(repo: &Repo) -> Result<Self, Failure> {
        let path = Self::path(repo);
        let reason = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => error.to_string(),
            Ok(text) => match serde_json::from_slice(&text) {
                Ok(done) => return Ok(done),
                Err(error) => error.to_string(),
            },
        };
        Err(Failure::refused(
            format!(
                "{} can't be read, and it says what init did here: {reason}",
                path.display()
            ),
            "remove that file and run the command again\nwhat an earlier init set stays then: `git config --local --get-regexp 'displayref|^remote\\..*\\.(sq|fetch)$'` shows it",
        ))
    }

    /// What init set so that `git log` shows the log.
    pub fn display(&self) -> Option<&ConfigEdit> {
        self.config.iter().find(|edit| edit.name == "displayRef")
    }

    /// Whether init ever ran here.
    pub fn is_there(repo: &Repo) -> bool {
        Self::path(repo).exists()
    }

    /// Whether hooks were declined the last time.
    pub fn declined_hooks(&self) -> bool {
        self.no_hooks
    }

    /// Notes whether hooks are declined, and keeps the record.
    pub fn decline_hooks(&mut self, repo: &Repo, declined: bool) -> Result<(), Failure> {
        if self.no_hooks == declined {
            return Ok(());
        }
        self.no_hooks = declined;
        self.save(repo)
    }

    /// Adds values that are about to be set, and keeps the record.
    pub fn will_set(&mut self, repo: &Repo, edits: &[ConfigEdit]) -> Result<(), Failure> {
        for edit in edits {
            if !self.config.contains(edit) {
                self.config.push(edit.clone());
            }
        }
        // Also where nothing is to be set: the file's time says when the clone was set up.
        if edits.is_empty() && Self::path(repo).exists() {
            return Ok(());
        }
        self.save(repo)
    }

    /// Adds a store that is about to be planted, and keeps the record.
    pub fn will_plant(&mut self, repo: &Repo, planted: Planted) -> Result<(), Failure> {
        let place = |one: &Planted| (one.root.clone(), one.path.clone());
        let mut planted = planted;
        if let Some(at) = self
            .planted
            .iter()
            .position(|before| place(before) == place(&planted))
        {
            // It was removed by hand since, its folders perhaps not.
            for folder in self.planted.remove(at).folders {
                if !planted.folders.contains(&folder) {
                    planted.folders.push(folder);
                }
            }
            planted.folders.sort_by_key(String::len);
        }
        self.planted.push(planted);
        self.save(repo)
    }

    /// Adds a hook that is about to get the block, and keeps the record.
    pub fn will_hook(&mut self, repo: &Repo, hooked: Hooked) -> Result<(), Failure> {
        // One that was made and gets a newer block is still one that was made.
        if self.hooks.iter().any(|before| before.path == hooked.path) && !hooked.made {
            return Ok(());
        }
        self.hooks.retain(|before| before.path != hooked.path);
        self.hooks.push(hooked);
        self.save(repo)
    }

    fn save(&self, repo: &Repo) -> Result<(), Failure> {
        let path = Self::path(repo);
        let dir = state_dir(repo);
        let write = || -> io::Result<()> {
            let text = serde_json::to_vec(self)?;
            let mut file = tempfile::NamedTempFile::new_in(&dir)?;
            file.write_all(&text)?;
            file.persist(&path)?;
            Ok(())
        };
        write().map_err(|error| cannot_write(&path, &error, "git sq init"))
    }
}

/// The refusal where the system would not write a file; `command` is what to run again.
pub fn cannot_write(path: &Path, error: &io::Error, command: &str) -> Failure {
    Failure::refused(
        format!("could not write {}: {error}", path.display()),
        format!("see that it can be written, and run `{command}` again"),
    )
}

const UNDO: &str = "git sq init --undo";

/// Takes back what init did.
pub fn undo(context: &Context, repo: &mut Repo) -> CommandResult {
    let dir = state_dir(repo);
    if dir.exists() {
        let turn = WritersLock::acquire(repo)?;
        let done = Done::load(repo)?;
        // Backwards, so that a folder that was made goes last.
        for hooked in done.hooks.iter().rev() {
            hooked.remove(context, repo)?;
        }
        // Backwards: an event of a hook without its command would stop every git command.
        let edits: Vec<ConfigEdit> = done.config.iter().rev().cloned().collect();
        let edits = follow_renames(repo, edits);
        let taken = repo.remove_config(&edits).map_err(|error| {
            error.help(format!(
                "see that the git folder can be written, and run `{UNDO}` again"
            ))
        })?;
        for edit in taken {
            let (key, value) = (escape(&edit.to_string()), escape(&edit.value));
            match (edit.section.as_str(), edit.name.as_str()) {
                ("hook", "event") => {
                    context.print(&format!("hook:   took git sq out of {value}\n"));
                }
                // The command goes with its event.
                ("hook", _) => {}
                _ => context.print(&format!("config: took {key} = {value} out\n")),
            }
        }
        for planted in &done.planted {
            planted.remove(context, repo)?;
        }
        // Somebody may be about to write there: once more then.
        fs::remove_dir_all(&dir)
            .or_else(|_| fs::remove_dir_all(&dir))
            .map_err(|error| cannot_write(&dir, &error, UNDO))?;
        drop(turn);
        context.print("state:  removed this clone's own folder in the git folder\n");
    }
    context.print("The log (refs/notes/sq) and committed files stay.\n");
    Ok(Outcome::Clean)
}

/// A remote that was renamed since took our values along: they are looked for under its new name.
fn follow_renames(repo: &Repo, mut edits: Vec<ConfigEdit>) -> Vec<ConfigEdit> {
    let remotes = repo.remotes();
    let refspecs: Vec<ConfigEdit> = edits
        .iter()
        .filter(|edit| edit.section == "remote" && edit.name == "fetch")
        .cloned()
        .collect();
    for refspec in refspecs {
        let old = refspec.subsection;
        if remotes.iter().any(|r| Some(&r.name) == old.as_ref()) {
            continue;
        }
        let mut renamed = remotes.iter().filter(|r| r.fetch.contains(&refspec.value));
        if let (Some(new), None) = (renamed.next(), renamed.next()) {
            for edit in edits.iter_mut().filter(|edit| edit.subsection == old) {
                edit.subsection = Some(new.name.clone());
            }
        }
    }
    edits
}

impl Hooked {
    fn remove(&self, context: &Context, repo: &Repo) -> Result<(), Failure> {
        let path = repo.common_dir().join(&self.path);
        // Pre-commit moves a hook that it finds aside, and runs it from there.
        let aside = path.with_extension("legacy");
        for (path, made) in [(&path, self.made), (&aside, false)] {
            let taken =
                remove_hook(path, made).map_err(|error| cannot_write(path, &error, UNDO))?;
            if taken {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                context.print(&format!("hook:   took git sq out of {}\n", escape(&name)));
            }
        }
        if let Some(folder) = path.parent().filter(|_| self.made_folder) {
            // Only where nothing else is in it.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }
}

impl Planted {
    /// Removes the store where it is still as init made it and git does not track it.
    fn remove(&self, context: &Context, repo: &Repo) -> Result<(), Failure> {
        let here = repo.worktree();
        let recorded = self.root.as_ref().map(PathBuf::from);
        // Where the worktree was moved away, this one may be it; in a copy of the repository it is the original's.
        let is_ours = |root: &PathBuf| {
            let theirs = Git::in_folder(root)
                .args(["rev-parse", "--path-format=absolute", "--git-common-dir"])
                .run();
            theirs.is_ok_and(|theirs| {
                let theirs = String::from_utf8_lossy(&theirs);
                let theirs = PathBuf::from(theirs.trim_end_matches(['\r', '\n']));
                theirs.canonicalize().ok() == repo.common_dir().canonicalize().ok()
            })
        };
        let Some(root) = recorded.filter(is_ours).or(here.clone()) else {
            return Ok(());
        };
        let is_here = here.as_ref() == Some(&root);
        let name = if is_here {
            escape(&self.path)
        } else {
            escape(&root.join(&self.path).to_string_lossy())
        };
        let Ok(place) = Place::new(&root, &self.path) else {
            context.print(&format!(
                "store:  {name} is not where it was, so it stays\n"
            ));
            return Ok(());
        };
        let Ok(bytes) = fs::read(place.file()) else {
            return Ok(());
        };
        if repo.blob_id(&bytes)?.to_string() != self.blob {
            context.print(&format!("store:  {name} was edited since, so it stays\n"));
            return Ok(());
        }
        let git = if is_here {
            repo.git()
        } else {
            Git::in_folder(&root)
        };
        let tracked = git
            .args(["--literal-pathspecs", "ls-files", "-z", "--", &self.path])
            .run();
        if !tracked.is_ok_and(|paths| paths.is_empty()) {
            context.print(&format!("store:  {name} is tracked by git, so it stays\n"));
            return Ok(());
        }
        fs::remove_file(place.file()).map_err(|error| cannot_write(place.file(), &error, UNDO))?;
        for folder in self.folders.iter().rev() {
            // Only where nothing else is in it.
            let _ = fs::remove_dir(root.join(folder));
        }
        context.print(&format!("store:  removed {name}\n"));
        Ok(())
    }
}
