//! The current session, what it hands over, and what it wondered about: each a replay of entries, kept nowhere else.

mod events;
mod tension;

pub use events::{Anything, Event, EventLog, EventSource};
pub use tension::{Advice, Closing, Ledger, Score, Tension, TensionState, ranked};
