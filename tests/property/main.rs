//! Pure cores against slow oracles, and the whole program against an independent one.

mod agents;
mod ancestry;
mod answers;
mod base;
mod drifts;

mod figures;
mod files;
#[cfg(unix)]
mod hostile;
mod index;
mod lines;
mod predecessors;
mod questions;
mod share;
mod states;
mod tensions;
mod traces;
mod verdict;
