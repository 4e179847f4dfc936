//! What users see: the real program in real repositories.

mod check;
mod demo;
mod errors;
mod foreign_notes;
mod generated;
mod hooks;
mod import;
mod init;
mod init_odd;
mod interop;
mod log;
mod places;
mod push;
mod push_beside;
mod push_trouble;
mod readme;
mod record;
mod refusals;
mod remotes;
mod shells;
mod sync;
mod unknowns;
mod watch;
