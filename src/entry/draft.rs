//! An entry before it is appended: its place in the chain of its writer is open.

use super::{Envelope, Event, Leak, Line, NotALine, Seen, secret};

/// A new entry. Its line is made when it is known which line of its writer comes before.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft<'l>(Event<'l>);

/// Why an entry can't be appended.
pub enum Undraftable {
    NotALine(NotALine),
    Secret(Leak),
}

/// The place of a line among those of its writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub writer: String,
    /// From 1 on.
    pub n: u64,
    /// SHA-256 of the line before.
    pub prev: Option<String>,
    /// The shared log as it is known here.
    pub seen: Option<Seen<'static>>,
}

impl<'l> Draft<'l> {
    /// A draft of `entry`. Of what looks like a secret, only kinds that `allowed` names may be in it.
    ///
    /// # Errors
    /// When something in it looks like a secret, or its line might be too long.
    pub fn of(entry: Event<'l>, allowed: &[String]) -> Result<Self, Undraftable> {
        if let Some(leak) = secret::leak(&entry, allowed) {
            return Err(Undraftable::Secret(leak));
        }
        let id = "f".repeat(64);
        let longest = Link {
            writer: "0".repeat(26),
            n: u64::MAX,
            prev: Some(id.clone()),
            seen: Some(Seen {
                root: id.clone().into(),
                tip: id.into(),
            }),
        };
        let draft = Self(entry);
        draft.line(&longest).map_err(Undraftable::NotALine)?;
        Ok(draft)
    }

    /// The line that it becomes there.
    ///
    /// # Errors
    /// When it is too long.
    pub fn line(&self, link: &Link) -> Result<Line, NotALine> {
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
