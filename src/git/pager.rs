//! The user's pager, editor and browser, as git starts them.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use super::{Error, Repo, Result};
use crate::process::run_in_front;

pub struct Pager {
    command: String,
}

impl Pager {
    /// The pager for this repository; `None` if the user disabled it.
    pub fn of(repo: &Repo) -> Option<Self> {
        // For any other value of `pager.sq`, git itself has already started the pager.
        if let Some(value) = repo.config_string("pager.sq")
            && matches!(value.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0")
        {
            return None;
        }
        let chosen = repo.git().args(["var", "GIT_PAGER"]).run().ok()?;
        let command = String::from_utf8(chosen).ok()?.trim().to_owned();
        (!command.is_empty() && command != "cat").then_some(Self { command })
    }

    /// Writes texts to the pager until it closes, and waits for it to end. Gives false if there is no shell to start it,
    /// and no text was taken.
    pub fn show(&self, texts: &mut dyn Iterator<Item = String>) -> Result<bool> {
        let mut command = Command::new("sh");
        command.args(["-c", &self.command]).stdin(Stdio::piped());
        // Git's own defaults, unless the user set these variables.
        for (variable, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if std::env::var_os(variable).is_none() {
                command.env(variable, value);
            }
        }
        let Ok(mut child) = command.spawn() else {
            return Ok(false);
        };
        if let Some(mut stdin) = child.stdin.take() {
            for text in texts {
                // A pager that the user quits closes the pipe.
                if stdin.write_all(text.as_bytes()).is_err() {
                    break;
                }
            }
        }
        let ended = child.wait();
        // The shell's exit codes for a program that can't be started; it took texts that nobody saw.
        if ended.is_ok_and(|ended| matches!(ended.code(), Some(126 | 127))) {
            let message = format!("the pager '{}' could not be started", self.command);
            let help = "`git var GIT_PAGER` says which one is used; `--no-pager` does without";
            return Err(Error::refused(message, help));
        }
        Ok(true)
    }
}

impl Repo {
    /// Opens a file in the user's editor, as git does for commit messages, and waits until it is closed.
    pub fn edit(&self, file: &Path) -> Result<()> {
        let chosen = self.git().args(["var", "GIT_EDITOR"]).run().map_err(|_| {
            let message = "the terminal is dumb, and no editor is set";
            Error::refused(message, "set EDITOR; without one, see `git sq record -h`")
        })?;
        let editor = String::from_utf8_lossy(&chosen).trim().to_owned();
        let mut command = Command::new("sh");
        // An editor may go on after Ctrl-C, so its shell and this program do.
        command.args(["-c", &format!("trap : INT; {editor} \"$@\""), &editor]).arg(file);
        match run_in_front(command) {
            Ok(status) if status.success() => Ok(()),
            _ => {
                let message = format!("there was a problem with the editor '{editor}'");
                let help = "`git var GIT_EDITOR` says which one is used; without one, see `git sq record -h`";
                Err(Error::refused(message, help))
            }
        }
    }
    /// Opens a file in the user's browser, as `git help --web` does.
    pub fn browse(&self, file: &Path) -> Result<()> {
        let mut command = Command::new("git");
        command.args(["--no-pager", "web--browse", "--"]).arg(file);
        command.env("GIT_DIR", self.git_dir());
        match command.status() {
            Ok(status) if status.success() => Ok(()),
            _ => Err(Error::refused(
                "git could not open a browser",
                "`git config web.browser` says which one is used; see `git help web--browse`",
            )),
        }
    }
}
