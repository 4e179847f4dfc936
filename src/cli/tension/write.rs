use clap::Args;

use crate::cli::{PrintArgs, complete};

/// The options of a command that writes about a tension.
#[derive(Args)]
pub struct WriteArgs {
    /// Evidence: `path:line`, `path:from-to` or an entry's id; may be repeated
    #[arg(long, value_name = "CITATION")]
    pub cite: Vec<String>,
    /// The session; defaults to `SQ_SESSION`, the agent's own variable, the current session, or a new one
    #[arg(long, value_name = "SID", add = complete::sessions())]
    pub sid: Option<String>,
    #[command(flatten)]
    pub print: PrintArgs,
}
