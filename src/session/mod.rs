//! The current session, what it hands over, and what it wondered about: each a replay of entries, kept nowhere else.

mod error;
mod events;
pub mod limits;
mod started;
mod state;

pub use error::Error;
pub use events::{Event, EventLog, EventSource};
pub use started::{Beat, Start, Started};
pub use state::{RowSource, StateRow, last_rows, rows};
