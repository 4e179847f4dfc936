//! `git sq` stores the questions and measures the ritual of asking them again.
//!
//! The rooms, and the one way in which data flows through them:
//!
//! ```text
//! git -> store -> timeline -> metrics --> report -> cli
//!           |  `-> session ------------^
//!           `----> evidence -----------^
//! ```
//!
//! `question` and `entry` are vocabulary and import no other room. gix stops at `git`, printing at `cli`.

pub mod agent;
pub mod cli;
pub mod entry;
pub mod evidence;
mod file;
pub mod git;
pub mod metrics;
pub mod process;
pub mod project;
pub mod question;
pub mod report;
pub mod session;
pub mod store;
pub mod timeline;
