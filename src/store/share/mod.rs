//! The shared log: what of this clone's log a remote gets, and how it gets there.
//!
//! The local ref is everything that this clone knows, and is never pushed itself. Publishing builds one commit on what
//! the remote has, with those local lines whose commits are public there: a pure function of the two logs and of what is
//! public, so that whoever comes second builds again.

mod known;
mod place;
mod plan;
mod publish;
mod publisher;
mod reach;
mod standing;
mod tracked;
mod witness;

pub use place::{seen_tips, shared_tip};
pub use plan::{NotedLine, Plan};
pub use publish::{Published, is_noted, obstacles, publish, take_in};
pub use publisher::{alone, hold_back, publish_later, request, serve, unattended};
pub use reach::reached;
pub use standing::standing;
pub use witness::{Tampering, judge};
