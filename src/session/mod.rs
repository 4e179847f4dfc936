//! The current session, what it hands over, and what it wondered about: each a replay of entries, kept nowhere else.

mod error;
mod events;
mod life;
pub mod limits;
mod said;
mod started;
mod state;
mod stretches;
mod tension;

pub use error::Error;
pub use events::{
    Event, EventBody, EventSource, events, foreign_imports, unreadable, unreadable_of,
};
pub use life::Silence;
pub use said::{Ended, Said, SaidBySession};
pub use started::{Beat, Broken, NotEnded, Start, Started, set_aside};
pub use state::{RowSource, StateRow, last_rows, rows};
pub use tension::{Advice, Closing, Ledger, Score, Tension, TensionState, ranked};
