use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::{Args, ValueHint};

use super::{CommandResult, Context, Failure, Outcome};
use crate::{
    entry::{ImportedFile, Ts, import_file, sha256_hex},
    project::{Import, no_commit},
    store::append,
    view::{Style, asides, count, entries, escape},
};

/// Import an original `rederive_log.jsonl` into the log
///
/// Each line becomes a note on the commit that it names or, if HEAD does not contain that, on the newest ancestor of
/// HEAD that is not newer than the line. Importing a file again adds nothing.
#[derive(Args)]
pub struct ImportArgs {
    /// The file to import
    #[arg(value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Skip invalid lines instead of refusing the whole file
    #[arg(long)]
    skip_bad: bool,
    /// Show what would be imported without writing anything
    #[arg(short = 'n', long)]
    dry_run: bool,
}

const NAMED: usize = 20;

impl ImportArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let repo = context.open()?;
        let tip = repo.head()?.commit.ok_or_else(no_commit)?;
        let path = escape(&self.file.display().to_string());
        let (bytes, lines) = read_original(&self.file, context, self.skip_bad)?;
        let import = Import::plan(&repo, tip, &bytes, lines, &Ts::from(context.now))?;
        if !self.dry_run && !import.additions.is_empty() {
            append(&repo, &import.additions, "Notes added by 'git sq import'")?;
        }
        let verb = if self.dry_run { "Would import" } else { "Imported" };
        let figures = [
            (import.known, "already in the log"),
            (
                import.elsewhere,
                "with a commit that is not in this history; attached to the newest earlier one",
            ),
            (import.other_kinds, "of other kinds, skipped"),
            (import.bad, "invalid, skipped"),
            (import.stripped, "with reserved keys, which were left out"),
        ];
        let figures = figures.iter().filter(|(number, _)| *number > 0);
        let figures: String =
            figures.map(|(number, what)| format!("  {number} {what}\n")).collect();
        let done = format!("{verb} {} of {path}.\n", entries(import.additions.len()));
        context.print(&(done + &figures));
        if !self.dry_run {
            context.note(&asides(&import.leaks, &[], Style::default()));
        }
        Ok(Outcome::Clean)
    }
}

fn read_original(
    file: &Path,
    context: &Context,
    skip_bad: bool,
) -> Result<(Vec<u8>, ImportedFile), Failure> {
    let path = escape(&file.display().to_string());
    let bytes = fs::read(file).map_err(|error| {
        Failure::refused(
            format!("could not read {path}: {error}"),
            "give the path of an original rederive_log.jsonl",
        )
    })?;
    let lines = import_file(&bytes, &sha256_hex(&bytes), &Ts::from(context.now));
    if lines.bad.is_empty() || skip_bad {
        return Ok((bytes, lines));
    }
    let mut reasons: Vec<String> =
        lines.bad.iter().take(NAMED).map(|why| format!("{path}: {why}")).collect();
    if let more @ 1.. = lines.bad.len() - reasons.len() {
        let more = count(more, "invalid line");
        reasons.push(format!("{path}: and {more} more"));
    }
    let help = "fix these lines; `git sq import --skip-bad` leaves them out";
    Err(Failure::refused_for(reasons, help))
}
