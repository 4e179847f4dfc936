//! `git sq hook`: what git's hooks call.

mod post_rewrite;

use clap::{Args, Subcommand};

use super::{Context, Outcome};

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
    pub fn run(&self, context: &Context) -> Outcome {
        match &self.hook {
            Hook::PostRewrite(_) => post_rewrite::PostRewriteArgs::run(context),
        }
    }
}
