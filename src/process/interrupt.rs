//! Signals that ask this program to end, where what it started would go on without it.

#[cfg(unix)]
pub use unix::{caught, watch};

#[cfg(unix)]
mod unix {
    use std::{
        sync::{
            Once,
            atomic::{AtomicBool, Ordering},
        },
        thread,
    };

    use nix::sys::signal::{SigSet, Signal};

    static CAUGHT: AtomicBool = AtomicBool::new(false);

    /// From now on, SIGINT, SIGTERM and SIGHUP are noted and don't end this program by themselves.
    pub fn watch() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let signals = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
            if signals.thread_block().is_err() {
                return;
            }
            thread::spawn(move || {
                while signals.wait().is_ok() {
                    CAUGHT.store(true, Ordering::Relaxed);
                }
            });
        });
    }

    /// Whether one was noted.
    pub fn caught() -> bool {
        CAUGHT.load(Ordering::Relaxed)
    }
}

/// Here the system ends what this program started with it.
#[cfg(not(unix))]
pub fn watch() {}

#[cfg(not(unix))]
pub fn caught() -> bool {
    false
}
