//! Where lines live: read the union of the log's refs, append to the local one, lose nothing.

mod ahead;
mod append;
mod asked;
mod cache;
mod carry;
mod clone;
mod error;
mod folder;
mod lacking;
mod lock;
mod merge;
mod read;
mod refused;
mod sync;
mod ticked;
mod worktrees;

use crate::git::{DEFAULT_LOG_REF, Remote};

pub use ahead::Ahead;
pub use append::{Appended, append, fold};
use asked::remember_asked;
pub use asked::{Unasked, unasked};
pub use cache::Cache;
pub use carry::{Homeless, Lost, LostLine, MERGES, Matching, Move, Search, search};
pub use clone::clone_id;
pub use error::Error;
pub use folder::state_dir;
pub use lacking::lacking;
pub use lock::WritersLock;
pub use merge::union;
pub use read::{Annotation, Log, LogTips};
pub use refused::refusals;
pub use sync::{Delivery, Synced, deliver, fetch, sync, unpushed};
pub use ticked::{remember_ticked, ticked};
pub use worktrees::{
    SessionsFolder, make_sessions_dir, own_folders, sessions_dir, sessions_folders,
};

/// The log of this clone.
pub const LOCAL_REF: &str = DEFAULT_LOG_REF;

/// Where the log's refs of a remote are kept, ending in a slash.
pub fn tracking_prefix(remote: &str) -> String {
    format!("refs/notes/remotes/{remote}/")
}

/// The refspec that brings a remote's log without ever overwriting the local one.
///
/// It is a glob because an exact refspec for a ref that the remote lacks makes every `git fetch` fail.
pub fn fetch_refspec(remote: &Remote) -> String {
    format!("+{}*:{}sq*", remote.log_ref, tracking_prefix(&remote.name))
}
