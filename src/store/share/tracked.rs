//! The refs in this clone that track a remote.

use crate::git::Remote;

/// Refs that git or people create, and those of notes.
const NEVER: [&str; 3] = ["refs/heads/", "refs/tags/", "refs/notes/"];

/// Returns true if a ref of this clone holds what was fetched from `remote`: one of its refspecs leads there, and no
/// refspec of another remote does so more precisely.
pub fn is_tracked(name: &str, remote: &Remote, remotes: &[Remote]) -> bool {
    let claim = |remote: &Remote| {
        let claims = specs(remote).filter_map(|(_, target)| precision(target, name));
        claims.max()
    };
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
    let specs = remote.fetch.iter();
    specs.filter_map(|spec| spec.trim_start_matches('+').split_once(':'))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn remote(name: &str, specs: &[&str]) -> Remote {
        Remote {
            name: name.to_owned(),
            shares_log: true,
            declines_log: false,
            fetch: specs.iter().map(ToString::to_string).collect(),
            log_ref: "refs/notes/sq".to_owned(),
        }
    }

    #[test]
    fn a_ref_belongs_to_the_remote_that_claims_it_most_precisely() {
        let origin = remote("origin", &["+refs/heads/*:refs/remotes/origin/*"]);
        let fork = remote("origin/fork", &["+refs/heads/*:refs/remotes/origin/fork/*"]);
        let twin = remote("twin", &["+refs/heads/*:refs/remotes/origin/*"]);
        let mirror = remote("mirror", &["+refs/*:refs/*", "^refs/heads/no"]);
        let both = [origin.clone(), fork.clone(), mirror.clone()];
        let is = |name: &str, remote: &Remote| is_tracked(name, remote, &both);
        assert!(is("refs/remotes/origin/main", &origin));
        assert!(!is("refs/remotes/origin/fork/main", &origin));
        assert!(is("refs/remotes/origin/fork/main", &fork));
        assert!(!is("refs/remotes/origin/main", &mirror));
        for never in ["refs/heads/main", "refs/tags/v1", "refs/notes/x"] {
            assert!(!is(never, &mirror), "{never}");
        }
        assert!(is("refs/pull/1/head", &mirror));
        let both = [origin.clone(), twin];
        assert!(!is_tracked("refs/remotes/origin/main", &origin, &both));
    }

    #[test]
    fn a_ref_is_found_where_a_refspec_puts_it() {
        let specs = [
            "+refs/heads/*:refs/remotes/o/*",
            "refs/tags/v1:refs/seen/v1",
        ];
        let origin = remote("o", &specs);
        let at = |name| kept_at(name, &origin);
        assert_eq!(at("refs/heads/a/b").as_deref(), Some("refs/remotes/o/a/b"));
        assert_eq!(at("refs/tags/v1").as_deref(), Some("refs/seen/v1"));
        assert_eq!(at("refs/tags/v2"), None);
    }
}
