//! The log in git: reads the union of its refs, appends to the local one, shares it, and loses no line.
//!
//! Here: the notes refs, their union, publishing, carrying, this clone's own state. Not here: what an entry means. Every write goes
//! through `append.rs`; the union is `merge.rs`.

mod append;
pub mod carry;
mod chain;
mod events;
mod held;
mod history;
mod kept;
mod local;
mod lock;
mod merge;
mod read;
mod removed;
pub mod share;
mod sync;
mod unasked;

use std::path::PathBuf;

use crate::git::{DEFAULT_LOG_REF, Error, Remote, Repo};

pub use append::{Turn, append, append_new, fold};
pub use chain::last_writer;
pub use events::{Answer, Events, Purged, Reading, Row, Unread, line_digests};
pub use held::{Held, hold, is_of_held, let_go};
pub use history::{LogCommit, LogEntry, LogHistory, LogLine};
pub use kept::{KEPT_REF, lost_entries};
pub use local::{
    LocalState, Place, RunningSession, StartHook, Trouble, clone_id, own_writer, place_of, trouble,
    trouble_is_told,
};
pub use lock::WritersLock;
pub use merge::union;
pub use read::{Annotation, Lines, Log, LogTips, lacking, withheld};
pub use removed::{Past, Removed};
pub use share::shared_tip;
pub use sync::{Synced, fetch, sync, take};
pub use unasked::{Unasked, unasked};

pub const LOCAL_REF: &str = DEFAULT_LOG_REF;

/// The branch that the documentation names for a log.
const BRANCH: &str = "refs/heads/sq/log";

/// The folder of this clone's own state, shared by its worktrees.
pub fn state_dir(repo: &Repo) -> PathBuf {
    repo.common_dir().join("sq")
}

/// The prefix of a remote's log refs in this clone, ending in a slash.
pub fn tracking_prefix(remote: &str) -> String {
    format!("refs/notes/remotes/{remote}/")
}

pub fn tracking_ref(remote: &str) -> String {
    format!("{}sq", tracking_prefix(remote))
}

/// The refspec that fetches a remote's log and never overwrites the local one.
/// It is a glob because an exact refspec for a ref that the remote lacks makes every `git fetch` fail.
pub fn fetch_refspec(remote: &Remote) -> String {
    format!("+{}*:{}sq*", remote.log_ref, tracking_prefix(&remote.name))
}

/// The ref from which the configuration fetches a remote's log, if its log is at another one.
pub fn moved_from(remote: &Remote) -> Option<&str> {
    let target = format!("*:{}sq*", tracking_prefix(&remote.name));
    let mut sources =
        remote.fetch.iter().filter_map(|spec| spec.strip_prefix('+')?.strip_suffix(&target));
    sources.find(|source| *source != remote.log_ref)
}
