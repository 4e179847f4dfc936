use std::{env, path::PathBuf};

use clap::Args;
use serde_json::Value;

use super::{
    CommandResult, Context, Failure, Outcome,
    gate::{self, GateFormat, check, show},
    writing::write_moves,
};
use crate::{
    ci::{self, Base, System},
    file,
    git::{Repo, Talk},
    project::{Carry, Measure, Ready, ToCarry, Wanted, carry},
    store::sync,
    view::{Ci, Gated as _, Output as _, Style, Verification, review_markdown},
};

/// Fetch the log, check it, and verify a sample: the gate for CI
///
/// For a checkout that is thrown away. Fetches the log and what a shallow clone lacks, takes questions and limits from
/// the target branch that the environment names, checks, and verifies the answers since there and a sample of the
/// earlier ones, drawn by HEAD and the number of the run. On the default branch it first carries the entries of what
/// was pushed, and publishes them where it may. Knows GitHub, GitLab, Forgejo, Gitea, Jenkins and Buildkite. Exits with
/// 1 if there is an error or the log contradicts the repository, and with 3 if neither and something could not be
/// determined.
#[derive(Args)]
pub struct CiArgs {
    /// Take questions and limits from this commit, whatever the environment says
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// Verify N of the earlier answers
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    sample: u32,
    /// Output format; defaults to that of the GitHub or GitLab that runs this, else text
    #[arg(long, value_name = "FORMAT")]
    format: Option<GateFormat>,
}

impl CiArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let run = surroundings();
        let repo = context.open()?.or_known_as("git sq ci", "ci@git-sq.invalid")?;
        let base = self.base.clone().map(Base::Commit).or(run.base);
        let mut ready = Ready::make(&repo, base.as_ref(), run.default)?;
        if base.is_none() && run.system.is_some() && !run.is_default_branch {
            ready.unknown.push("no base branch known: pass --base origin/main".into());
        }
        let (carry, unpublished) =
            if run.is_default_branch { carried(context, &repo, &ready)? } else { (None, None) };
        let mut project = context.project(None)?;
        if let Some((_, commit)) = &ready.base {
            let default = match run.system {
                Some(_) => ready.default,
                None => repo.default_branch(None)?.map(|(_, tip)| tip),
            };
            project = project.with_base(*commit, default)?;
        }
        let check = check(context, &project, &Measure::default())?;
        let nonce = run.nonce.unwrap_or_else(|| context.now.to_string());
        let base = ready.base.as_ref().map(|(_, commit)| *commit);
        let seed = format!("{} {nonce}", project.tip);
        let wanted = Wanted {
            base,
            sample: Some((self.sample as usize, seed.clone())),
            no_commands: true,
            ..Wanted::default()
        };
        let verified = project.verify(&wanted, &|_| (), &|_, _| ())?;
        let mut verify = Verification::from(verified.unwrap_or_default());
        verify.store.clone_from(&check.store);
        let report = Ci {
            system: run.system,
            base: ready.base.map(|(name, _)| name),
            carry,
            unpublished,
            check,
            verify,
            seed,
            unknown: ready.unknown,
            ok: false,
        };
        let report = report.judged();
        match base {
            Some(base) if self.format == Some(GateFormat::Markdown) => {
                let review = project.review(base, &report.check.questions)?;
                context
                    .print(&review_markdown(&review, &report.gate().verdict.replace('\n', ", ")));
            }
            _ => self.print(context, &repo, &report),
        }
        Ok(outcome(&report))
    }

    /// Output for programs goes to standard output, and then output for people to standard error.
    fn print(&self, context: &Context, repo: &Repo, report: &Ci) {
        let format = self.format.unwrap_or(match report.system {
            Some(System::Github) => GateFormat::Github,
            Some(System::Gitlab) => GateFormat::Gitlab,
            _ => GateFormat::Text,
        });
        show(context, repo, report, format);
        if format.is_document() {
            context.note(&report.text(Style::default()));
        }
    }
}

fn outcome(report: &Ci) -> Outcome {
    if gate::outcome(&report.check) == Outcome::Findings || report.verify.fails > 0 {
        Outcome::Findings
    } else if report.ok {
        Outcome::Clean
    } else {
        Outcome::Unknown
    }
}

/// Carries the entries of what was pushed to the default branch; gives the reason if they could not be published.
fn carried(
    context: &Context,
    repo: &Repo,
    ready: &Ready,
) -> Result<(Option<Carry>, Option<String>), Failure> {
    let (Some((_, base)), Some(remote)) = (&ready.base, &ready.log) else {
        return Ok((None, None));
    };
    let merged = format!("{base}..HEAD");
    let wanted = ToCarry { merged: Some(&merged), ..ToCarry::default() };
    let carry = carry(repo, &wanted, |tip, moves| write_moves(context, repo, None, tip, moves))?;
    let talk = Talk { timeout: None, may_ask: false };
    let published = if carry.carried.is_empty() { None } else { sync(repo, remote, talk).err() };
    Ok((Some(carry), published.map(|error| error.to_string())))
}

fn surroundings() -> ci::Run {
    let text = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty());
    let event = text("GITHUB_EVENT_PATH").map(PathBuf::from).and_then(|path| {
        let (folder, name) = (path.parent()?, path.file_name()?);
        // The runner's own file describes the whole push or pull request, so it may be long.
        let bytes = file::read(folder, name.as_ref(), 32 * file::MOST).ok()?;
        serde_json::from_slice(&bytes).ok()
    });
    ci::run(text, &event.unwrap_or(Value::Null))
}
