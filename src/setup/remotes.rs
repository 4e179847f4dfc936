//! The configuration that lets the log travel: the values for a remote, and those that this program set.

use super::{Error, git_hooks::planted_config};
use crate::{
    git::{ConfigEdit, DEFAULT_LOG_REF, Remote, Repo},
    quote,
    store::{LOCAL_REF, LocalState, fetch_refspec, share::covers, tracking_prefix},
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

/// A fetch refspec that overwrites the local log, or makes every fetch fail.
pub struct DangerousRefspec {
    pub message: String,
    pub remedy: String,
    /// `None` where a person has to decide: a mirror fetches other refs as well, and other config files are the user's.
    pub cure: Option<FetchEdits>,
}

impl DangerousRefspec {
    pub fn of(repo: &Repo, remote: &Remote) -> Vec<Self> {
        if excludes(remote, LOCAL_REF) {
            return Vec::new();
        }
        let own = repo.own_config().unwrap_or_default();
        let is_mirror = repo.worktree().is_none();
        remote
            .fetch
            .iter()
            .filter_map(|spec| {
                let edit =
                    |spec: &str| ConfigEdit::new("remote", Some(&remote.name), "fetch", spec);
                let is_own = own.contains(&edit(spec));
                let (source, target) = spec.trim_start_matches('+').split_once(':')?;
                covers(target, LOCAL_REF).then_some(())?;
                // Other notes of the user are fetched still, beside the log.
                let instead = (source == ALL_NOTES && remote.log_ref == DEFAULT_LOG_REF)
                    .then(|| format!("+{ALL_NOTES}:{}*", tracking_prefix(&remote.name)));
                let cure = FetchEdits {
                    remove: vec![edit(spec)],
                    add: instead.iter().map(|spec| edit(spec)).collect(),
                };
                Some(Self {
                    message: danger(&remote.name, spec),
                    remedy: if is_mirror && !source.starts_with("refs/notes") {
                        apart(remote)
                    } else {
                        mending(remote, spec, instead.as_deref(), is_own)
                    },
                    cure: Some(cure).filter(|_| is_own && source.starts_with("refs/notes")),
                })
            })
            .collect()
    }
}

const ALL_NOTES: &str = "refs/notes/*";

fn danger(name: &str, spec: &str) -> String {
    let why = if spec.starts_with('+') {
        "each fetch overwrites the local log, including entries not pushed yet, and pruning deletes it"
    } else {
        "each fetch fails once both sides have new entries, and pruning deletes the local log"
    };
    format!("{name} is fetched with {spec}: {why}")
}

fn mending(remote: &Remote, spec: &str, instead: Option<&str>, is_own: bool) -> String {
    let file = if is_own { "" } else { "--global " };
    let key = quote::word(&format!("remote.{}.fetch", remote.name));
    let spec = quote::word(spec);
    match instead {
        Some(instead) => format!(
            "git config {file}--fixed-value --replace-all {key} {} {spec}",
            quote::word(instead)
        ),
        None => format!("git config {file}--fixed-value --unset-all {key} {spec}"),
    }
}

/// A mirror goes on with all but these.
fn apart(remote: &Remote) -> String {
    let key = quote::word(&format!("remote.{}.fetch", remote.name));
    let apart =
        format!("git config --add {key} '^refs/notes/sq*'\ngit config --add {key} '^refs/sq/*'");
    if remote.shares_log {
        format!("{apart}\ngit sq sync {}", quote::word(&remote.name))
    } else {
        apart
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
