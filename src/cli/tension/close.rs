//! `git sq tension close`, and finding a tension by its id.

use std::collections::BTreeSet;

use clap::Args;

use super::log::{TensionLog, WriteArgs};
use crate::{
    cli::{CommandResult, Context, Failure, complete},
    entry::{Body, CLOSING_NOTE_MAX, ClosedAs, TensionClosed, clip, fitting, is_entry_id, word},
    session::Tension,
    view::TensionView,
};

const NAMED: usize = 5;

/// Close a tension
///
/// A tension that expired or overflowed can still be closed.
#[derive(Args)]
pub struct CloseArgs {
    /// Its id, or at least 4 characters of its beginning or end
    #[arg(add = complete::open_tensions())]
    id: String,
    /// How it ends
    #[arg(long = "as", value_name = "END")]
    closed_as: ClosedAs,
    /// The answer, or why it is withdrawn; one line of at most 500 characters
    #[arg(long, value_name = "TEXT")]
    note: String,
    #[command(flatten)]
    write: WriteArgs,
}

const USAGE: &str =
    "nothing was written; usage: git sq tension close ID --as resolved --note 'the answer'";

impl CloseArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut log = TensionLog::open(context)?;
        let tensions = log.replay(context);
        let found = find(&tensions, &self.id)?;
        if let Some(closing) = &found[0].closing {
            return Err(Failure::refused(
                format!(
                    "{} has been {} since {}",
                    found[0].opening.id,
                    word(&found[0].state),
                    closing.ts
                ),
                "nothing was written; a closed tension stays closed: open a new one that cites it",
            ));
        }
        let mut reasons = Vec::new();
        let note = fitting("note", &self.note, CLOSING_NOTE_MAX, &mut reasons);
        let cite = log.pin(&self.write.cite, &mut reasons);
        Failure::check(reasons, USAGE)?;
        let closed = TensionClosed {
            tension: found[0].opening.id.clone(),
            closed_as: self.closed_as,
            note,
            cite,
        };
        let id = closed.tension.clone();
        let (sid, body) = (self.write.sid.as_deref(), Body::TensionClose(closed));
        log.append(context, sid, body)?;
        let tensions = log.replay(context);
        let closed = tensions.iter().filter(|tension| tension.opening.id == id);
        let done = log.document(closed, TensionView::Done("Closed"));
        context.show(&log.project.repo, &done, self.write.print.format)
    }
}

/// Never empty; several tensions if lines share the id.
/// Only a whole id in git sq's form outranks parts of others: anyone can write a line whose id is the end of another
/// id.
pub fn find<'t>(tensions: &'t [Tension], name: &str) -> Result<Vec<&'t Tension>, Failure> {
    let exact: Vec<&Tension> =
        tensions.iter().filter(|tension| tension.opening.id == name).collect();
    if !exact.is_empty() && is_entry_id(name) {
        return Ok(exact);
    }
    let refused = |why: &str| {
        Err(Failure::refused(
            format!("{name:?} {why}"),
            "give the whole id, or at least 4 characters of its beginning or end; `git sq tension list --all --format json` lists whole ids",
        ))
    };
    let part = name.to_ascii_uppercase();
    if part.chars().count() < 4 && exact.is_empty() {
        return refused("is too short for the id of a tension");
    }
    let found: Vec<&Tension> = tensions
        .iter()
        .filter(|tension| {
            let id = tension.opening.id.to_ascii_uppercase();
            id.starts_with(&part) || id.ends_with(&part)
        })
        .collect();
    let ids: BTreeSet<&str> = found.iter().map(|tension| tension.opening.id.as_str()).collect();
    match ids.len() {
        0 => refused("matches no tension"),
        1 => Ok(found),
        number => {
            let mut named: Vec<String> = ids.iter().take(NAMED).map(|id| clip(id, 240)).collect();
            if number > NAMED {
                named.push(format!("{} more", number - NAMED));
            }
            refused(&format!("matches more than one tension: {}", named.join(", ")))
        }
    }
}
