//! The only room that names gix or starts git: what others get from it are owned values.

mod blob;
mod command;
mod config;
mod diff;
mod environment;
mod error;
mod head;
mod history;
mod note;
mod oid;
mod pager;
mod promised;
mod refs;
mod repository;
mod rewritten;
mod walk;
mod write;

pub use command::Git;
pub use config::{ConfigEdit, Remote};
pub use diff::{Changes, Pathspecs};
pub use error::{Error, ErrorKind, Result};
pub use head::{COMMIT_DIGITS, HeadDetails, MAX_COMMITS};
pub use history::{History, Node};
pub use note::{Note, NotesReader};
pub use oid::Oid;
pub use pager::Pager;
pub use refs::RefTip;
pub use repository::{HeadRef, Repo};
pub use rewritten::Span;
pub use write::{Durability, NotesCommit};
