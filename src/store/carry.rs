//! Gives the entries of rewritten commits a new home: which are nowhere in a history, where they belong, what to append.

mod copy;
mod homes;
mod plan;
mod strays;

pub use copy::copy_entries;
pub use homes::{Home, find_homes};
pub use plan::{Move, Orphaned, Plan, Request, plan};
pub use strays::{Stray, StrayLine, strays};
