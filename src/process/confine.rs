//! Keeps a program from writing but where it may, by Landlock.

#[cfg(target_os = "linux")]
pub use linux::{can_confine, confined};

#[cfg(target_os = "linux")]
mod linux {
    use std::{
        io,
        panic::resume_unwind,
        path::{Path, PathBuf},
        thread,
    };

    use landlock::{
        ABI, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, RulesetCreated,
        RulesetCreatedAttr as _, RulesetError, path_beneath_rules,
    };

    /// The first one that keeps files from being truncated.
    const VERSION: ABI = ABI::V3;

    fn ruleset() -> Result<RulesetCreated, RulesetError> {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_write(VERSION))?
            .create()
    }

    /// Whether this kernel can.
    pub fn can_confine() -> bool {
        ruleset().is_ok()
    }

    /// Starts a program in a thread that can write in these places only, as can what it starts; anywhere where the kernel
    /// can't confine it.
    pub fn confined<T: Send>(
        places: &[PathBuf],
        start: impl FnOnce() -> io::Result<T> + Send,
    ) -> io::Result<T> {
        let Ok(ruleset) = ruleset() else {
            return start();
        };
        let places = places.iter().map(PathBuf::as_path);
        let places = places.chain([Path::new("/dev/null")]);
        let rules = path_beneath_rules(places, AccessFs::from_write(VERSION));
        let ruleset = ruleset.add_rules(rules).map_err(io::Error::other)?;
        thread::scope(|scope| {
            let thread = scope.spawn(|| {
                ruleset.restrict_self().map_err(io::Error::other)?;
                start()
            });
            thread.join().unwrap_or_else(|panic| resume_unwind(panic))
        })
    }
}

#[cfg(not(target_os = "linux"))]
pub fn can_confine() -> bool {
    false
}

#[cfg(not(target_os = "linux"))]
pub fn confined<T>(
    _: &[std::path::PathBuf],
    start: impl FnOnce() -> std::io::Result<T>,
) -> std::io::Result<T> {
    start()
}
