//! The only module that names gix or starts git; it returns owned values.
//!
//! Here: everything that reads or writes git. Not here: any knowledge of entries or questions. A function takes and gives owned
//! values, so that no type of gix leaves the room; `revisions.rs` is a short example. The error of all rooms is in `error.rs`: a new
//! kind only where code asks for it.

mod absent;
mod blob;
mod checkout;
mod cite;
mod command;
mod commit;
mod config;
mod diff;
mod drivers;
mod environment;
mod error;
mod files;
mod head;
mod history;
mod hooks;
mod identity;
mod limited;
mod line;
mod links;
mod made;
mod mailmap;
mod marks;
mod note;
mod object;
mod oid;
mod pager;
mod refs;
mod refusal;
mod remotes;
mod repository;
mod revisions;
mod rewritten;
mod shared;
mod shares;
mod signatures;
mod staged;
mod touching;
mod transfer;
mod walk;
mod whole;
mod write;

pub use checkout::Checkout;
pub use cite::{CitedFate, Pinned, places};
pub use command::Git;
pub use config::ConfigEdit;
pub use diff::{Changes, Pathspecs};
pub use error::{Doing, Error, ErrorKind, Result};
pub use files::{EntryAt, FileAt};
pub use head::{COMMIT_DIGITS, MAX_COMMITS};
pub use history::{History, Node};
pub use line::{FileChange, Line};
pub use links::Link;
pub use made::{Made, PULLS_REF, Reflogs};
pub use mailmap::Mailmap;
pub use marks::Marks;
pub use note::{Note, NotesReader};
pub use oid::Oid;
pub use pager::Pager;
pub use refs::{DOCTOR, RefFrom, RefMove, RefTip};
pub use remotes::{Addresses, BadSetting, DEFAULT_LOG_REF, Gets, Remote};
pub use repository::{HeadRef, Repo};
pub use rewritten::Span;
pub use shares::in_shares;
pub use signatures::Signature;
pub use staged::Staged;
pub use transfer::{Pushed, Talk};
pub use walk::DEEPEN;
pub use write::{Durability, NotesCommit, Written};
