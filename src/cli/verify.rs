use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, PrintArgs, progress::Progress};
use crate::{
    project::{Measure, Project, Wanted},
    question::Question,
    report::{SecondList, Verification},
};

/// Derive recorded answers again, each at the commit of its entry
///
/// Nothing of the repository is executed, except for the commands that you approved, with `--run`. Exits with 1 if the
/// log contradicts the repository, and with 3 if it does not and something could not be verified.
#[derive(Args)]
pub struct VerifyArgs {
    /// Verify the entries that this commit contains, instead of those of HEAD
    #[arg(long, value_name = "REV")]
    tip: Option<String>,
    /// Verify entries since this date, as in `git log`
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// With --sample, verify all answers on commits that this one does not contain, and draw from the rest
    #[arg(long, value_name = "REV", requires = "sample")]
    base: Option<String>,
    /// Verify N answers, drawn by the seed
    #[arg(long, value_name = "N", requires = "seed", value_parser = clap::value_parser!(u32).range(1..))]
    sample: Option<u32>,
    /// The seed of the draw, such as a number that was not known when the answers were recorded
    #[arg(long, value_name = "SEED", requires = "sample")]
    seed: Option<String>,
    /// List the answers that wait for a second look, and those that several sessions found wrong
    #[arg(long, conflicts_with_all = ["since", "entry"])]
    second: bool,
    /// Verify this entry only
    #[arg(long, value_name = "ID")]
    entry: Option<String>,
    /// Run approved commands again, each in a temporary worktree of the commit
    #[arg(long)]
    run: bool,
    #[command(flatten)]
    print: PrintArgs,
}

impl VerifyArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(self.tip.as_deref())?;
        if self.second {
            return self.second(context, &project);
        }
        let since = self.since.as_deref().map(|text| project.repo.date(text));
        let sample = self.sample.zip(self.seed.clone());
        let base = self.base.as_deref().map(|base| project.repo.commit(base));
        let wanted = Wanted {
            base: base.transpose()?,
            since: since.transpose()?,
            entry: self.entry.clone(),
            sample: sample.map(|(number, seed)| (number as usize, seed)),
            runs: self.run,
            no_commands: false,
        };
        let progress = Progress::new("Verifying");
        let announce = |question: &Question| {
            progress.clear();
            context.announce(question);
        };
        let tell = |done, of| progress.tell(done, of);
        let verified = project.verify(&wanted, &announce, &tell)?.ok_or_else(|| {
            let id = wanted.entry.as_deref().unwrap_or_default();
            Failure::refused(
                format!("{} contains no entry {id:?} with answers", project.place()),
                "`git sq log --format json` shows the entries with their ids",
            )
        })?;
        drop(progress);
        let mut verification = Verification::from(verified);
        context.show(&project.repo, &verification, self.print.format);
        let untold = (verification.cant_tell > 0).then(String::new);
        verification.unknown.extend(untold);
        Ok(Outcome::of(verification.fails > 0, &verification.unknown))
    }

    fn second(&self, context: &Context, project: &Project) -> CommandResult {
        let survey = project.snapshot(&Measure::default())?.survey;
        let sample = self.sample.zip(self.seed.as_deref());
        let sample = sample.map(|(number, seed)| (number as usize, seed));
        let list = SecondList::new(survey.second, sample, survey.unknown);
        context.show(&project.repo, &list, self.print.format);
        Ok(Outcome::of(!list.wrong.is_empty(), &list.unknown))
    }
}
