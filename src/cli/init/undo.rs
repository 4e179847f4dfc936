//! Takes back what init did, or says what it would take back.

use std::{fs, path::PathBuf};

use super::{
    super::{CommandResult, Context, Failure, Outcome},
    done::{Done, Hooked, Planted, cannot_write},
    place::Place,
};
use crate::{
    agent::{has_hook, remove_hook},
    git::{ConfigEdit, Git, Repo},
    report::{count, escape},
    store::{LocalState, WritersLock, state_dir},
};

const UNDO: &str = "git sq init --undo";

/// How the taking back is told, and whether it is done.
#[derive(Clone, Copy)]
struct Undo<'a> {
    context: &'a Context,
    dry_run: bool,
}

/// Takes back what init did; a dry run says what that would be.
pub fn undo(context: &Context, repo: &mut Repo, dry_run: bool) -> CommandResult {
    Undo { context, dry_run }.run(repo)
}

impl Undo<'_> {
    fn run(self, repo: &mut Repo) -> CommandResult {
        let dir = state_dir(repo);
        if dir.exists() {
            let turn = if self.dry_run {
                None
            } else {
                Some(WritersLock::acquire(repo)?)
            };
            let done = Done::load(repo)?;
            // Backwards, so that a folder that was made goes last.
            for hooked in done.hooks.iter().rev() {
                self.hook(repo, hooked)?;
            }
            self.config(repo, &done)?;
            for planted in &done.planted {
                self.planted(repo, planted)?;
            }
            self.sessions(repo)?;
            let removed = self.word("removed", "would remove");
            if !self.dry_run {
                // Somebody may be about to write there: once more then.
                fs::remove_dir_all(&dir)
                    .or_else(|_| fs::remove_dir_all(&dir))
                    .map_err(|error| cannot_write(&dir, &error, UNDO))?;
            }
            drop(turn);
            self.say(&format!(
                "state:  {removed} this clone's own folder in the git folder\n"
            ));
        }
        self.say("The log (refs/notes/sq) and committed files stay.\n");
        if self.dry_run {
            self.say("Nothing was done (--dry-run).\n");
        }
        Ok(Outcome::Clean)
    }

    fn say(self, text: &str) {
        self.context.print(text);
    }

    fn word<'w>(self, did: &'w str, would: &'w str) -> &'w str {
        if self.dry_run { would } else { did }
    }

    fn hook(self, repo: &Repo, hooked: &Hooked) -> Result<(), Failure> {
        let path = repo.common_dir().join(&hooked.path);
        // Pre-commit moves a hook that it finds aside, and runs it from there.
        let aside = path.with_extension("legacy");
        for (path, made) in [(&path, hooked.made), (&aside, false)] {
            let taken = if self.dry_run {
                has_hook(path)
            } else {
                remove_hook(path, made).map_err(|error| cannot_write(path, &error, UNDO))?
            };
            if taken {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                self.took("hook:  ", "git sq", &name);
            }
        }
        if let Some(folder) = path
            .parent()
            .filter(|_| hooked.made_folder && !self.dry_run)
        {
            // Only where nothing else is in it.
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }

    fn took(self, label: &str, what: &str, from: &str) {
        let took = self.word("took", "would take");
        self.say(&format!("{label} {took} {what} out of {}\n", escape(from)));
    }

    fn config(self, repo: &mut Repo, done: &Done) -> Result<(), Failure> {
        // Backwards: an event of a hook without its command would stop every git command.
        let edits: Vec<ConfigEdit> = done.config.iter().rev().cloned().collect();
        let edits = follow_renames(repo, edits);
        let taken = if self.dry_run {
            repo.found_in_config(&edits)?
        } else {
            repo.remove_config(&edits).map_err(|error| {
                error.help(format!(
                    "see that the git folder can be written, and run `{UNDO}` again"
                ))
            })?
        };
        let took = self.word("took", "would take");
        for edit in taken {
            let (key, value) = (escape(&edit.to_string()), escape(&edit.value));
            match (edit.section.as_str(), edit.name.as_str()) {
                ("hook", "event") => self.took("hook:  ", "git sq", &edit.value),
                // The command goes with its event.
                ("hook", _) => {}
                _ => self.say(&format!("config: {took} {key} = {value} out\n")),
            }
        }
        Ok(())
    }

    /// Sessions that have not ended go with our folder; what they wrote is in the log.
    fn sessions(self, repo: &Repo) -> Result<(), Failure> {
        let sessions = LocalState::read(repo)?.sessions.into_values();
        let forgotten: Vec<String> = sessions.map(|session| escape(&session.sid)).collect();
        if !forgotten.is_empty() {
            let verb = self.word("forgot", "would forget");
            let (have, them) = match forgotten.len() {
                1 => ("has", "it"),
                _ => ("have", "them"),
            };
            self.say(&format!(
                "state:  {verb} {} that {have} not ended: {}; `git sq session sweep --all` before would have given {them} a row\n",
                count(forgotten.len(), "session"),
                forgotten.join(", ")
            ));
        }
        Ok(())
    }

    /// Removes the store where it is still as init made it and git does not track it.
    fn planted(self, repo: &Repo, planted: &Planted) -> Result<(), Failure> {
        let here = repo.worktree();
        let recorded = planted.root.as_ref().map(PathBuf::from);
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
            escape(&planted.path)
        } else {
            escape(&root.join(&planted.path).to_string_lossy())
        };
        let Ok(place) = Place::new(&root, &planted.path) else {
            self.say(&format!(
                "store:  {name} is not where it was, so it stays\n"
            ));
            return Ok(());
        };
        let Ok(bytes) = fs::read(place.file()) else {
            return Ok(());
        };
        if repo.blob_id(&bytes)?.to_string() != planted.blob {
            self.say(&format!("store:  {name} was edited since, so it stays\n"));
            return Ok(());
        }
        let git = if is_here {
            repo.git()
        } else {
            Git::in_folder(&root)
        };
        let tracked = git
            .args(["--literal-pathspecs", "ls-files", "-z", "--", &planted.path])
            .run();
        if !tracked.is_ok_and(|paths| paths.is_empty()) {
            self.say(&format!("store:  {name} is tracked by git, so it stays\n"));
            return Ok(());
        }
        let removed = self.word("removed", "would remove");
        if self.dry_run {
            self.say(&format!("store:  {removed} {name}\n"));
            return Ok(());
        }
        fs::remove_file(place.file()).map_err(|error| cannot_write(place.file(), &error, UNDO))?;
        for folder in planted.folders.iter().rev() {
            // Only where nothing else is in it.
            let _ = fs::remove_dir(root.join(folder));
        }
        self.say(&format!("store:  {removed} {name}\n"));
        Ok(())
    }
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
