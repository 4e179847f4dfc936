//! `git sq tension close`: says what came of a question; and how one is named.

use clap::{Args, ValueEnum};

use super::ground::{Ground, fitting};
use crate::{
    cli::{CommandResult, Context, Failure, Format, Outcome, envelope::session_name},
    entry::{CLOSING_NOTE_MAX, ClosedAs, Kind, TensionCloseEntry, TensionClosed},
    report::{json, tension_done_text},
    session::Tension,
};

/// Say what came of a question
///
/// What expired or overflowed can still be closed by a record, which outranks what was computed.
#[derive(Args)]
pub struct CloseArgs {
    /// Its id, or 4 characters or more with which no other id begins or ends
    id: String,
    /// Whether there is an answer, or it is no question any more
    #[arg(long = "as", value_name = "END")]
    closed_as: End,
    /// The answer, or why it is no question any more; one line of at most 500 characters
    #[arg(long, value_name = "TEXT")]
    note: String,
    /// What that rests on: `path:line`, `path:from-to` or an entry's id; may be given again
    #[arg(long, value_name = "CITATION")]
    cite: Vec<String>,
    /// The session; otherwise `SQ_SESSION`, then the current one, then one of its own
    #[arg(long, value_name = "SID")]
    sid: Option<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum End {
    /// There is an answer
    Resolved,
    /// It is no longer a question
    Withdrawn,
}

impl CloseArgs {
    pub fn run(&self, context: &Context) -> CommandResult {
        let mut ground = Ground::open(context)?;
        let sid = session_name(self.sid.as_deref(), context, &ground.repo)?;
        let tensions = ground.replay(context);
        let found = find(&tensions, &self.id)?;
        if let Some(closing) = &found[0].closing {
            return Err(Failure::refused(
                format!(
                    "{} is {} since {}",
                    found[0].opening.id,
                    found[0].state.name(),
                    closing.ts
                ),
                "nothing was written; what is closed stays closed: open a new one that cites it",
            ));
        }
        let mut reasons = Vec::new();
        let note = fitting("note", &self.note, CLOSING_NOTE_MAX, &mut reasons);
        let cite = ground.pin(&self.cite, &mut reasons)?;
        if !reasons.is_empty() {
            return Err(Failure::Refused {
                reasons,
                help: Some("nothing was written; the form is: git sq tension close ID --as resolved --note 'the answer'".into()),
            });
        }
        let closed = TensionClosed {
            tension: found[0].opening.id.clone(),
            closed_as: match self.closed_as {
                End::Resolved => ClosedAs::Resolved,
                End::Withdrawn => ClosedAs::Withdrawn,
            },
            note,
            cite,
        };
        ground.repo.require_identity()?;
        let entry = TensionCloseEntry {
            envelope: ground.envelope(context, Kind::TensionClose, &sid)?,
            closed,
        };
        ground.append(context, &entry, "Notes added by 'git sq tension close'")?;
        let tensions = ground.replay(context);
        let closed = tensions
            .iter()
            .filter(|one| one.opening.id == entry.closed.tension);
        let done = ground.document(closed);
        context.print(&match self.format {
            Format::Json => json("sq.tension/v1", &done),
            Format::Text => tension_done_text(&done, "Closed", context.style(Some(&ground.repo))),
        });
        Ok(Outcome::Clean)
    }
}

/// The tension of an id, or of a beginning or an ending that no other has; several where lines share the id. Never
/// empty.
///
/// # Errors
/// When none or more than one is meant.
pub fn find<'t>(tensions: &'t [Tension], name: &str) -> Result<Vec<&'t Tension>, Failure> {
    let exact: Vec<&Tension> = tensions
        .iter()
        .filter(|one| one.opening.id == name)
        .collect();
    if !exact.is_empty() {
        return Ok(exact);
    }
    let refused = |why: &str| {
        Err(Failure::refused(
            format!("{name:?} {why}"),
            "give the whole id, or 4 characters or more of its beginning or its end; `git sq tension list --all --format json` has them whole",
        ))
    };
    let part = name.to_ascii_uppercase();
    if part.chars().count() < 4 {
        return refused("is too short for a tension's id");
    }
    let found: Vec<&Tension> = tensions
        .iter()
        .filter(|one| {
            let id = one.opening.id.to_ascii_uppercase();
            id.starts_with(&part) || id.ends_with(&part)
        })
        .collect();
    match found.first() {
        None => refused("is no tension's id, nor a part of one"),
        Some(first) if found.iter().all(|one| one.opening.id == first.opening.id) => Ok(found),
        Some(_) => refused("is a part of more than one tension's id"),
    }
}
