//! Where lines live: read the union of the log's refs, append to the local one, share it, lose nothing.

mod append;
pub mod carry;
mod chain;
mod error;
mod events;
mod folder;
mod lacking;
mod local;
mod lock;
mod merge;
mod names;
mod read;
mod removed;
pub mod share;
mod sync;
mod unasked;

use crate::git::{DEFAULT_LOG_REF, Remote};

pub use append::{Lines, append, append_new, fold};
pub use error::Error;
pub use events::{Answer, Events, Reading, Row, Unread, line_digests, lines_with_marks};
pub use folder::state_dir;
pub use lacking::lacking;
pub use local::{
    LocalState, Place, RunningSession, StartHook, Trouble, clone_id, place_of, remember_ticked,
    ticked, trouble, trouble_is_told,
};
pub use lock::WritersLock;
pub use merge::union;
pub use read::{Annotation, Log, LogTips};
pub use removed::{Past, Removed};
pub use share::shared_tip;
pub use sync::{Synced, fetch, sync, take};
pub use unasked::{Unasked, unasked};

/// The log of this clone.
pub const LOCAL_REF: &str = DEFAULT_LOG_REF;

/// Where the log's refs of a remote are kept, ending in a slash.
pub fn tracking_prefix(remote: &str) -> String {
    format!("refs/notes/remotes/{remote}/")
}

/// Where the log of a remote is kept once it was fetched.
pub fn tracking_ref(remote: &str) -> String {
    format!("{}sq", tracking_prefix(remote))
}

/// The refspec that brings a remote's log without ever overwriting the local one.
///
/// It is a glob because an exact refspec for a ref that the remote lacks makes every `git fetch` fail.
pub fn fetch_refspec(remote: &Remote) -> String {
    format!("+{}*:{}sq*", remote.log_ref, tracking_prefix(&remote.name))
}
