//! `git sq hook`: what git's hooks call.

mod post_rewrite;

use clap::{Args, Subcommand};

use super::{CommandResult, Context};

/// What git's hooks call
#[derive(Args)]
pub struct HookArgs {
    #[command(subcommand)]
    hook: Hook,
}

#[derive(Subcommand)]
enum Hook {
    PostRewrite(post_rewrite::PostRewriteArgs),
}

impl HookArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        match &self.hook {
            Hook::PostRewrite(_) => Ok(post_rewrite::PostRewriteArgs::run(context)),
        }
    }
}
