//! `git sq tension list`, `next`, `show` and `tick`: what is open, and what became of the rest.

use std::{cmp::Reverse, collections::BTreeSet, num::NonZeroUsize};

use clap::Args;

use super::{SHOWN, close::find, ground::Ground};
use crate::{
    cli::{CommandResult, Context, Failure, Outcome, PrintArgs},
    report::{TensionRow, TensionTick, TensionView},
    session::{Tension, TensionState, ranked},
    store::{remember_ticked, ticked},
};

/// The view of tensions that are open.
const OPEN: TensionView = TensionView::List("Nothing is open.");

/// List what is open, the best to pull first
#[derive(Args)]
pub struct ListArgs {
    /// Also what was resolved or withdrawn, expired, or overflowed; the oldest first
    #[arg(short, long)]
    all: bool,
    #[command(flatten)]
    print: PrintArgs,
}

/// Say what is worth pulling now: `ask` the person, or `keep` it and look for yourself
///
/// Ranked by curiosity times intrusiveness. `ask` is said where the intrusiveness is at the setting `tension.gate` or
/// above it.
#[derive(Args)]
pub struct NextArgs {
    /// How many
    #[arg(value_name = "N", default_value = "3")]
    number: NonZeroUsize,
    #[command(flatten)]
    print: PrintArgs,
}

/// Show one with all that is known of it, and what became of what it cites
#[derive(Args)]
pub struct ShowArgs {
    /// Its id, or 4 characters or more with which no other id begins or ends
    id: String,
    #[command(flatten)]
    print: PrintArgs,
}

/// Say what closed since this clone last asked, and what is worth pulling now
///
/// What closed is remembered in this clone and nowhere else: another clone asks for itself.
#[derive(Args)]
pub struct TickArgs {
    #[command(flatten)]
    print: PrintArgs,
}

impl ListArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let ground = Ground::open(context)?;
        let tensions = ground.replay(context);
        let list = if self.all {
            ground.document(&tensions, TensionView::List("Nothing was ever opened."))
        } else {
            ground.document(ranked(&tensions), OPEN)
        };
        context.show(&ground.project.repo, &list, self.print.format);
        Ok(Outcome::Clean)
    }
}

impl NextArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let ground = Ground::open(context)?;
        let tensions = ground.replay(context);
        let next = ranked(&tensions).into_iter().take(self.number.get());
        let next = ground.document(next, OPEN);
        context.show(&ground.project.repo, &next, self.print.format);
        Ok(Outcome::Clean)
    }
}

impl ShowArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let ground = Ground::open(context)?;
        let tensions = ground.replay(context);
        let found = find(&tensions, &self.id)?;
        let mut shown = ground.document(found.iter().copied(), TensionView::Whole(context.now));
        for (row, tension) in shown.tensions.iter_mut().zip(found) {
            row.cite = ground.look_up(&tension.opening.body.cite);
            if let (Some(row), Some(closing)) = (&mut row.closing, &tension.closing) {
                row.cite = ground.look_up(&closing.body.cite);
            }
        }
        context.show(&ground.project.repo, &shown, self.print.format);
        Ok(Outcome::Clean)
    }
}

impl TickArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let ground = Ground::open(context)?;
        let tensions = ground.replay(context);
        let known = ticked(&ground.project.repo);
        let is_closed = |one: &&Tension| one.state != TensionState::Open;
        let mut closed: Vec<&Tension> = tensions
            .iter()
            .filter(is_closed)
            .filter(|one| !known.contains(&one.opening.id))
            .collect();
        closed.sort_by_key(|one| Reverse(one.closed));
        let rows = |tensions: Vec<&Tension>| {
            let rows = tensions.into_iter();
            rows.map(|one| TensionRow::new(one, &ground.settings))
                .collect()
        };
        let tick = TensionTick {
            closed: rows(closed),
            next: rows(ranked(&tensions).into_iter().take(SHOWN).collect()),
            unknown: ground.unknown(),
        };
        // What nobody read was not told.
        if context.show(&ground.project.repo, &tick, self.print.format) {
            let closed = tensions.iter().filter(is_closed);
            let closed: BTreeSet<String> = closed.map(|one| one.opening.id.clone()).collect();
            if let Err(error) = remember_ticked(&ground.project.repo, &closed) {
                let what = format!(
                    "this could not be remembered, and the next tick says the same again: {error}"
                );
                let failure = Failure::refused(what, "see who may write in the git folder");
                context.note(&failure.warning(context.style(Some(&ground.project.repo))));
            }
        }
        Ok(Outcome::Clean)
    }
}
