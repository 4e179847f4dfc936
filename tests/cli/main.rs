//! What users see: the real program in real repositories.

mod carry;
mod carry_odd;
mod check;
mod demo;
mod doctor;
mod errors;
mod foreign_notes;
mod generated;
mod import;
mod init;
mod init_odd;
mod interop;
mod log;
mod places;
mod readme;
mod record;
mod refusals;
mod remotes;
mod rewrites;
mod sessions;
mod shells;
mod states;
mod unknowns;
mod watch;
