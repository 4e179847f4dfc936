//! Sessions: the current one of each worktree, its handover, and its tensions.
//!
//! Here: values replayed from session, state and tension entries. Not here: their look (`view`).

mod current;
mod ending;
mod envelope;
mod events;
mod handover;
mod hooked;
pub mod limits;
mod name;
mod speaking;
mod state;
mod tension;
mod transcript;

pub use current::{Ended, Started, alive, beat, count_refusal, end, enter, expected, start, sweep};
pub use ending::{EndedSession, has_worked};
pub use envelope::{Author, envelope, new_id};
pub use events::{Event, EventBody, EventSource, distinct, events};
pub use handover::{StateInput, check_row, follow};
pub use hooked::{ask_once, by_variable, compacting, known_by_hook, start_by_hook, was_compacted};
pub use name::{Named, check_name, current, whole_name, why_no_name};
pub use speaking::{Speaking, speaking};
pub use state::{RowSource, StateRow, last_rows, rows};
pub use tension::{
    Advice, Closing, Ledger, OpeningEffect, Score, Tension, TensionState, ranked, time_to_live,
};
pub use transcript::{Compared, compare as compare_transcript};

use crate::git::Error;
