use std::{cmp::Reverse, collections::BTreeSet, num::NonZeroUsize};

use clap::Args;

use super::{close::find, log::TensionLog};
use crate::{
    cli::{CommandResult, Context, Failure, Outcome, PrintArgs, complete},
    project::TENSIONS_SHOWN,
    session::{Tension, TensionState, ranked},
    store::LocalState,
    view::TensionView,
};

const OPEN: TensionView = TensionView::List("No open tensions.");

/// List open tensions, the highest score first
#[derive(Args)]
pub struct ListArgs {
    /// Include closed, expired and overflowed tensions; the oldest come first
    #[arg(short, long)]
    all: bool,
    #[command(flatten)]
    print: PrintArgs,
}

/// Show the most pressing tensions, and whether to `ask` a person or to `keep` them for yourself
///
/// The score is curiosity times intrusiveness. The advice is `ask` if the intrusiveness reaches the setting
/// `tension.gate`.
#[derive(Args)]
pub struct NextArgs {
    /// Number of tensions to show
    #[arg(value_name = "N", default_value = "3")]
    number: NonZeroUsize,
    #[command(flatten)]
    print: PrintArgs,
}

/// Show a tension in full, and whether its citations still hold
#[derive(Args)]
pub struct ShowArgs {
    /// Its id, or at least 4 characters of its beginning or end
    #[arg(add = complete::tensions())]
    id: String,
    #[command(flatten)]
    print: PrintArgs,
}

/// Show what closed since the last tick, and the most pressing tensions
///
/// This clone alone remembers what was shown.
#[derive(Args)]
pub struct TickArgs {
    #[command(flatten)]
    print: PrintArgs,
}

impl ListArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let log = TensionLog::open(context)?;
        let tensions = log.replay(context);
        let list = if self.all {
            log.document(&tensions, TensionView::List("No tensions."))
        } else {
            log.document(ranked(&tensions), OPEN)
        };
        context.show(&log.project.repo, &list, self.print.format)
    }
}

impl NextArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let log = TensionLog::open(context)?;
        let tensions = log.replay(context);
        let next = ranked(&tensions).into_iter().take(self.number.get());
        context.show(&log.project.repo, &log.document(next, OPEN), self.print.format)
    }
}

impl ShowArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let log = TensionLog::open(context)?;
        let tensions = log.replay(context);
        let found = find(&tensions, &self.id)?;
        let mut shown = log.document(found.iter().copied(), TensionView::Whole(context.now));
        for (row, tension) in shown.tensions.iter_mut().zip(found) {
            row.cite = log.look_up(&tension.opening.body.cite);
            if let (Some(row), Some(closing)) = (&mut row.closing, &tension.closing) {
                row.cite = log.look_up(&closing.body.cite);
            }
        }
        context.show(&log.project.repo, &shown, self.print.format)
    }
}

impl TickArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let log = TensionLog::open(context)?;
        let tensions = log.replay(context);
        let known = LocalState::read(&log.project.repo).unwrap_or_default().ticked;
        let is_closed = |tension: &&Tension| tension.state != TensionState::Open;
        let mut closed: Vec<&Tension> = tensions
            .iter()
            .filter(is_closed)
            .filter(|tension| !known.contains(&tension.opening.id))
            .collect();
        closed.sort_by_key(|tension| Reverse(tension.closed));
        let next = ranked(&tensions).into_iter().take(TENSIONS_SHOWN);
        let tick = log.document(closed.into_iter().chain(next), TensionView::Tick);
        // Saved only if the output arrived; otherwise the next tick repeats it.
        if context.print(&context.render(&log.project.repo, &tick, self.print.format)) {
            let ticked: BTreeSet<String> = tensions
                .iter()
                .filter(is_closed)
                .map(|tension| tension.opening.id.clone())
                .collect();
            let saved = LocalState::update(&log.project.repo, |state| state.ticked = ticked);
            if let Err(error) = saved {
                let what = format!("could not save the tick, so the next one repeats it: {error}");
                let failure = Failure::refused(what, "check that the git directory is writable");
                context.note(&failure.warning(context.style(Some(&log.project.repo))));
            }
        }
        Ok(Outcome::Clean)
    }
}
