//! Work on many things in one thread per processor.

use std::{num::NonZero, panic::resume_unwind, thread};

/// Does `work` on equal shares of the items, each of at least so many, with what `start` makes for it; in order.
pub fn in_shares<'i, T: Sync, H: Send, R: Send>(
    items: &'i [T],
    least: usize,
    start: impl Fn() -> H,
    work: impl Fn(H, &'i [T]) -> R + Sync,
) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let work = &work;
    thread::scope(|scope| {
        let shares: Vec<_> = items
            .chunks(items.len().div_ceil(threads).max(least).max(1))
            .map(|share| (start(), share))
            .map(|(handle, share)| scope.spawn(move || work(handle, share)))
            .collect();
        let done = shares.into_iter().map(thread::ScopedJoinHandle::join);
        done.map(|done| done.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
