//! Opens the repository that git itself would use, and refuses what git refuses.

use std::{
    path::{Path, PathBuf},
    sync::OnceLock,
};

use gix::odb::pack::cache::lru::MemoryCappedHashmap;
use jiff::Timestamp;

use super::{
    Error, ErrorKind, Oid, Result, command::Git, drivers::Drivers, environment::config_parameters,
    error::Doing, refusal::refuse_where_git_refuses,
};

/// The largest inflated object that is read, in bytes: any user of a remote may have pushed it.
pub(super) const MAX_OBJECT: u64 = 64 << 20;

/// In bytes: each question looks into the folders of the tip. More would cost what reads many commits once.
const SOME_FOLDERS: usize = 512 << 10;

/// The names that a base may have.
const BASES: &str = "a base is a branch, as in main or origin/main, a commit's id, or the full name of a ref, as in refs/tags/v1";

/// The repository extensions that this program supports.
const EXTENSIONS: &[&str] = &[
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "relativeworktrees",
    "worktreeconfig",
];

#[derive(Clone)]
pub struct Repo {
    pub(super) inner: gix::Repository,
    /// The time of new commits; `None` for the current time.
    pub(super) now: Option<Timestamp>,
    /// True if git knows nobody, and [`Repo::or_known_as`] named the author.
    pub is_author_assumed: bool,
    /// Asked when git is first started.
    pub(super) drivers: OnceLock<Drivers>,
    /// Set when git did not list commits in time.
    pub(super) gave_up: OnceLock<()>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadRef {
    /// `None` on a branch without commits.
    pub commit: Option<Oid>,
    /// The branch's short name; `None` if HEAD is detached.
    pub branch: Option<String>,
}

impl Repo {
    /// Opens the repository around `dir`, or the one that `GIT_DIR` names.
    pub fn open(dir: &Path) -> Result<Self> {
        for variable in
            ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE"]
        {
            if std::env::var_os(variable).is_some() {
                return Err(Error::new(
                    ErrorKind::Unsupported,
                    format!("{variable} is set, and git sq does not support it"),
                )
                .help(format!("unset {variable} and run the command again")));
            }
        }
        let options = options()?;
        let found = gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
            dir,
            gix::discover::upwards::Options {
                match_ceiling_dir_or_error: false,
                ..gix::discover::upwards::Options::default()
            },
            gix::sec::trust::Mapping {
                full: options.clone().with(gix::sec::Trust::Full),
                reduced: options.clone().with(gix::sec::Trust::Reduced),
            },
        );
        let mut inner: gix::Repository = match found {
            Ok(inner) => inner.into(),
            Err(error) => return Err(explain_open(dir, error)),
        };
        let is_ours = is_ours(&inner);
        if !is_ours || may_be_out_of_bounds(&inner, dir) {
            refuse_where_git_refuses(dir)?;
        }
        if !is_ours {
            let options = options.with(gix::sec::Trust::Full);
            let worktree = inner.workdir().map(absolute);
            inner =
                gix::open_opts(inner.git_dir().to_owned(), options).doing("open the repository")?;
            set_worktree(&mut inner, worktree)?;
        }
        if worktree_is_here(&inner) {
            set_worktree(&mut inner, Some(absolute(dir)))?;
        }
        refuse_unsupported(&inner)?;
        inner.object_cache_size(SOME_FOLDERS);
        Ok(Self::stored(inner))
    }

    /// Opens the repository whose worktree or git folder is `dir`, and none around it.
    pub fn open_at(dir: &Path) -> Result<Self> {
        let whole = |path: &Path| path.canonicalize().ok();
        // Without this, git would be blamed for a folder that can't be entered.
        std::fs::read_dir(dir)
            .map_err(|error| Error::new(ErrorKind::NoRepository, error.to_string()))?;
        let none = |message: String| Error::new(ErrorKind::NoRepository, message);
        // gix mistakes some relative paths.
        let repo = Self::open(&absolute(dir)).map_err(|error| match error.kind {
            ErrorKind::NoRepository => none("not a git repository".into()),
            _ => error,
        })?;
        let (git_dir, worktree) = (repo.git_dir(), repo.worktree());
        let root = worktree.as_ref().unwrap_or(&git_dir);
        // A bare repository may stand in a folder that only names it, beside its worktrees.
        let is_named = worktree.is_none() && dir.join(".git").exists();
        if is_named || [root, &git_dir].into_iter().any(|root| whole(root) == whole(dir)) {
            return Ok(repo);
        }
        Err(none(format!("not the root of its repository, which is {}", root.display())))
    }

    #[must_use]
    pub fn dated(self, now: Timestamp) -> Self {
        Self { now: Some(now), ..self }
    }

    pub fn now(&self) -> Timestamp {
        self.now.unwrap_or_else(Timestamp::now)
    }

    /// Opens the repository in exactly this folder, regardless of the environment.
    pub fn open_exactly(dir: &Path) -> Result<Self> {
        Ok(Self::stored(gix::open(dir).doing("open the repository")?))
    }

    /// Disables `git replace`: replacement refs differ between clones.
    fn stored(mut inner: gix::Repository) -> Self {
        inner.objects.ignore_replacements = true;
        Self {
            inner,
            now: None,
            is_author_assumed: false,
            drivers: OnceLock::new(),
            gave_up: OnceLock::new(),
        }
    }

    /// A handle with an object cache, for work that reads trees more than once.
    #[must_use]
    pub fn remembering(&self) -> Self {
        /// In bytes: some hundreds of folders of a notes tree.
        const REMEMBERED: usize = 8 << 20;
        let mut repo = self.clone();
        repo.inner.object_cache_size(REMEMBERED);
        repo
    }

    /// A handle with a cache for reading the files of many commits: versions of a file are deltas of each other.
    #[must_use]
    pub fn remembering_versions(&self) -> Self {
        /// In bytes, of delta bases.
        const BASES: usize = 32 << 20;
        let mut repo = self.remembering();
        repo.inner.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(BASES)));
        repo
    }

    pub fn git_dir(&self) -> PathBuf {
        absolute(self.inner.git_dir())
    }

    pub fn common_dir(&self) -> PathBuf {
        absolute(self.inner.common_dir())
    }

    pub fn worktree(&self) -> Option<PathBuf> {
        self.inner.workdir().map(absolute)
    }

    pub fn main_worktree(&self) -> Option<PathBuf> {
        match self.linked_worktree() {
            Some(_) => self.inner.main_repo().ok()?.workdir().map(absolute),
            None => self.worktree(),
        }
    }

    /// The name of its folder, without `.git` for a bare repository.
    pub fn name(&self) -> String {
        let folder = self.main_worktree().unwrap_or_else(|| self.common_dir());
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        name.strip_suffix(".git").unwrap_or(&name).to_owned()
    }

    pub fn linked_worktree(&self) -> Option<String> {
        self.inner.worktree()?.id().ok().flatten().map(ToString::to_string)
    }

    pub fn git(&self) -> Git {
        let (git_dir, worktree) = (self.git_dir(), self.worktree());
        let drivers = self.drivers.get_or_init(|| Drivers::of(&git_dir, worktree.as_deref()));
        let git = Git::in_repository(&git_dir, worktree.as_deref(), &drivers.settings);
        if self.names_a_network_program() { git.env("GIT_NO_LAZY_FETCH", "1") } else { git }
    }

    pub fn head(&self) -> Result<HeadRef> {
        let head = self.inner.head().doing("read HEAD")?;
        let branch = head.referent_name().map(|name| name.shorten().to_string());
        let id = head.id().map(|id| Oid(id.detach()));
        let commit = if head.is_unborn() {
            None
        } else {
            let commit = head.into_peeled_id().map_err(|_| match id {
                Some(id) => self.unread("commit", id),
                None => Error::new(ErrorKind::Other, "HEAD does not point to a commit"),
            })?;
            Some(Oid(commit.detach()))
        };
        Ok(HeadRef { commit, branch })
    }

    /// The commit from which questions are read: a branch, an id, a full ref name, or an ancestor of one (`~`, `^`). A
    /// tag's short name is refused, since anyone who may push can create it.
    pub fn base(&self, revision: &str) -> Result<Oid> {
        let end = revision.find(['~', '^']).unwrap_or(revision.len());
        let (name, steps) = revision.split_at(end);
        if name == "HEAD" || name.starts_with("refs/") {
            return self.commit(revision);
        }
        for prefix in ["refs/remotes/", "refs/heads/"] {
            let full = format!("{prefix}{name}");
            if self.ref_target(&full).ok().flatten().is_some() {
                return self.commit(&(full + steps));
            }
        }
        let error = match self.commit(name) {
            Ok(commit) if commit.to_string().starts_with(name) => return self.commit(revision),
            Ok(_) => Error::new(ErrorKind::BadRevision, format!("{name:?} is not a branch")),
            Err(error) => error,
        };
        let remotes: Vec<String> = self.remotes().into_iter().map(|remote| remote.name).collect();
        let has_it = |remote: &&String| {
            self.ref_target(&format!("refs/remotes/{remote}/{name}")).ok().flatten().is_some()
        };
        let is_remote = |prefix| remotes.iter().any(|remote| remote == prefix);
        Err(match remotes.iter().find(has_it) {
            _ if error.kind != ErrorKind::BadRevision => error,
            Some(remote) => error.help(format!("did you mean {remote}/{revision}?")),
            None if name.split_once('/').is_some_and(|(prefix, _)| is_remote(prefix)) => error,
            None => error.help(BASES),
        })
    }

    pub fn commit(&self, revision: &str) -> Result<Oid> {
        let bad = || {
            let error =
                Error::new(ErrorKind::BadRevision, format!("{revision:?} does not name a commit"));
            let (remote, branch) = revision.split_once('/').unwrap_or_default();
            // CI checkouts and clones of one branch lack the others.
            if self.remotes().iter().any(|one| one.name == remote) {
                return error.help(format!(
                    "fetch it: `git fetch {remote} +refs/heads/{branch}:refs/remotes/{revision}`"
                ));
            }
            error.help("give a branch, a tag or a commit, as in HEAD~3")
        };
        // gix relies on it where it counts parents.
        self.inner.shallow_commits().doing("read the shallow file")?;
        self.inner
            .rev_parse_single(revision)
            .map_err(|_| bad())?
            .object()
            .map_err(|_| bad())?
            .peel_to_commit()
            .map_err(|_| bad())
            .map(|commit| Oid(commit.id))
    }
}

/// The options to open a repository, with the settings of `git -c key=value sq`.
fn options() -> Result<gix::open::Options> {
    let limit = format!("gitoxide.objects.allocLimit={MAX_OBJECT}");
    let options = gix::open::Options::default().config_overrides([limit]);
    let Some(text) = std::env::var_os("GIT_CONFIG_PARAMETERS") else {
        return Ok(options);
    };
    let pairs = text.to_str().and_then(config_parameters).ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, "GIT_CONFIG_PARAMETERS can't be read")
            .help("unset it and run the command again")
    })?;
    Ok(options.cli_overrides(pairs))
}

pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Sets the worktree, which is lost when a repository is reopened.
pub(super) fn set_worktree(repo: &mut gix::Repository, worktree: Option<PathBuf>) -> Result<()> {
    repo.set_workdir(worktree).map(|_| ()).doing("use the worktree")
}

/// Returns true if only `GIT_DIR` is set: git then takes the current folder for the root of the worktree.
fn worktree_is_here(repo: &gix::Repository) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some();
    let config = repo.config_snapshot();
    set("GIT_DIR")
        && !set("GIT_WORK_TREE")
        && config.string("core.worktree").is_none()
        && config.boolean("core.bare") != Some(true)
        && std::env::var("GIT_IMPLICIT_WORK_TREE").map_or(true, |value| value != "0")
}

/// Returns true if git may refuse the repository that gix found: `safe.bareRepository` concerns a repository that
/// contains `dir`, and `GIT_CEILING_DIRECTORIES` one above `dir`.
fn may_be_out_of_bounds(repo: &gix::Repository, dir: &Path) -> bool {
    if std::env::var_os("GIT_DIR").is_some() {
        return false;
    }
    let is_above = |folder: &Path| absolute(dir).starts_with(absolute(folder));
    let is_here = dir.join(".git").symlink_metadata().is_ok();
    is_above(repo.git_dir()) || !is_here && std::env::var_os("GIT_CEILING_DIRECTORIES").is_some()
}

/// Returns true if the current user owns every path whose owner git checks.
fn is_ours(repo: &gix::Repository) -> bool {
    let owned = |path: &Path| {
        gix::sec::Trust::from_path_ownership(path).is_ok_and(|t| t == gix::sec::Trust::Full)
    };
    repo.git_dir_trust() == gix::sec::Trust::Full
        && owned(repo.git_dir())
        && repo.workdir().is_none_or(owned)
}

fn explain_open(dir: &Path, cause: gix::Error) -> Error {
    // The user can look up git's own message.
    refuse_where_git_refuses(dir).err().unwrap_or_else(|| {
        Error::new(ErrorKind::Unsupported, "this repository can't be opened")
            .because(cause)
            .help("git opens it; please report it with the output of `git config --list --local`")
    })
}

fn refuse_unsupported(repo: &gix::Repository) -> Result<()> {
    let config = repo.config_snapshot();
    let is_versioned =
        config.integer("core.repositoryFormatVersion").is_some_and(|version| version >= 1);
    for section in config.plumbing().sections_by_name("extensions").into_iter().flatten() {
        for name in section.value_names() {
            let name = name.to_ascii_lowercase();
            let value = section.value(&name).map(|value| value.to_string()).unwrap_or_default();
            // Version 0 of the format has no extensions, and git ignores unknown ones.
            let is_unknown = is_versioned && !EXTENSIONS.contains(&name.as_str());
            let (message, help) = match name.as_str() {
                "refstorage" if value.eq_ignore_ascii_case("files") => continue,
                "refstorage" => (
                    format!(
                        "this repository stores its refs as {value:?}; git sq only supports \"files\""
                    ),
                    "`git refs migrate --ref-format=files` converts it (git 2.48 or later)",
                ),
                _ if is_unknown => (
                    format!(
                        "this repository uses extensions.{name}, which git sq does not support"
                    ),
                    "a newer git sq may support it",
                ),
                _ => continue,
            };
            return Err(Error::new(ErrorKind::Unsupported, message).help(help));
        }
    }
    Ok(())
}
