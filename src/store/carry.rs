//! Carries the entries of rewritten commits: finds entries outside a history, finds their new commits, and plans what
//! to append.

mod copy;
mod homes;
mod plan;
mod strays;

pub use copy::rewritten;
pub use homes::{Home, find_homes};
pub use plan::{Move, Orphaned, Plan, Request, plan};
pub use strays::{Stray, StrayLine, strays};
