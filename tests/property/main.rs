//! Pure cores against slow oracles, and the whole program against an independent one.

mod ancestry;
mod cites;
mod clones;
mod figures;
mod files;
mod hostile;
mod index;
mod lines;
mod predecessors;
mod states;
mod tensions;
