//! Finds the entries of rewritten commits a new home in the tip's history.

mod known;
mod lost;
mod matching;
mod moves;
mod search;

pub use lost::{Homeless, Lost, LostLine};
pub use matching::Matching;
pub use moves::Move;
pub use search::{MERGES, Search, search};
