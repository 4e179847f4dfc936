use std::{env, path::Path};

use clap::Args;

use super::{CommandResult, Context, Failure, Outcome, gate::check};
use crate::{
    entry::{Event, Line},
    git::{Git, Oid, Repo},
    project::{Measure, Project},
    setup::{DEMO_EXPLANATION, DEMO_HISTORY, DEMO_LOG},
    store::append,
    view::Output,
};

/// Create a sample repository with seven sessions, check it, and explain the result
///
/// It is in a temporary folder, and stays: look around in it, then delete it.
#[derive(Args)]
pub struct DemoArgs {}

impl DemoArgs {
    #[expect(clippy::unused_self, reason = "commands run alike")]
    pub fn run(&self, context: &Context) -> CommandResult {
        let folder = tempfile::Builder::new()
            .prefix("git-sq-demo-")
            .tempdir_in(env::temp_dir())
            .map_err(|error| {
                Failure::refused(
                    format!("could not create a temporary directory: {error}"),
                    "set TMPDIR to a writable directory",
                )
            })?
            .keep();
        let git = || Git::in_folder(&folder);
        git().args(["init", "--quiet", "--object-format=sha1", "--initial-branch=main"]).run()?;
        for (key, value) in [
            ("user.name", "Ada Example"),
            ("user.email", "ada@example.org"),
            ("core.autocrlf", "false"),
            ("notes.displayRef", "refs/notes/sq*"),
        ] {
            git().args(["config", key, value]).run()?;
        }
        git().args(["fast-import", "--quiet"]).run_with_input(DEMO_HISTORY.as_bytes())?;
        git().args(["reset", "--quiet", "--hard", "main"]).run()?;
        write_sessions(&folder)?;

        let project = Project::open(Repo::open_exactly(&folder)?, None, false)?;
        let check = check(context, &project, &Measure::default())?;
        let style = context.style(None);
        context.print(&format!(
            "Created a sample project with six questions and seven sessions of an agent:\n  cd {}\n\n$ git sq check\n",
            folder.display()
        ));
        context.print(&check.text(style));
        context.print("\nThe questions\n");
        for question in &project.questions()?.set.questions {
            context.print(&style.wrap(&format!("  {}  {}", question.id, question.text), 0, 6));
            context.print("\n");
        }
        for text in DEMO_EXPLANATION.lines() {
            let indent = text.len() - text.trim_start_matches([' ', '-']).len();
            context.print(&(style.wrap(text, 0, indent.max(2)) + "\n"));
        }
        Ok(Outcome::Clean)
    }
}

fn write_sessions(folder: &Path) -> Result<(), Failure> {
    let repo = Repo::open_exactly(folder)?;
    let anchored = |text: &str| {
        let event = Event::parse(text.as_bytes()).ok()?;
        let anchor: Oid = event.envelope.repo_head_sha.parse().ok()?;
        Some((anchor, Line::raw(text.as_bytes())))
    };
    let lines: Option<Vec<_>> = DEMO_LOG.lines().map(anchored).collect();
    let lines = lines.ok_or_else(|| {
        Failure::refused("the sample in this program is broken", "please report it")
    })?;
    append(&repo, &lines, "Notes added by 'git sq demo'")?;
    Ok(())
}
