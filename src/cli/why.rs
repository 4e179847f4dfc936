//! `git sq why`: what rests on a file.

use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, PrintArgs, log::unknown_texts};
use crate::{entry::Cited, project::Place, report::Why};

/// Show which questions, answers, states and tensions rest on a file or on a line of it
///
/// A question rests on what it watches and on what its probe reads; the latest answers, what sessions said was done, and
/// open tensions rest on the lines that they cite, wherever these stand now.
#[derive(Args)]
pub struct WhyArgs {
    /// A file or a folder; `src/lib.rs:12` or `src/lib.rs:12-20` is about lines
    #[arg(value_name = "PATH[:LINE]", value_hint = clap::ValueHint::AnyPath)]
    place: String,
    #[command(flatten)]
    print: PrintArgs,
}

impl WhyArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let (path, lines) = match Cited::parse(&self.place) {
            Some(Cited::Lines { path, lines }) => (path, Some(lines)),
            _ => (self.place.clone(), None),
        };
        let place = Place::from(&project.repo, &context.dir, &path, lines)?;
        let timeline = project.timeline()?;
        let rests = project.why(&timeline, &place, context.now)?;
        let is_cited = rests.iter().any(|one| one.cited.is_some());
        if !is_cited && !project.has(&place)? {
            return Err(Failure::refused(
                format!(
                    "HEAD has no {:?}, and nothing that was recorded cites it",
                    self.place
                ),
                "the path is looked for from the current folder, as in `git log -- PATH`",
            ));
        }
        let why = Why {
            path: place.path,
            lines: place.lines,
            rests,
            unknown: unknown_texts(&timeline),
            now: context.now,
        };
        context.show(&project.repo, &why, self.print.format);
        Ok(Outcome::of(false, &why.unknown))
    }
}
