//! Sets up a clone and reverts that (a question store, configuration, git's hooks), and diagnoses problems with it.

pub mod agent;
mod doctor;
mod error;
mod git_hooks;
mod init;
mod plant;
mod remotes;
mod seeds;
mod steps;
mod undo;

pub use doctor::{Ailment, Diagnosis, diagnose};
pub use error::Error;
pub use init::{InitOptions, PresentStore, init, is_displayed, share_log};
pub use seeds::{DEMO_HISTORY, DEMO_LOG, QuestionSetName, SKILL, questions};
pub use steps::{Step, Steps};
pub use undo::undo;
