//! Many writers at once: nothing that was acknowledged is lost.

#[cfg(unix)]
mod campaign;
mod crowd;
mod killed;
mod pruned;
mod push;
