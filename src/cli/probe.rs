use clap::Args;

use super::{
    CommandResult, Context, Failure, Outcome, PrintArgs, complete,
    given::{probed, require_built_in},
};
use crate::{
    evidence::Prober,
    git::{ErrorKind, Oid},
    project::Project,
    question::{Probe, Question},
    view::{ProbeAnswer, Probes},
};

/// Run the probes of questions, and show what they find
///
/// Records nothing. The questions are those of HEAD. A built-in probe reads the objects of one commit and executes
/// nothing. A command is run only if you approved it: in the worktree as it is, or, with `--at`, in a temporary
/// worktree of that commit.
#[derive(Args)]
pub struct ProbeArgs {
    /// Questions (q4 or q4@2), or a built-in probe in JSON
    #[arg(value_name = "QUESTION", required = true, add = complete::questions())]
    questions: Vec<String>,
    /// The commit to read; defaults to HEAD
    #[arg(long, value_name = "REV", add = complete::revisions())]
    at: Option<String>,
    #[command(flatten)]
    print: PrintArgs,
}

impl ProbeArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let project = context.project(None)?;
        let commit = self
            .at
            .as_deref()
            .map(|at| project.repo.commit(at))
            .transpose()?
            .unwrap_or(project.tip);
        let mut found = Probes { commit: commit.to_string(), ..Probes::default() };
        match self.questions.as_slice() {
            [json] if json.starts_with('{') => {
                let probe = Probe::read(json).map_err(|why| {
                    let help = r#"a probe is JSON, as in {"files": {"paths": ["src/"]}}"#;
                    Failure::refused(format!("invalid probe: {why}"), help)
                })?;
                require_built_in(&probe)?;
                let derived = Prober::new(&project.repo, commit).run(commit, &probe)?;
                found.answers.push(ProbeAnswer::new(None, derived));
            }
            names => self.ask(context, &project, names, commit, &mut found)?,
        }
        context.show(&project.repo, &found, self.print.format)?;
        Ok(Outcome::of(false, &found.unknown))
    }

    fn ask(
        &self,
        context: &Context,
        project: &Project,
        names: &[String],
        commit: Oid,
        found: &mut Probes,
    ) -> Result<(), Failure> {
        let store = project.questions()?;
        let questions = probed(&store.set, names, true)?;
        found.warnings.extend(store.warning());
        let here = Prober::new(&project.repo, commit);
        let announce = |question: &Question| context.announce(question);
        let commands = project.commands(&announce);
        for (question, probe) in questions {
            let derived = match probe {
                Probe::Run(_) if self.at.is_some() => commands.at(commit, question),
                Probe::Run(_) => commands.here(commit, question),
                _ => here.run(commit, probe),
            };
            match derived {
                Ok(derived) => found.answers.push(ProbeAnswer::new(Some(question), derived)),
                Err(error) if error.kind == ErrorKind::Interrupted => return Err(error.into()),
                Err(error) => {
                    let name = question.name();
                    found.unknown.push(format!("{name}: {error}"));
                }
            }
        }
        let ran = found.answers.iter().any(|answer| answer.derived.run.is_some());
        if ran && self.at.is_none() && project.repo.is_dirty()? {
            let dirty =
                "there are uncommitted changes: the answers of commands may not hold at HEAD";
            found.warnings.push(dirty.into());
        }
        Ok(())
    }
}
