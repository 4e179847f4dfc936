use std::{
    fs,
    io::{self, Read as _},
    path::PathBuf,
};

use clap::Args;

use super::{
    CommandResult, Context, Failure, Outcome, complete,
    gate::{GateFormat, show},
    output::write,
    progress::Progress,
};
use crate::{
    project::{Measure, Project, Wanted},
    proof::{Checkpoint, LogFacts, prove},
    question::Question,
    view::{SecondList, Subject, Verification, fence},
};

/// Verify the log, and derive recorded answers again
///
/// Each proof of the log says what it looked at, what holds or fails, and what it cannot show. Answers are derived
/// again at the commit of their entry. Nothing of the repository is executed, except approved commands, with `--run`.
/// Exits with 1 if something fails, and with 3 if nothing does but an answer, a note or, with --signers, a signature
/// could not be verified.
#[derive(Args)]
pub struct VerifyArgs {
    /// Verify the entries that this commit contains, instead of those of HEAD
    #[arg(long, value_name = "REV", add = complete::revisions())]
    tip: Option<String>,
    /// Verify entries since this date, as in `git log`
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// With --sample, verify all answers on commits that this one does not contain, and draw from the rest
    #[arg(long, value_name = "REV", add = complete::revisions(), requires = "sample")]
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
    /// Verify the log only
    #[arg(long, conflicts_with_all = ["answers", "since", "sample", "second", "entry", "run"])]
    log: bool,
    /// Verify the answers only; so do the options that select answers
    #[arg(long)]
    answers: bool,
    /// Check the log against a checkpoint that was written earlier
    #[arg(long, value_name = "FILE", conflicts_with_all = ["answers", "since", "sample", "second", "entry"])]
    checkpoint: Option<PathBuf>,
    /// Write the number of lines and their Merkle root, to keep or sign, as C2SP's tlog-checkpoint
    #[arg(long, value_name = "FILE", conflicts_with_all = ["answers", "since", "sample", "second", "entry"])]
    checkpoint_out: Option<PathBuf>,
    /// Write what holds as an in-toto statement with a Simple Verification Result, to sign
    #[arg(long, value_name = "FILE", conflicts_with_all = ["answers", "since", "sample", "second", "entry"])]
    attest: Option<PathBuf>,
    /// The keys that may sign the log, in the format of `gpg.ssh.allowedSignersFile`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["answers", "since", "sample", "second", "entry"])]
    signers: Option<PathBuf>,
    /// Output format; markdown is for pull requests, the last four are for CI systems
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: GateFormat,
}

impl VerifyArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project_noted(self.tip.as_deref())?;
        project.repo.require_log_refs()?;
        if self.second {
            return self.second(context, &project);
        }
        let selects = self.since.is_some() || self.sample.is_some() || self.entry.is_some();
        let facts = if self.answers || selects {
            None
        } else {
            let checkpoint = self.checkpoint.as_ref().map(read_checkpoint).transpose()?;
            if let Some(signers) = &self.signers {
                read(signers)?;
            }
            Some(project.log_facts(checkpoint, self.signers.as_ref())?)
        };
        let mut verification =
            if self.log { Verification::default() } else { self.answers(context, &project)? };
        verification.proofs = facts.as_ref().map(prove).unwrap_or_default();
        verification.has_signers = self.signers.is_some();
        verification.store = project.question_places();
        if facts.as_ref().is_some_and(|facts| facts.logs.is_empty()) {
            let remotes = project.repo.remotes();
            let why = match remotes.iter().find(|remote| remote.shares_log) {
                Some(remote) => format!("no log is here, and none came from {}", remote.name),
                None if remotes.is_empty() => "no log is here, and no remote has one".to_owned(),
                None => "no log is here: run `git sq init --no-hooks` and `git fetch`".to_owned(),
            };
            verification.unknown.push(why);
        }
        if let (Some(file), Some(facts)) = (&self.checkpoint_out, &facts) {
            write(context, file, &checkpoint(facts, verification.has_failed())?)?;
        }
        if let (Some(file), Some(facts)) = (&self.attest, &facts) {
            let store = project.questions_if_any();
            let subject = Subject {
                tip: project.tip,
                store: store.map(|store| (store.path.as_str(), store.blob)),
                now: context.now,
            };
            let statement = verification.attestation(facts, &subject);
            write(context, file, &format!("{statement:#}\n"))?;
        }
        show(context, &project.repo, &verification, self.format);
        let lacks_stores = facts.is_some_and(|facts| !facts.store_unknown.is_empty());
        let is_untold = verification.cant_tell > 0 || verification.is_unproved() || lacks_stores;
        verification.unknown.extend(is_untold.then(String::new));
        Ok(Outcome::of(verification.has_failed(), &verification.unknown))
    }

    fn answers(&self, context: &Context, project: &Project) -> Result<Verification, Failure> {
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
        Ok(Verification::from(verified))
    }

    fn second(&self, context: &Context, project: &Project) -> CommandResult {
        if !matches!(self.format, GateFormat::Text | GateFormat::Json | GateFormat::Markdown) {
            return Err(Failure::refused(
                "--second is printed as text, markdown or json",
                "nothing was printed; reports for a CI are those without --second",
            ));
        }
        let survey = project.snapshot(&Measure::default())?.survey;
        let sample =
            self.sample.zip(self.seed.as_deref()).map(|(number, seed)| (number as usize, seed));
        let list = SecondList::new(survey.second, sample, survey.unknown);
        let text = context.render(&project.repo, &list, self.format.plain());
        context.print(&if self.format == GateFormat::Markdown {
            fence(text.lines())
        } else {
            text
        });
        Ok(Outcome::of(list.wrong.iter().any(|wrong| !wrong.closed), &list.unknown))
    }
}

/// In bytes; a checkpoint has three lines, and a signers file a line for each key.
const MOST: u64 = 1 << 20;

fn read(file: &PathBuf) -> Result<String, Failure> {
    let read = || {
        let mut text = String::new();
        fs::File::open(file)?.take(MOST).read_to_string(&mut text)?;
        Ok(text)
    };
    read().map_err(|error: io::Error| {
        let help = "give the path of a file that you can read";
        Failure::refused(format!("could not read {}: {error}", file.display()), help)
    })
}

fn read_checkpoint(file: &PathBuf) -> Result<Checkpoint, Failure> {
    Checkpoint::parse(&read(file)?).ok_or_else(|| {
        Failure::refused(
            format!("{} is not a checkpoint of git sq", file.display()),
            "`git sq verify --checkpoint-out FILE` writes one",
        )
    })
}

fn checkpoint(facts: &LogFacts, has_failed: bool) -> Result<String, Failure> {
    let refuse = |why: String| Err(Failure::refused(why, "no checkpoint was written"));
    match facts.logs.as_slice() {
        _ if has_failed => refuse("the log fails a proof: `git sq verify --log`".to_owned()),
        [log] if log.is_cut => refuse("the history of the log is cut off".to_owned()),
        [log] => match Checkpoint::of(log) {
            Some(checkpoint) => Ok(checkpoint.to_string()),
            None => refuse("the log has no line".to_owned()),
        },
        logs => refuse(format!("a checkpoint is of one log, and here are {}", logs.len())),
    }
}
