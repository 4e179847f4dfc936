//! What users see: the real program in real repositories.

mod check;
mod demo;
mod errors;
mod import;
mod init;
mod log;
mod record;
mod shells;
mod watch;
