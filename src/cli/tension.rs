mod close;
mod log;
mod look;
mod open;

use clap::Args;

use super::{CommandResult, Context};

/// Keep tensions: questions that came up and were not followed up
///
/// Tensions of little curiosity expire after a while; if too many are open, those with the lowest scores overflow.
///
/// Without a command, lists open tensions.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct TensionArgs {
    #[command(subcommand)]
    command: Option<TensionCommand>,
    #[command(flatten)]
    list: look::ListArgs,
}

commands! { TensionCommand:
    Open(open::OpenArgs),
    List(look::ListArgs),
    Next(look::NextArgs),
    Close(close::CloseArgs),
    Show(look::ShowArgs),
    Tick(look::TickArgs),
}

impl TensionArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        match &self.command {
            None => self.list.run(context),
            Some(command) => command.run(context),
        }
    }
}
