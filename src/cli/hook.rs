//! `git sq hook`: what git's hooks call. It never stops what the user is doing.

mod pre_push;

use clap::{Args, Subcommand};

use super::Context;

/// What git's hooks call; `git sq init` sets them. The exit code is 0, come what may
#[derive(Args)]
pub struct HookArgs {
    #[command(subcommand)]
    hook: Hook,
}

#[derive(Subcommand)]
enum Hook {
    PrePush(pre_push::PrePushArgs),
}

impl HookArgs {
    /// Acts, and says on standard error what the user should know; nothing is a failure here.
    pub fn run(&self, context: &Context) {
        match &self.hook {
            Hook::PrePush(args) => args.run(context),
        }
    }
}
