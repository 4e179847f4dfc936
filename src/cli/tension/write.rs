//! What `git sq tension open` and `close` have in common: options, and what they say.

use clap::Args;

use super::ground::Ground;
use crate::{
    cli::{Context, Failure, Format, envelope::unnamed},
    report::{Tensions, json, tension_done_text},
};

/// The options of a command that writes about a tension.
#[derive(Args)]
pub struct WriteArgs {
    /// What it rests on: `path:line`, `path:from-to` or an entry's id; may be given again
    #[arg(long, value_name = "CITATION")]
    pub cite: Vec<String>,
    /// The session; otherwise `SQ_SESSION`, then the current one, then one of its own
    #[arg(long, value_name = "SID")]
    pub sid: Option<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// What was done to a tension.
#[derive(Clone, Copy)]
pub enum Did {
    Open,
    Close,
}

impl WriteArgs {
    /// Says what was done.
    ///
    /// # Errors
    /// When the file of a session can't be read.
    pub fn print(
        &self,
        context: &Context,
        ground: &Ground,
        did: Did,
        done: &Tensions,
    ) -> Result<(), Failure> {
        let (verb, command) = match did {
            Did::Open => ("Opened", "tension open"),
            Did::Close => ("Closed", "tension close"),
        };
        context.print(&match self.format {
            Format::Json => json("sq.tension/v1", done),
            Format::Text => {
                let text = tension_done_text(done, verb, context.style(Some(&ground.project.repo)));
                text + &unnamed(context, &ground.project.repo, self.sid.as_deref(), command)?
            }
        });
        Ok(())
    }
}
