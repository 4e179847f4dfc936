//! Answers that were judged, as later ones see them.

use crate::{
    evidence::Ruling,
    metrics::{Disputes, Outcome},
    timeline::SessionAnswer,
};

/// An answer that was judged.
pub struct Earlier {
    pub answer: SessionAnswer,
    /// True if it has evidence: then it may excuse one whose author perhaps knew it.
    pub is_shown: bool,
    /// True if it is no answer where it was carried to.
    is_lost: bool,
    /// The session's own later answer at the same commit.
    pub replaced_by: Option<SessionAnswer>,
    /// The length of the run of flagged answers that ends here; 0 if it is not flagged.
    pub flagged: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    Yes,
    /// It leaves an open dispute open.
    Perhaps,
    /// It is flagged, disputed or lost.
    No,
}

/// The answers that an answer is compared with, the newest first.
#[derive(Default)]
pub struct Seen {
    /// The possible counting answers.
    pub before: Vec<SessionAnswer>,
    /// Newer ones that don't count.
    pub skipped: Vec<SessionAnswer>,
    /// Without a counting answer that its author knew, one with evidence that the author did not.
    pub overlooked: Option<SessionAnswer>,
}

impl Earlier {
    pub fn new(
        answer: SessionAnswer,
        replaced_by: Option<SessionAnswer>,
        ruling: &Ruling,
        before: Option<&Self>,
    ) -> Self {
        let is_flagged = !ruling.flags.is_empty();
        let flagged = if is_flagged { 1 + before.map_or(0, |before| before.flagged) } else { 0 };
        let Ruling { is_shown, is_lost, .. } = *ruling;
        Self { answer, is_shown, is_lost, replaced_by, flagged }
    }

    /// Returns true if it is flagged, lost, found false, or disputed by another.
    pub fn is_out(&self, disputes: &Disputes) -> bool {
        let outcomes = disputes.outcomes(self.answer);
        self.is_doubted()
            || outcomes.why_false().is_some()
            || outcomes.own == Some(Outcome::Disputed)
    }

    /// Returns true if a rule says why it does not count, and nobody.
    pub fn is_doubted(&self) -> bool {
        self.flagged > 0 || self.is_lost
    }

    /// Returns true if it is a side of an open dispute.
    pub fn is_disputed(&self, disputes: &Disputes) -> bool {
        disputes.outcomes(self.answer).are_open()
    }
}
