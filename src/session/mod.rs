//! The current session, what it hands over, and what it wondered about: each a replay of entries, kept nowhere else.

mod events;

pub use events::{Event, EventLog, EventSource};
