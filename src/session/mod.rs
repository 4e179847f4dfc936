//! Sessions: the current one of each worktree, what each hands over, and which questions it left open.

mod current;
mod ending;
mod envelope;
mod error;
mod events;
pub mod limits;
mod name;
mod state;
mod tension;

pub use current::{Beat, Ended, Started, append, beat, end, start, touch};
pub use ending::{SET_GRACE, Sweep, configured_grace, sweep};
pub use envelope::{Author, envelope, head, new_id};
pub use error::Error;
pub use events::{
    Event, EventBody, EventSource, events, foreign_imports, unreadable, unreadable_of,
};
pub use name::{check_name, current, name, new_name};
pub use state::{RowSource, StateRow, last_rows, rows};
pub use tension::{Advice, Closing, Ledger, Score, Tension, TensionState, ranked};
