//! The options that `git sq tension open` and `close` have in common.

use clap::Args;

use crate::cli::{PrintArgs, complete};

/// The options of a command that writes about a tension.
#[derive(Args)]
pub struct WriteArgs {
    /// What it rests on: `path:line`, `path:from-to` or an entry's id; may be given again
    #[arg(long, value_name = "CITATION")]
    pub cite: Vec<String>,
    /// The session; otherwise `SQ_SESSION`, the agent's own variable, the current one, a new one
    #[arg(long, value_name = "SID", add = complete::sessions())]
    pub sid: Option<String>,
    #[command(flatten)]
    pub print: PrintArgs,
}
