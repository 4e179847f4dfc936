//! Fetches objects that a partial clone lacks, as git does when they are needed.

use super::{Oid, Repo};

impl Repo {
    /// Fetches the objects that this partial clone lacks in one batch, before they are read one by one.
    pub fn bring(&self, ids: &[Oid]) {
        if self.promisors().is_empty() {
            return;
        }
        let absent = ids.iter().filter(|id| !self.inner.has_object(id.0));
        let absent: Vec<Oid> = absent.copied().collect();
        self.fetch_promised(&absent);
    }

    /// Fetches missing objects in one batch, with git's own options for it; returns true if they may be here now.
    pub(super) fn fetch_promised(&self, ids: &[Oid]) -> bool {
        let forbidden = std::env::var("GIT_NO_LAZY_FETCH").is_ok_and(|value| value != "0");
        if ids.is_empty() || forbidden {
            return false;
        }
        let wanted: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let wanted = wanted.join("\n") + "\n";
        self.promisors().iter().any(|remote| {
            self.git()
                .args(["-c", "fetch.negotiationAlgorithm=noop", "fetch"])
                .args(["--quiet", "--no-tags", "--no-write-fetch-head"])
                .args(["--no-auto-maintenance", "--recurse-submodules=no"])
                .args(["--filter=blob:none", "--stdin", "--", remote])
                .run_with_input(wanted.as_str())
                .is_ok()
        })
    }

    pub fn promisors(&self) -> Vec<String> {
        let config = self.inner.config_snapshot();
        let named = config.string("extensions.partialClone");
        let mut promisors: Vec<String> = named.iter().map(ToString::to_string).collect();
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
}
