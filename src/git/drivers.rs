//! Programs that git would start by a name: filters, which attributes name, and hooks that the configuration defines.

use std::path::Path;

use super::Git;

/// The settings of a run that turn these off. They are asked from git in the same place, since a condition of
/// `includeIf` may hold there alone.
#[derive(Debug, Clone)]
pub(super) struct Drivers {
    pub settings: Vec<(Vec<u8>, &'static str)>,
    pub filters: Vec<Vec<u8>>,
}

const FILTER: [(&str, &str); 4] =
    [("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")];

const HOOK: [(&str, &str); 2] = [("command", "true"), ("enabled", "false")];

impl Drivers {
    pub fn of(git_dir: &Path, worktree: Option<&Path>) -> Self {
        let listed = Git::in_repository(git_dir, worktree, &[])
            .words("config --null --name-only --get-regexp ^(filter|hook)[.].*[.]")
            .run()
            // Git also fails if there are none.
            .unwrap_or_default();
        let mut keys: Vec<&[u8]> = listed.split(|&byte| byte == 0).filter_map(owner).collect();
        keys.sort_unstable();
        keys.dedup();
        let filters = keys.iter().filter_map(|key| key.strip_prefix(b"filter."));
        Self {
            filters: filters.map(<[u8]>::to_vec).collect(),
            settings: keys
                .iter()
                .flat_map(|key| {
                    let off = if key.starts_with(b"filter.") { &FILTER[..] } else { &HOOK };
                    off.iter().map(|(name, none)| ([*key, b".", name.as_bytes()].concat(), *none))
                })
                .collect(),
        }
    }
}

/// The section and the subsection of a key.
fn owner(key: &[u8]) -> Option<&[u8]> {
    let end = key.iter().rposition(|&byte| byte == b'.')?;
    Some(&key[..end])
}
