//! The shared log: publishes a part of this clone's log to a remote.
//! The local ref has everything that this clone knows, and is never pushed itself. Publishing builds one commit on the
//! remote's log, with the local lines whose commits are public there: a pure function of the two logs and the public
//! commits, so a process that loses a race builds again.

mod known;
mod moves;
mod place;
mod plan;
mod private;
mod publish;
mod publisher;
mod reach;
mod standing;
mod tracked;
mod withhold;
mod witness;

pub use known::noted;
pub use moves::{Homes, elsewhere, fetch_branch, leave};
pub use place::{fetched, last_seen, refs_at, seen, shared_logs, shared_tip};
pub use plan::{NotedLine, Plan};
pub use private::tells_of_work;
pub use publish::{Published, publish, take_in};
pub use publisher::{alone, hold_back, publish_later, request, serve, unattended};
pub use reach::reached;
pub use standing::standing;
pub use tracked::covers;
pub use withhold::{is_private, withhold};
pub use witness::{Tampering, judge};
