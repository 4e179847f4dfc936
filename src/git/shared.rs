//! Repositories that several users of one machine write to.

use super::Repo;

impl Repo {
    /// Sets this process's umask as `core.sharedRepository` asks: gix creates objects and refs without it.
    #[cfg(unix)]
    pub fn share_new_files(&self) {
        use nix::sys::stat::{Mode, mode_t, umask};
        let key = &gix::config::tree::Core::SHARED_REPOSITORY;
        let Some(value) = self.config_string("core.sharedRepository") else { return };
        let Ok(asked) = key.try_into_shared_repository(Some(&*value)) else { return };
        if asked == 0 {
            return;
        }
        let files = mode_t::try_from(asked.unsigned_abs()).unwrap_or_default();
        // Whoever may read a folder may enter it.
        let wanted = Mode::from_bits_truncate(files | (files & 0o444) >> 2);
        // git's octal values replace the user's umask, and the others only widen it.
        let own = if asked < 0 { Mode::from_bits_truncate(0o777) } else { umask(Mode::empty()) };
        umask(own - wanted);
    }

    #[cfg(not(unix))]
    pub fn share_new_files(&self) {}
}
