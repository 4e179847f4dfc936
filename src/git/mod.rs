//! The only room that names gix or starts git: what others get from it are owned values.

mod blob;
mod bounded;
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
mod parent;
mod promised;
mod reflog;
mod refs;
mod repository;
mod transfer;
mod walk;
mod write;

pub use command::Git;
pub use config::{ConfigEdit, DEFAULT_LOG_REF, Remote};
pub use diff::{Changes, Pathspecs};
pub use error::{Error, ErrorKind, Result};
pub use head::HeadDetails;
pub use history::{History, Node};
pub use note::{Note, NotesReader};
pub use oid::Oid;
pub use pager::Pager;
pub use parent::is_dry_run_push;
pub use reflog::RefMove;
pub use refs::RefTip;
pub use repository::{HeadRef, Repo};
pub use transfer::{PushRef, Pushed, Talk};
pub use write::{Durability, NotesCommit};
