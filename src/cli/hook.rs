//! `git sq hook`: the entry point of git's hooks and coding agents' hooks. It never stops what the user is doing.

mod agent;
mod input;
mod post_rewrite;
mod pre_push;

use clap::{Args, Subcommand};

use super::{CommandResult, Context, Outcome};
use crate::{process, store::share::serve};

/// Called by the git hooks that `git sq init` sets, and by coding agents' hooks. Always exits with 0
#[derive(Args)]
pub struct HookArgs {
    #[command(subcommand)]
    hook: Hook,
}

#[derive(Subcommand)]
enum Hook {
    PrePush(pre_push::PrePushArgs),
    PostRewrite(post_rewrite::PostRewriteArgs),
    #[command(flatten)]
    Agent(agent::Event),
    /// Publish what was requested, in a process of its own
    Publish,
}

impl HookArgs {
    #[expect(clippy::unnecessary_wraps, reason = "commands run alike")]
    pub fn run(&self, context: &Context) -> CommandResult {
        match &self.hook {
            Hook::PrePush(args) => args.run(context),
            Hook::PostRewrite(args) => args.run(context),
            Hook::Agent(event) => event.run(context),
            Hook::Publish => {
                process::close_inherited();
                if let Ok(repo) = context.open() {
                    serve(&repo);
                }
            }
        }
        // An error of printing must not fail the hook either.
        let _ = context.printed();
        Ok(Outcome::Clean)
    }
}
