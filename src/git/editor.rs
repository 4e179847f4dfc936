use std::{path::Path, process::Command};

use super::{Error, Repo, Result};

impl Repo {
    /// Opens a file in the user's editor, as git does for commit messages, and waits until it is closed.
    pub fn edit(&self, file: &Path) -> Result<()> {
        let chosen = self.git().args(["var", "GIT_EDITOR"]).run()?;
        let editor = String::from_utf8_lossy(&chosen).trim().to_owned();
        let ended = Command::new("sh")
            .args(["-c", &format!("{editor} \"$@\""), &editor])
            .arg(file)
            .status();
        match ended {
            Ok(status) if status.success() => Ok(()),
            _ => {
                let message = format!("there was a problem with the editor '{editor}'");
                let help = "`git config core.editor` says which one is used; without one, see `git sq record -h`";
                Err(Error::refused(message, help))
            }
        }
    }
}
