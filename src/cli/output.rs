use std::{fs, path::PathBuf};

use clap::Args;

use super::{Context, Failure};
use crate::{file, git::Repo, view::Style};

/// The place of the output.
#[derive(Args)]
pub struct OutputArgs {
    /// Write to this file, which is replaced as a whole, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl OutputArgs {
    /// Without colours in a file.
    pub fn style(&self, context: &Context, repo: Option<&Repo>) -> Style {
        match self.output {
            Some(_) => Style::default(),
            None => context.style(repo),
        }
    }

    pub fn write(&self, context: &Context, text: &str) -> Result<(), Failure> {
        let Some(path) = &self.output else {
            context.print(text);
            return Ok(());
        };
        let target = context.dir.join(path);
        // A device or a pipe is written to, never replaced.
        let is_special = fs::metadata(&target).is_ok_and(|found| !found.is_file());
        let written =
            if is_special { fs::write(&target, text) } else { file::replace(&target, text) };
        written.map_err(|error| {
            let help = "check the name and the permissions of the folder";
            Failure::refused(format!("could not write {}: {error}", path.display()), help)
        })
    }
}
