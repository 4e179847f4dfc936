//! The user's pager, chosen by git.

use std::{
    io::{self, Write},
    process::{Command, Stdio},
};

use super::Repo;

/// A pager that git would use.
pub struct Pager {
    command: String,
}

impl Pager {
    /// The pager for this repository; `None` if the user wants none.
    pub fn of(repo: &Repo) -> Option<Self> {
        // With any other value of `pager.sq`, git itself has started the pager already.
        if let Some(value) = repo.config_string("pager.sq")
            && matches!(
                value.to_ascii_lowercase().as_str(),
                "false" | "no" | "off" | "0"
            )
        {
            return None;
        }
        let chosen = repo.git().args(["var", "GIT_PAGER"]).run().ok()?;
        let command = String::from_utf8(chosen).ok()?.trim().to_owned();
        (!command.is_empty() && command != "cat").then_some(Self { command })
    }

    /// Shows texts, which are asked for as long as the pager takes them, and waits until they were read.
    ///
    /// # Errors
    /// When the pager can't be started.
    pub fn show(&self, texts: &mut dyn Iterator<Item = String>) -> io::Result<()> {
        let mut command = Command::new("sh");
        command.args(["-c", &self.command]).stdin(Stdio::piped());
        // What git sets for its pagers, unless the user set something else.
        for (variable, value) in [("LESS", "FRX"), ("LV", "-c")] {
            if std::env::var_os(variable).is_none() {
                command.env(variable, value);
            }
        }
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            for text in texts {
                // A pager that is left early closes the pipe.
                if stdin.write_all(text.as_bytes()).is_err() {
                    break;
                }
            }
        }
        match child.wait()?.code() {
            // The shell's codes for a program that it could not start.
            Some(126 | 127) => Err(io::ErrorKind::NotFound.into()),
            _ => Ok(()),
        }
    }
}
