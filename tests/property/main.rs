//! Pure cores against slow oracles, and the whole program against an independent one.

mod ahead;
mod ancestry;
mod carry;
mod cites;
mod clones;
mod figures;
mod hostile;
mod lines;
mod predecessors;
mod states;
mod tensions;
