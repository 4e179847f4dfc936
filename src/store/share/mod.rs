//! The shared log: what of this clone's log a remote gets, and how it gets there.

mod place;

pub use place::shared_tip;
