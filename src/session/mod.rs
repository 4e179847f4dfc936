//! The current session, what it hands over, and what it wondered about: each a replay of entries, kept nowhere else.

mod error;
mod events;
pub mod limits;
mod started;
mod state;
mod tension;

pub use error::Error;
pub use events::{Anything, Event, EventLog, EventSource};
pub use started::{Beat, Start, Started};
pub use state::{RowSource, StateRow, last_rows, rows};
pub use tension::{Advice, Closing, Ledger, Score, Tension, TensionState, ranked};
