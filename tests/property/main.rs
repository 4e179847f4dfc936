//! Pure cores against slow oracles, and the whole program against an independent one.

mod ahead;
mod ancestry;
mod carry;
mod clones;
mod figures;
mod life;
mod lines;
mod predecessors;
mod questions;
mod states;
mod tensions;
