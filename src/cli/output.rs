use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

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
        write(context, path, text)
    }
}

/// Replaces a file as a whole; a device or a pipe is written to, never replaced.
pub fn write(context: &Context, path: &Path, text: &str) -> Result<(), Failure> {
    let target = context.dir.join(path);
    let is_special = fs::metadata(&target).is_ok_and(|found| !found.is_file());
    let written = if is_special { fs::write(&target, text) } else { file::replace(&target, text) };
    written.map_err(|error| {
        let help = match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
                "free space or inodes on the disk, and run the command again"
            }
            _ => "check the name and the permissions of the folder",
        };
        Failure::refused(format!("could not write {}: {error}", path.display()), help)
    })
}
