use std::path::Path;

use clap::{Args, ValueEnum as _};

use super::{
    CommandResult, Context, Failure, Outcome, PrintArgs,
    install::{note_unless_on_path, places, without_hook},
};
use crate::{
    harness::Harness,
    setup::agent::{self, AgentStatus, Places, Plan, Scope},
    view::{escape, plan_text},
};

commands! {
    /// Set coding agents up to call `git sq`
    ///
    /// The agent then gets the brief when a session starts, may run `git sq`, and its sessions carry the harness's own
    /// ids.
    pub AgentCommand:
    Install(InstallArgs),
    Status(StatusArgs),
    Remove(RemoveArgs),
}

/// Add hooks, the skill and permissions to the agents' own settings
///
/// Shows which files would change, and asks on a terminal. Other settings and comments stay as they are. To update,
/// run it again.
#[derive(Args)]
pub struct InstallArgs {
    /// The agents; defaults to those that are found here
    #[arg(value_name = "AGENT")]
    agents: Vec<Harness>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Do not let the agents run `git sq` without asking
    #[arg(long)]
    no_allow: bool,
    #[command(flatten)]
    writing: WritingArgs,
}

/// Show which agents are found, what is installed for them, and what is wrong with it
#[derive(Args)]
pub struct StatusArgs {
    #[command(flatten)]
    print: PrintArgs,
}

/// Remove what `install` added
///
/// The rest of the files stays as it is. Files that this clone did not make, or that were changed since, are not
/// deleted.
#[derive(Args)]
pub struct RemoveArgs {
    /// The agents; defaults to all
    #[arg(value_name = "AGENT")]
    agents: Vec<Harness>,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    writing: WritingArgs,
}

#[derive(Args)]
#[group(multiple = false)]
struct ScopeArgs {
    /// In tracked files, for everyone who works on this repository (default)
    #[arg(long)]
    project: bool,
    /// In this worktree, only for you (claude)
    #[arg(long)]
    local: bool,
    /// For you, in all repositories
    #[arg(long)]
    user: bool,
}

#[derive(Args)]
struct WritingArgs {
    /// Show what would change without changing it
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
}

impl ScopeArgs {
    fn chosen(&self) -> Scope {
        match (self.local, self.user) {
            (true, _) => Scope::Local,
            (_, true) => Scope::User,
            _ => Scope::Project,
        }
    }

    /// All scopes of the worktree by default.
    fn removed(&self) -> Vec<Scope> {
        if self.project || self.local || self.user {
            vec![self.chosen()]
        } else {
            vec![Scope::Project, Scope::Local]
        }
    }
}

impl InstallArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let scope = self.scope.chosen();
        let places = places(context, scope == Scope::User)?;
        let agents =
            if self.agents.is_empty() { found(scope, &places)? } else { self.agents.clone() };
        let plan = agent::install(&agents, scope, !self.no_allow, &places)?;
        let lines = agent::registrations(&agents, scope, &places, true);
        if !self.writing.agrees(context, &plan, &lines)? {
            return Ok(outcome(&plan));
        }
        plan.write("git sq agent install")?;
        tell(context, &lines);
        if scope == Scope::Project && !plan.changes.is_empty() {
            context.print(&to_commit(context, &plan));
        }
        note_unless_on_path(context);
        Ok(outcome(&plan))
    }
}

impl StatusArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let places = places(context, true)?;
        let repo = context.open().ok();
        let status = AgentStatus::of(&places, &without_hook(context));
        context.show(repo.as_ref(), &status, self.print.format)
    }
}

impl RemoveArgs {
    fn run(&self, context: &Context) -> CommandResult {
        let scopes = self.scope.removed();
        let is_users = scopes == [Scope::User];
        let places = places(context, is_users)?;
        let agents = if self.agents.is_empty() { Harness::value_variants() } else { &self.agents };
        let lines = agent::registrations(agents, scopes[0], &places, false);
        let plan = agent::remove(agents, &scopes, &places)?;
        let agrees = self.writing.agrees(context, &plan, &lines)?;
        // Without a change, there may be something to forget.
        if !self.writing.dry_run && (agrees || plan.changes.is_empty()) {
            plan.write("git sq agent remove")?;
        }
        if agrees {
            tell(context, &lines);
        }
        Ok(outcome(&plan))
    }
}

impl WritingArgs {
    fn agrees(&self, context: &Context, plan: &Plan, lines: &[String]) -> Result<bool, Failure> {
        let repo = context.open().ok();
        context.print(&plan_text(plan, context.style(repo.as_ref())));
        for note in &plan.notes {
            context.note(&format!("note: {}\n", escape(note)));
        }
        if plan.changes.is_empty() {
            if lines.is_empty() {
                context.print("Nothing to do.\n");
            }
            return Ok(!lines.is_empty());
        }
        if self.dry_run {
            context.print("Nothing was changed (--dry-run).\n");
            return Ok(false);
        }
        if self.yes {
            return Ok(true);
        }
        if !context.is_interactive() {
            return Err(Failure::refused(
                "could not ask for confirmation: this is not a terminal",
                "nothing was written; use --yes to write this, or --dry-run to only show it",
            ));
        }
        if context
            .ask("Write this? [y/N] ")
            .is_some_and(|answer| matches!(&*answer, "y" | "Y" | "yes"))
        {
            return Ok(true);
        }
        context.print("Nothing was written.\n");
        Ok(false)
    }
}

fn outcome(plan: &Plan) -> Outcome {
    Outcome::of(plan.is_partial, &[])
}

fn to_commit(context: &Context, plan: &Plan) -> String {
    let paths: Vec<&Path> = plan.changes.iter().map(|change| &*change.shown).collect();
    let repo = context.open().ok();
    let ignored = repo.and_then(|repo| repo.ignored(&paths).ok()).unwrap_or_default();
    if ignored.len() == paths.len() {
        return "Git ignores these files: they are for this worktree alone.\n".into();
    }
    let names = escape(&ignored.join(", "));
    let but = Some(format!(" (git ignores {names})")).filter(|_| !ignored.is_empty());
    format!(
        "Commit these files{}: they are for everyone who works on this repository. Some agents ask once whether you trust them.\n",
        but.unwrap_or_default()
    )
}

fn tell(context: &Context, lines: &[String]) {
    if !lines.is_empty() {
        context.print("Run this yourself, because the agent's own program manages its plugins:\n");
    }
    for line in lines {
        context.print(&format!("  {}\n", escape(line)));
    }
}

fn found(scope: Scope, places: &Places) -> Result<Vec<Harness>, Failure> {
    let found: Vec<Harness> = Harness::value_variants()
        .iter()
        .copied()
        .filter(|harness| harness.is_found(places) && harness.plants(scope, places).is_ok())
        .collect();
    if found.is_empty() {
        return Err(Failure::refused(
            "no coding agent was found: neither a program on the PATH nor settings of one",
            "name it: `git sq agent install claude`",
        ));
    }
    Ok(found)
}
