//! Many writers at once: nothing that was acknowledged is lost.

mod chain;
mod crowd;
mod killed;
mod pruned;
mod push;
