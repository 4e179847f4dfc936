//! The configuration that lets the log travel: the values for a remote, and those that this program set.

use super::{Error, git_hooks::planted_config};
use crate::{
    git::{ConfigEdit, Remote, Repo},
    store::{LocalState, fetch_refspec},
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
    /// `None` if the refspec is set, or the remote has no refspec at all: a first one would change what a plain `git
    /// fetch` fetches.
    pub fn of(remote: &Remote) -> Option<Self> {
        let wanted = fetch_refspec(remote);
        if remote.fetch.is_empty() || remote.fetch.contains(&wanted) {
            return None;
        }
        let edit = |spec: &str| ConfigEdit::new("remote", Some(&remote.name), "fetch", spec);
        let stale = remote.fetch.iter().filter(|spec| is_our_refspec(spec));
        Some(Self { remove: stale.map(|spec| edit(spec)).collect(), add: vec![edit(&wanted)] })
    }
}

/// Returns true if a fetch refspec has the form of this program's; other ones are left alone.
fn is_our_refspec(spec: &str) -> bool {
    let remote = || {
        let (_, target) = spec.strip_prefix('+')?.split_once(':')?;
        target.strip_prefix("refs/notes/remotes/")?.strip_suffix("/sq*")
    };
    remote().is_some_and(|remote| !remote.contains('*'))
}

fn is_ours(edit: &ConfigEdit, displays: bool) -> bool {
    let [section, name] = [&edit.section, &edit.name].map(|word| word.to_ascii_lowercase());
    match (&*section, edit.subsection.as_deref(), &*name, &*edit.value) {
        ("notes", None, "displayref", value) => displays && value == DISPLAY_GLOB,
        ("remote", Some(_), "fetch", spec) => is_our_refspec(spec),
        ("remote", Some(_), "sq", "true") | ("sq", None, "hooks", "false") => true,
        _ => false,
    }
}

/// The values that `init` set; others under the same keys stay.
pub fn our_config(repo: &Repo) -> Result<Vec<ConfigEdit>, Error> {
    let displays = LocalState::read(repo)?.displays;
    let own = repo.own_config()?;
    let mut ours = planted_config(&own);
    ours.extend(own.into_iter().filter(|edit| is_ours(edit, displays)));
    Ok(ours)
}
