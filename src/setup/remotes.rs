//! The configuration that lets the log travel: the values for a remote, and those that this program set.

use crate::{
    git::{ConfigEdit, Remote, Repo},
    store::fetch_refspec,
};

/// Git's setting for notes to show; a glob, because an absent exact ref makes every `git log` warn.
pub const DISPLAY_GLOB: &str = "refs/notes/sq*";

/// A config value that records that hooks were declined, so that `init` does not ask again.
pub fn no_hooks() -> ConfigEdit {
    ConfigEdit::new("sq", None, "hooks", "false")
}

#[derive(Debug, Default)]
pub struct FetchEdits {
    pub add: Vec<ConfigEdit>,
    /// Refspecs of this program from before the remote was renamed or its log got another ref.
    pub remove: Vec<ConfigEdit>,
}

impl FetchEdits {
    /// `None` if the refspec is set, or `git fetch` leaves the log to `git sq sync`.
    pub fn of(remote: &Remote) -> Option<Self> {
        let wanted = fetch_refspec(remote);
        if is_left_to_sync(remote) || remote.fetch.contains(&wanted) {
            return None;
        }
        let edit = |spec: &str| ConfigEdit::new("remote", Some(&remote.name), "fetch", spec);
        let stale = remote.fetch.iter().filter(|spec| is_our_refspec(spec));
        Some(Self { remove: stale.map(|spec| edit(spec)).collect(), add: vec![edit(&wanted)] })
    }
}

/// Returns true if `git fetch` does not fetch the log, and is not to: the remote has no refspec, as in a bare clone, where
/// a first one would change what is fetched, or a negative one.
pub fn is_left_to_sync(remote: &Remote) -> bool {
    remote.fetch.is_empty() || excludes(remote, &remote.log_ref)
}

/// Returns true if a negative refspec of the remote matches a ref.
pub fn excludes(remote: &Remote, name: &str) -> bool {
    remote.fetch.iter().filter_map(|spec| spec.strip_prefix('^')).any(|spec| covers(spec, name))
}

/// Returns true if a ref, or a pattern with one `*`, matches `name`.
pub fn covers(pattern: &str, name: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let rest = name.strip_prefix(before);
    rest.is_some_and(|rest| rest.ends_with(after))
}

/// Returns true if a fetch refspec has the form of this program's; other ones are left alone.
fn is_our_refspec(spec: &str) -> bool {
    let remote = || {
        let (_, target) = spec.strip_prefix('+')?.split_once(':')?;
        target.strip_prefix("refs/notes/remotes/")?.strip_suffix("/sq*")
    };
    remote().is_some_and(|remote| !remote.contains('*'))
}

fn is_ours(edit: &ConfigEdit) -> bool {
    let [section, name] = [&edit.section, &edit.name].map(|word| word.to_ascii_lowercase());
    match (&*section, edit.subsection.as_deref(), &*name) {
        ("notes", None, "displayref") => ["refs/notes/sq", DISPLAY_GLOB].contains(&&*edit.value),
        ("remote", Some(_), "fetch") => is_our_refspec(&edit.value),
        ("remote", Some(_), "sq") | ("sq", None, "hooks") => true,
        ("hook", Some(name), _) => name.starts_with("sq-"),
        _ => false,
    }
}

pub fn our_config(repo: &Repo) -> crate::git::Result<Vec<ConfigEdit>> {
    let mut ours = repo.own_config()?;
    ours.retain(is_ours);
    // A hook with an event and no command stops every git command: the event is removed first.
    ours.sort_by_key(|edit| !edit.name.eq_ignore_ascii_case("event"));
    Ok(ours)
}
