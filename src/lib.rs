//! `git sq` stores questions, and checks that every session answers them anew.
//!
//! The rooms, and the one way in which data flows through them:
//!
//! ```text
//! git -> store -> timeline -> metrics -> rules -> project -> view -> cli
//!           |-> session ------^                     ^
//!           |-> evidence -----^                     |
//!           |-> proof ------------------------------|
//!           `-> setup ------------------------------'
//! ```
//!
//! `question`, `entry`, `finding`, `file`, `quote`, `process`, `harness` and `ci` are vocabulary and import no other room.
//! `facts` reads `git` and `evidence`, and `view` shows what it gives. gix stops at `git`, printing at `cli`.

pub mod ci;
pub mod cli;
pub mod entry;
pub mod evidence;
pub mod facts;
pub mod file;
pub mod finding;
pub mod git;
pub mod harness;
pub mod metrics;
pub mod process;
pub mod project;
pub mod proof;
pub mod question;
pub mod quote;
pub mod rules;
pub mod session;
pub mod setup;
pub mod store;
pub mod timeline;
pub mod view;
