//! How long a session lived that nobody ended: as far as its signs of life reach.

use jiff::{SignedDuration, Timestamp};

/// What silence is, at a moment.
#[derive(Debug, Clone, Copy)]
pub struct Silence {
    pub now: Timestamp,
    /// How long a session may be silent and still be alive.
    pub grace: SignedDuration,
}

impl Silence {
    /// Whether nothing was heard for longer than the grace time. A sign that lies farther in the future than that is
    /// none: it was made by a clock that was ahead.
    pub fn is_silent(&self, signs: impl IntoIterator<Item = Timestamp>) -> bool {
        let signs = signs.into_iter().filter(|&sign| self.counts(sign));
        signs
            .max()
            .is_none_or(|last| self.now.duration_since(last) > self.grace)
    }

    /// The last sign of life. `own` bear the session's name: its start, its beats, its entries. `commits` are those that
    /// HEAD gained since the start, by whomever: they are life as long as none comes later than the grace time after
    /// the sign before it.
    ///
    /// None where there is none that counts.
    pub fn end_of_life(&self, own: &[Timestamp], commits: &[Timestamp]) -> Option<Timestamp> {
        let own = own.iter().copied().filter(|&sign| self.counts(sign));
        let commits = commits.iter().copied().filter(|&sign| self.counts(sign));
        let mut commits: Vec<Timestamp> = commits.collect();
        commits.sort_unstable();
        let Some(mut last) = own.max() else {
            return commits.pop();
        };
        for commit in commits {
            if commit.duration_since(last) > self.grace {
                break;
            }
            last = last.max(commit);
        }
        Some(last)
    }

    /// Whether a time can be: it does not lie farther in the future than the grace time.
    pub fn counts(&self, sign: Timestamp) -> bool {
        sign.duration_since(self.now) <= self.grace
    }
}
