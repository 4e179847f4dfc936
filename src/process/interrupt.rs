//! Signals that end this program, caught while a child runs that would survive it.

#[cfg(unix)]
pub use unix::{beside, caught, unblock, watch};

#[cfg(unix)]
mod unix {
    use std::{
        process::exit,
        sync::{
            Once,
            atomic::{AtomicBool, Ordering},
        },
        thread,
        time::Duration,
    };

    use nix::sys::signal::{SigSet, Signal};
    use process_wrap::std::{CommandWrap, ResetSigmask};

    /// The time to stop what runs and to clean up after the first signal.
    const GRACE: Duration = Duration::from_secs(5);

    static WATCHES: Once = Once::new();
    static CAUGHT: AtomicBool = AtomicBool::new(false);
    static IS_BESIDE: AtomicBool = AtomicBool::new(false);

    fn signals() -> SigSet {
        SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP])
    }

    /// Catches the first SIGINT, SIGTERM or SIGHUP from now on. The next one, or a while, ends this program.
    pub fn watch() {
        WATCHES.call_once(|| {
            if signals().thread_block().is_ok() {
                thread::spawn(|| {
                    while let Ok(signal) = signals().wait() {
                        if signal == Signal::SIGINT && IS_BESIDE.load(Ordering::Relaxed) {
                            continue;
                        }
                        if CAUGHT.swap(true, Ordering::Relaxed) {
                            exit(130);
                        }
                        thread::spawn(|| {
                            thread::sleep(GRACE);
                            exit(130);
                        });
                    }
                });
            }
        });
    }

    /// Keeps a program from inheriting the blocked signals.
    pub fn unblock(wrap: &mut CommandWrap) {
        if WATCHES.is_completed() {
            wrap.wrap(ResetSigmask);
        }
    }

    /// Waits for a program that has the terminal: Ctrl-C, which reaches both, is meant for that one.
    pub fn beside<T>(wait: impl FnOnce() -> T) -> T {
        watch();
        IS_BESIDE.store(true, Ordering::Relaxed);
        let ended = wait();
        IS_BESIDE.store(false, Ordering::Relaxed);
        ended
    }

    pub fn caught() -> bool {
        CAUGHT.load(Ordering::Relaxed)
    }
}

/// On this system, children end with this program.
#[cfg(not(unix))]
pub fn watch() {}

#[cfg(not(unix))]
pub fn unblock(_: &mut process_wrap::std::CommandWrap) {}

#[cfg(not(unix))]
pub fn beside<T>(wait: impl FnOnce() -> T) -> T {
    wait()
}

#[cfg(not(unix))]
pub fn caught() -> bool {
    false
}
