//! `git sq tension list`, `next`, `show` and `tick`: what is open, and what became of the rest.

use std::{cmp::Reverse, collections::BTreeSet, num::NonZeroUsize};

use clap::Args;

use super::{SHOWN, close::find, ground::Ground, rows::row};
use crate::{
    cli::{CommandResult, Context, Failure, Format, Outcome},
    report::{TensionTick, json, tension_text, tensions_text, tick_text},
    session::{Tension, TensionState, ranked},
    store::{remember_ticked, ticked},
};

/// List what is open, the best to pull first
#[derive(Args)]
pub struct ListArgs {
    /// Also what was resolved or withdrawn, expired, or overflowed; the oldest first
    #[arg(short, long)]
    all: bool,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
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
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Show one with all that is known of it, and what became of what it cites
#[derive(Args)]
pub struct ShowArgs {
    /// Its id, or 4 characters or more with which no other id begins or ends
    id: String,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Say what closed since this clone last asked, and what is worth pulling now
///
/// What closed is remembered in this clone and nowhere else: another clone asks for itself.
#[derive(Args)]
pub struct TickArgs {
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

impl ListArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let ground = Ground::open(context)?;
        let tensions = ground.replay(context);
        let list = if self.all {
            ground.document(&tensions)
        } else {
            ground.document(ranked(&tensions))
        };
        let none = if self.all {
            "Nothing was ever opened."
        } else {
            "Nothing is open."
        };
        context.print(&match self.format {
            Format::Json => json("sq.tension/v1", &list),
            Format::Text => tensions_text(&list, none, context.style(Some(&ground.project.repo))),
        });
        Ok(Outcome::Clean)
    }
}

impl NextArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let ground = Ground::open(context)?;
        let tensions = ground.replay(context);
        let next = ground.document(ranked(&tensions).into_iter().take(self.number.get()));
        context.print(&match self.format {
            Format::Json => json("sq.tension/v1", &next),
            Format::Text => tensions_text(
                &next,
                "Nothing is open.",
                context.style(Some(&ground.project.repo)),
            ),
        });
        Ok(Outcome::Clean)
    }
}

impl ShowArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let ground = Ground::open(context)?;
        let tensions = ground.replay(context);
        let found = find(&tensions, &self.id)?;
        let mut shown = ground.document(found.iter().copied());
        for (row, tension) in shown.tensions.iter_mut().zip(found) {
            row.cite = ground.look_up(&tension.opening.body.cite);
            if let (Some(row), Some(closing)) = (&mut row.closing, &tension.closing) {
                row.cite = ground.look_up(&closing.body.cite);
            }
        }
        context.print(&match self.format {
            Format::Json => json("sq.tension/v1", &shown),
            Format::Text => tension_text(
                &shown,
                context.now,
                context.style(Some(&ground.project.repo)),
            ),
        });
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
            rows.map(|one| row(one, &ground.settings)).collect()
        };
        let tick = TensionTick {
            closed: rows(closed),
            next: rows(ranked(&tensions).into_iter().take(SHOWN).collect()),
            unknown: ground.unknown(),
        };
        let style = context.style(Some(&ground.project.repo));
        let arrived = context.print(&match self.format {
            Format::Json => json("sq.tension.tick/v1", &tick),
            Format::Text => tick_text(&tick, style),
        });
        // What nobody read was not told.
        if arrived {
            let closed = tensions.iter().filter(is_closed);
            let closed: BTreeSet<String> = closed.map(|one| one.opening.id.clone()).collect();
            if let Err(error) = remember_ticked(&ground.project.repo, &closed) {
                let what = format!(
                    "this could not be remembered, and the next tick says the same again: {error}"
                );
                let failure = Failure::refused(what, "see who may write in the git folder");
                context.note(&failure.warning(style));
            }
        }
        Ok(Outcome::Clean)
    }
}
