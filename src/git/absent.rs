//! Objects that are not here: `git gc` pruned them just now, or a partial clone never had them.

use std::{
    fs,
    sync::OnceLock,
    time::{Duration, Instant},
};

use gix::config::source::Kind;

use super::{Error, ErrorKind, Oid, Repo, Result};

impl Repo {
    /// Retries a read while `git gc` runs: it may have pruned an object that another process writes again.
    pub(super) fn patiently<T>(&self, read: impl Fn() -> Result<T>) -> Result<T> {
        let is_gone = |error: &Error| error.kind == ErrorKind::Missing;
        loop {
            match read() {
                Err(error) if is_gone(&error) && self.waits_for_gc() => {}
                done => return done,
            }
        }
    }

    /// Waits a moment if `git gc` is running or has just ended, and up to a limit in total.
    pub(super) fn waits_for_gc(&self) -> bool {
        const PATIENCE: Duration = Duration::from_secs(5);
        static FIRST: OnceLock<Instant> = OnceLock::new();
        let is_gc = self.is_collecting_garbage() || self.was_just_collected();
        let waits = is_gc && FIRST.get_or_init(Instant::now).elapsed() < PATIENCE;
        if waits {
            std::thread::sleep(Duration::from_millis(10));
        }
        waits
    }

    /// Returns true if `git gc` is running, by git's own file and time limit for it.
    pub(super) fn is_collecting_garbage(&self) -> bool {
        const STALE: Duration = Duration::from_secs(12 * 3600);
        fs::metadata(self.common_dir().join("gc.pid"))
            .and_then(|file| file.modified())
            .is_ok_and(|time| time.elapsed().is_ok_and(|age| age < STALE))
    }

    /// Returns true if `git gc` may have ended just now: who wrote what it pruned is perhaps about to write it again.
    fn was_just_collected(&self) -> bool {
        const JUST_NOW: Duration = Duration::from_secs(1);
        let objects = self.inner.objects.store_ref().path();
        // Last, it writes packs and the commit-graph.
        ["pack", "info"].iter().any(|folder| {
            let time = fs::metadata(objects.join(folder)).and_then(|folder| folder.modified());
            time.is_ok_and(|time| time.elapsed().is_ok_and(|age| age < JUST_NOW))
        })
    }

    /// Fetches the objects that this partial clone lacks in one batch, before they are read one by one.
    /// Returns true if some of them may be here now.
    pub fn bring(&self, ids: &[Oid]) -> bool {
        let absent: Vec<Oid> = ids.iter().copied().filter(|&id| self.lacks(id)).collect();
        self.fetch_promised(&absent)
    }

    /// Returns true if this is a partial clone without this object.
    pub fn lacks(&self, id: Oid) -> bool {
        !self.inner.has_object(id.0) && !self.promisors().is_empty()
    }

    /// Fetches missing objects in one batch, with git's own options for it; returns true if they may be here now.
    pub(super) fn fetch_promised(&self, ids: &[Oid]) -> bool {
        let forbidden = std::env::var("GIT_NO_LAZY_FETCH").is_ok_and(|value| value != "0");
        if ids.is_empty() || forbidden || self.names_a_network_program() {
            return false;
        }
        let wanted: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let wanted = wanted.join("\n") + "\n";
        self.promisors().iter().any(|remote| {
            let git = self
                .git()
                .config("fetch.negotiationAlgorithm", "noop")
                .words("fetch --quiet --no-tags --no-write-fetch-head --no-auto-maintenance")
                .words("--recurse-submodules=no --filter=blob:none --stdin --");
            git.args([remote]).run_with_input(wanted.as_str()).is_ok()
        })
    }

    pub fn promisors(&self) -> Vec<String> {
        let config = self.inner.config_snapshot();
        let mut promisors: Vec<String> =
            config.string("extensions.partialClone").iter().map(ToString::to_string).collect();
        for remote in self.remotes() {
            let key = format!("remote.{}.promisor", remote.name);
            if config.boolean(key.as_str()) == Some(true) && !promisors.contains(&remote.name) {
                promisors.push(remote.name);
            }
        }
        // Git would read such a name as an option.
        promisors.retain(|name| !name.starts_with('-'));
        promisors
    }

    /// Returns true if the repository's own configuration, not the user's, sets what a fetch starts. What only reads
    /// does not fetch then, nor does the git that it starts.
    pub(super) fn names_a_network_program(&self) -> bool {
        let config = self.inner.config_snapshot();
        let mut own = config
            .plumbing()
            .sections()
            .filter(|section| section.meta().source.kind() == Kind::Repository);
        own.any(|section| {
            let set = |names: &[&str]| {
                section
                    .value_names()
                    .any(|key| names.iter().any(|name| key.eq_ignore_ascii_case(name)))
            };
            match section.header().name().to_string().to_ascii_lowercase().as_str() {
                "core" => set(&["sshCommand", "gitProxy"]),
                "credential" => set(&["helper"]),
                "remote" => set(&["uploadpack", "vcs"]),
                "protocol" => set(&["allow"]),
                _ => false,
            }
        })
    }
}
