//! The configuration that lets the log travel: what is set for a remote, and what is ours among what is set.

use crate::{
    git::{ConfigEdit, Remote, Repo},
    store::fetch_refspec,
};

/// Where git looks for notes to show; a glob, because an absent exact ref makes every `git log` warn.
pub const DISPLAY_GLOB: &str = "refs/notes/sq*";

/// Whether hooks were declined: a value of ours, so that nobody is asked twice.
pub fn no_hooks() -> ConfigEdit {
    ConfigEdit::new("sq", None, "hooks", "false")
}

/// What makes `git fetch` bring a remote's log.
#[derive(Debug, Default)]
pub struct FetchEdits {
    pub add: Vec<ConfigEdit>,
    /// Refspecs of ours from before the remote was renamed or its log got another ref.
    pub remove: Vec<ConfigEdit>,
}

impl FetchEdits {
    /// None where the refspec is there, or there is no refspec at all: a first one would change what a plain `git fetch`
    /// brings.
    pub fn of(remote: &Remote) -> Option<Self> {
        let wanted = fetch_refspec(remote);
        if remote.fetch.is_empty() || remote.fetch.contains(&wanted) {
            return None;
        }
        let edit = |spec: &str| ConfigEdit::new("remote", Some(&remote.name), "fetch", spec);
        let stale = remote.fetch.iter().filter(|spec| is_our_refspec(spec));
        Some(Self {
            remove: stale.map(|spec| edit(spec)).collect(),
            add: vec![edit(&wanted)],
        })
    }
}

/// Whether a fetch refspec has the shape of ours; others have a right to be there.
fn is_our_refspec(spec: &str) -> bool {
    let target = spec.strip_prefix('+').and_then(|spec| spec.split_once(':'));
    let remote = target
        .and_then(|(_, target)| target.strip_prefix("refs/notes/remotes/"))
        .and_then(|rest| rest.strip_suffix("/sq*"));
    remote.is_some_and(|remote| !remote.contains('*'))
}

/// Whether a value is one that `init` sets.
fn is_ours(edit: &ConfigEdit) -> bool {
    let subsection = edit.subsection.as_deref();
    let key = (
        edit.section.to_ascii_lowercase(),
        edit.name.to_ascii_lowercase(),
    );
    match (key.0.as_str(), subsection, key.1.as_str()) {
        ("notes", None, "displayref") => ["refs/notes/sq", DISPLAY_GLOB].contains(&&*edit.value),
        ("remote", Some(_), "fetch") => is_our_refspec(&edit.value),
        ("remote", Some(_), "sq") | ("sq", None, "hooks") => true,
        ("hook", Some(name), _) => name.starts_with("sq-"),
        _ => false,
    }
}

/// What `init` set in the clone's own config file.
pub fn our_config(repo: &Repo) -> crate::git::Result<Vec<ConfigEdit>> {
    let mut ours = repo.own_config()?;
    ours.retain(is_ours);
    // A hook whose event is there and whose command is not stops every git command: the event goes first.
    ours.sort_by_key(|edit| !edit.name.eq_ignore_ascii_case("event"));
    Ok(ours)
}
