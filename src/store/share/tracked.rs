//! The refs in this clone that track a remote.

use crate::git::Remote;

/// Refs that git or people create, and those of notes.
const NEVER: [&str; 3] = ["refs/heads/", "refs/tags/", "refs/notes/"];

/// Returns true if a ref of this clone holds what was fetched from `remote`: one of its refspecs leads there, and no
/// refspec of another remote does so more precisely.
pub fn is_tracked(name: &str, remote: &Remote, remotes: &[Remote]) -> bool {
    let claim =
        |remote: &Remote| specs(remote).filter_map(|(_, target)| precision(target, name)).max();
    let Some(ours) = claim(remote).filter(|_| !NEVER.iter().any(|never| name.starts_with(never)))
    else {
        return false;
    };
    let mut others = remotes.iter().filter(|other| other.name != remote.name);
    !others.any(|other| claim(other).is_some_and(|theirs| theirs >= ours))
}

pub fn kept_at(name: &str, remote: &Remote) -> Option<String> {
    specs(remote).find_map(|(source, target)| {
        precision(source, name)?;
        let Some((before, after)) = source.split_once('*') else {
            return Some(target.to_owned());
        };
        let star = &name[before.len()..name.len() - after.len()];
        Some(target.replacen('*', star, 1))
    })
}

fn specs(remote: &Remote) -> impl Iterator<Item = (&str, &str)> {
    remote.fetch.iter().filter_map(|spec| spec.trim_start_matches('+').split_once(':'))
}

/// Returns true if a ref, or a pattern with one `*`, matches `name`.
pub fn covers(pattern: &str, name: &str) -> bool {
    precision(pattern, name).is_some()
}

/// The length of the literal part of a pattern; `None` if the pattern does not match.
fn precision(pattern: &str, name: &str) -> Option<usize> {
    let Some((before, after)) = pattern.split_once('*') else {
        return (pattern == name).then_some(usize::MAX);
    };
    let is_match = name.len() >= before.len() + after.len()
        && name.starts_with(before)
        && name.ends_with(after);
    is_match.then_some(before.len())
}
