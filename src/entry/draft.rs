//! An entry before it is appended: its place in the chain of its writer is open.

use super::{Envelope, Event, Leak, Line, Seen, TooLong, secret};

/// A new entry. It becomes a line once the writer's line before it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft<'l>(Event<'l>);

#[derive(Debug, thiserror::Error)]
pub enum Undraftable {
    #[error(transparent)]
    TooLong(#[from] TooLong),
    #[error("{0}")]
    Secret(Leak),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub writer: String,
    pub n: u64,
    /// SHA-256 of the line before.
    pub prev: Option<String>,
    /// The shared log as this clone knows it.
    pub seen: Option<Seen<'static>>,
}

impl<'l> Draft<'l> {
    /// `allowed` names kinds of secrets that may be in the entry.
    pub fn of(entry: Event<'l>, allowed: &[String]) -> Result<Self, Undraftable> {
        if let Some(leak) = secret::leak(&entry, allowed) {
            return Err(Undraftable::Secret(leak));
        }
        let id = "f".repeat(64);
        let longest = Link {
            writer: "0".repeat(26),
            n: u64::MAX,
            prev: Some(id.clone()),
            seen: Some(Seen { root: id.clone().into(), tip: id.into() }),
        };
        let draft = Self(entry);
        draft.line(&longest)?;
        Ok(draft)
    }

    /// The line that it becomes there.
    ///
    /// # Errors
    /// [`TooLong`] if it has more than the most bytes of a line.
    pub fn line(&self, link: &Link) -> Result<Line, TooLong> {
        let Event { envelope, body } = self.0.clone();
        let envelope = Envelope {
            writer: Some(link.writer.clone().into()),
            n: Some(link.n),
            prev: link.prev.clone().map(Into::into),
            seen: link.seen.clone(),
            ..envelope
        };
        Line::of(&Event { envelope, body })
    }
}
