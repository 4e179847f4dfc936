use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use clap::{Args, ValueEnum};
use serde::Deserialize;

use super::{
    CommandResult, Context, Failure, Outcome, context::text, output::OutputArgs,
    progress::Progress, stats::MetricsArgs,
};
use crate::{
    project::{Fleet, FleetRow, FleetState, repositories},
    view::{Output as _, json, page::fleet_page},
};

/// Show which of many repositories need attention
///
/// Reads worktrees and bare mirrors as they are on this machine, and fetches nothing. Those with errors come first,
/// then those with wrong facts, changes, no setup, or that could not be read. Exits with 1 if any has an error, and
/// with 3 if none has but something could not be read or determined.
#[derive(Args)]
pub struct FleetArgs {
    /// The root of a worktree, a bare repository, or a folder with repositories, up to three levels below
    #[arg(required_unless_present = "file")]
    path: Vec<PathBuf>,
    /// Read more paths from this file, one a line; `-` is standard input
    #[arg(long, value_name = "LIST")]
    file: Option<PathBuf>,
    /// Show what changed since an earlier output of `--format json`
    #[arg(long, value_name = "FILE")]
    since: Option<PathBuf>,
    /// Output format; defaults to html with `-o`, else text. Markdown is meant for an issue, openmetrics for Prometheus
    #[arg(long, value_name = "FORMAT")]
    format: Option<FleetFormat>,
    #[command(flatten)]
    metrics: MetricsArgs,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FleetFormat {
    Text,
    Json,
    Markdown,
    Html,
    Openmetrics,
}

/// An earlier output of `--format json`.
#[derive(Deserialize)]
struct Earlier {
    schema: String,
    repositories: Vec<FleetRow>,
}

impl FleetArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        if let Some(variable) =
            ["GIT_DIR", "GIT_WORK_TREE"].into_iter().find(|name| text(name).is_some())
        {
            return Err(Failure::refused(
                format!("{variable} names one repository, and a fleet has many"),
                format!("unset {variable} and run the command again"),
            ));
        }
        if self.format != Some(FleetFormat::Openmetrics) {
            self.metrics.refuse()?;
        }
        let mut paths = self.paths(context)?;
        let earlier = self.since.as_deref().map(|file| earlier(&context.dir, file)).transpose()?;
        // What went from a folder since then is said once.
        let known = earlier.iter().flatten().filter(|row| row.state != FleetState::Unknown);
        for path in known.map(|row| PathBuf::from(&row.path)) {
            let is_below = self.path.iter().any(|folder| path.starts_with(folder));
            if is_below && !paths.contains(&path) {
                paths.push(path);
            }
        }
        let fleet = Progress::over("Reading", |tell| {
            Fleet::read(&paths, earlier.as_deref(), (context.now, context.cache), tell)
        });
        let default = match self.output.output {
            Some(_) => FleetFormat::Html,
            None => FleetFormat::Text,
        };
        let text = match self.format.unwrap_or(default) {
            FleetFormat::Text => fleet.text(self.output.style(context, None)),
            FleetFormat::Json => json(Fleet::SCHEMA, &fleet),
            FleetFormat::Markdown => fleet.markdown(),
            FleetFormat::Html => fleet_page(&fleet),
            FleetFormat::Openmetrics => fleet.openmetrics(self.metrics.by_question),
        };
        self.output.write(context, &text)?;
        Ok(if fleet.has(FleetState::NeedsHelp) {
            Outcome::Findings
        } else if fleet.has(FleetState::Unknown) {
            Outcome::Unknown
        } else {
            Outcome::Clean
        })
    }

    /// Each path once.
    fn paths(&self, context: &Context) -> Result<Vec<PathBuf>, Failure> {
        let mut list = String::new();
        match &self.file {
            Some(file) if *file == Path::new("-") => {
                io::stdin().read_to_string(&mut list).map_err(|error| unread(file, &error))?;
            }
            Some(file) => {
                let read = fs::read_to_string(context.dir.join(file));
                list = read.map_err(|error| unread(file, &error))?;
            }
            None => {}
        }
        let lines = list.lines().filter(|line| !line.trim().is_empty());
        Ok(repositories(self.path.iter().cloned().chain(lines.map(PathBuf::from))))
    }
}

fn earlier(dir: &Path, file: &Path) -> Result<Vec<FleetRow>, Failure> {
    let text = fs::read(dir.join(file)).map_err(|error| unread(file, &error))?;
    let read = serde_json::from_slice::<Earlier>(&text).map_err(|error| unread(file, &error))?;
    if read.schema == Fleet::SCHEMA {
        Ok(read.repositories)
    } else {
        Err(unread(file, &format!("{:?} is not {}", read.schema, Fleet::SCHEMA)))
    }
}

fn unread(file: &Path, why: &dyn std::fmt::Display) -> Failure {
    Failure::refused(format!("could not read {}: {why}", file.display()), "nothing was read")
}
