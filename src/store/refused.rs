//! Remotes that did not take the log, remembered so that `doctor` can say so without asking them.

use std::{collections::BTreeMap, fs, path::PathBuf};

use super::folder::state_dir;
use crate::git::Repo;

fn path(repo: &Repo) -> PathBuf {
    state_dir(repo).join("refused")
}

/// What each of those remotes said last, by its name.
pub fn refusals(repo: &Repo) -> BTreeMap<String, String> {
    let text = fs::read_to_string(path(repo)).unwrap_or_default();
    let pairs = text.lines().filter_map(|line| line.split_once('\t'));
    pairs
        .map(|(remote, reason)| (remote.to_owned(), reason.to_owned()))
        .collect()
}

/// Notes that a remote refused the log.
pub fn remember_refused(repo: &Repo, remote: &str, reason: &str) {
    let mut refused = refusals(repo);
    let reason = reason.replace(['\n', '\t'], " ");
    if refused.get(remote) != Some(&reason) {
        refused.insert(remote.to_owned(), reason);
        save(repo, &refused);
    }
}

/// Notes that a remote took the log.
pub fn forget_refused(repo: &Repo, remote: &str) {
    let mut refused = refusals(repo);
    if refused.remove(remote).is_some() {
        save(repo, &refused);
    }
}

fn save(repo: &Repo, refused: &BTreeMap<String, String>) {
    let lines = refused
        .iter()
        .map(|(remote, reason)| format!("{remote}\t{reason}\n"));
    // If it can't be kept, the next push tells the same.
    let _ = fs::write(path(repo), lines.collect::<String>());
}
