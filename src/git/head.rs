//! The state of HEAD that an entry records, by which its commit is found again after a rewrite of history.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{
    HeadRef, Oid, Repo, Result, Span,
    commit::{seconds, signature, timestamp},
    error::Doing,
};
use crate::{
    entry::{Head, Person, Text},
    file,
};

/// Above this number of changed paths, neither the patch-id nor the commits are recorded.
const MAX_CHANGED_PATHS: usize = 2000;
/// Commits of a branch that are recorded at most.
pub const MAX_COMMITS: usize = 50;
pub const COMMIT_DIGITS: usize = 12;

impl Repo {
    /// HEAD, and why it could not be told whether tracked files differ from it.
    pub fn head_details(
        &self,
        commit: Oid,
        branch: Option<&str>,
    ) -> Result<(Head<'static>, Option<String>)> {
        let (dirty, doubt) = match self.is_dirty() {
            Ok(dirty) => (dirty, None),
            // A filter of the user may fail.
            Err(error) => (true, Some(error.to_string())),
        };
        let worktree = self.linked_worktree().map(Text::from);
        Ok((Head { worktree, dirty, ..self.commit_details(commit, branch)? }, doubt))
    }

    /// Describes a commit as the tip of a branch, whatever the worktree has.
    pub fn commit_details(&self, commit: Oid, branch: Option<&str>) -> Result<Head<'static>> {
        let mut head = Head {
            branch: branch.map(str::to_owned).map(Text::from),
            tree: self.tree_of(commit)?.to_string().into(),
            ..Head::default()
        };
        let Some((name, default)) = self.default_branch(branch)? else {
            return Ok(head);
        };
        if branch == Some(name.as_str()) || default == commit {
            return Ok(head);
        }
        let Some(base) = self.merge_base(default, commit)?.filter(|&b| b != commit) else {
            return Ok(head);
        };
        head.base = Some(base.to_string().into());
        if self.changes(base, commit)?.len() <= MAX_CHANGED_PATHS {
            let span = Span { base, commit };
            head.patch_id = self.patch_ids(&[span])?.remove(&commit).map(Text::from);
            let commits = self.commits_between(base, commit)?;
            let digits = |id: &Oid| id.to_string()[..COMMIT_DIGITS].to_owned().into();
            head.commits = Some(commits.iter().take(MAX_COMMITS).map(digits).collect());
        }
        Ok(head)
    }

    /// HEAD of the main or a linked worktree; `None` if the worktree is gone or can't be read.
    pub fn head_of_worktree(&self, linked: Option<&str>) -> Option<HeadRef> {
        let git_dir = match linked {
            Some(name) => self.common_dir().join("worktrees").join(name),
            None => self.common_dir(),
        };
        Self::open_exactly(&git_dir).and_then(|there| there.head()).ok()
    }

    /// The time at which git made a linked worktree, which moving it does not change.
    pub fn worktree_made(&self, linked: &str) -> Option<Timestamp> {
        let file = self.common_dir().join("worktrees").join(linked).join("commondir");
        file.metadata().ok()?.modified().ok()?.try_into().ok()
    }

    pub fn subject(&self, commit: Oid) -> Result<String> {
        Ok(self.found(commit)?.message().doing("read a commit")?.summary().to_string())
    }

    pub fn author(&self, commit: Oid) -> Result<Person> {
        let commit = self.found(commit)?;
        let author = signature(&commit.data, "author");
        let [name, email] = author.map(|by| [by.name, by.email]).unwrap_or_default();
        Ok(Person { name: name.to_string(), email: email.to_string() })
    }

    /// Returns true if somebody with this address wrote or committed a commit.
    pub fn is_by(&self, commit: Oid, email: &str) -> Result<bool> {
        let commit = self.found(commit)?;
        let author = commit.author().doing("read a commit")?;
        let committer = commit.committer().doing("read a commit")?;
        Ok([author, committer]
            .iter()
            .any(|person| person.email.eq_ignore_ascii_case(email.as_bytes())))
    }

    /// The time at which a commit was authored, which rewriting it does not change.
    pub fn authored(&self, commit: Oid) -> Result<Timestamp> {
        let commit = self.found(commit)?;
        Ok(timestamp(seconds(signature(&commit.data, "author"))))
    }

    pub fn message(&self, commit: Oid) -> Result<String> {
        Ok(self.found(commit)?.message_raw_sloppy().to_string())
    }

    /// Returns true if tracked files differ from HEAD; a bare repository has none. No filter runs: a file that git can't
    /// compare without its filter counts as changed.
    pub fn is_dirty(&self) -> Result<bool> {
        self.differs(&[])
    }

    /// Returns true if files differ from `blobs`, even if the index tells git to ignore their changes.
    pub fn differ(&self, blobs: &BTreeMap<String, String>) -> Result<bool> {
        let paths: Vec<&str> = blobs.keys().map(String::as_str).collect();
        let Some(top) = self.worktree().filter(|_| !paths.is_empty()) else {
            return Ok(false);
        };
        let list = ["--literal-pathspecs", "ls-files", "-v", "-z", "--"];
        for entry in self.git().args(list).args(&paths).run()?.split(|&byte| byte == 0) {
            // `h` is assumed to be unchanged, `S` is outside the sparse checkout.
            let Some((b'a'..=b'z' | b'S', path)) = entry.split_first() else {
                continue;
            };
            let path = String::from_utf8_lossy(path);
            let blob = blobs.get(path.trim_start());
            let there = file::read(&top, path.trim_start().as_ref(), file::MOST)
                .ok()
                .map(|bytes| self.blob_id(&bytes))
                .transpose()?;
            if there.map(|id| id.to_string()).as_ref() != blob {
                return Ok(true);
            }
        }
        self.differs(&paths)
    }

    fn differs(&self, paths: &[&str]) -> Result<bool> {
        // As for `git describe --dirty`, untracked files don't count.
        Ok(!self.status("--untracked-files=no", paths)?.is_empty())
    }

    /// Returns true if a file that differs from HEAD was written at `since` or later; of a deleted file, its folder tells.
    pub fn was_written(
        &self,
        since: Timestamp,
        is_left_out: impl Fn(&str) -> bool,
    ) -> Result<bool> {
        let Some(top) = self.worktree() else {
            return Ok(false);
        };
        let status = self.status("--untracked-files=normal", &[])?;
        let paths = status
            .split(|&byte| byte == 0)
            .filter_map(|entry| entry.get(3..).map(String::from_utf8_lossy));
        let written = |path: &str| {
            top.join(path)
                .ancestors()
                .find_map(|ancestor| ancestor.symlink_metadata().ok())?
                .modified()
                .ok()?
                .try_into()
                .ok()
        };
        let mut paths = paths.filter(|path| !is_left_out(path));
        Ok(paths.any(|path| written(&path).is_some_and(|at: Timestamp| at >= since)))
    }

    pub(super) fn status(&self, untracked: &str, paths: &[&str]) -> Result<Vec<u8>> {
        if self.worktree().is_none() {
            return Ok(Vec::new());
        }
        // Git would start another one in each submodule, whose filters are its own.
        let status =
            "--literal-pathspecs status --porcelain -z --no-renames --ignore-submodules=dirty";
        self.git().words(status).args([untracked, "--"]).args(paths).run()
    }

    /// The short name and the tip of a branch's upstream, as last fetched.
    pub fn upstream(&self, branch: &str) -> Result<Option<(String, Oid)>> {
        let name = gix::refs::FullName::try_from(format!("refs/heads/{branch}"))
            .doing("read the branch")?;
        let tracked = self
            .inner
            .branch_remote_tracking_ref_name(name.as_ref(), gix::remote::Direction::Fetch);
        let Some(Ok(tracked)) = tracked else {
            return Ok(None);
        };
        let tip = self.ref_target(&tracked.as_bstr().to_string())?;
        Ok(tip.map(|tip| (tracked.shorten().to_string(), tip)))
    }

    /// The short name and the tip of the default branch: the upstream remote's HEAD, else git's own defaults.
    pub fn default_branch(&self, branch: Option<&str>) -> Result<Option<(String, Oid)>> {
        let remote = self.upstream_remote(branch);
        let remote = remote.map(|remote| format!("refs/remotes/{remote}/"));
        if let Some(prefix) = &remote
            && let Ok(Some(head)) = self.inner.try_find_reference(&format!("{prefix}HEAD"))
            && let Some(target) = head.target().try_name()
            && let Some(name) = target.as_bstr().to_string().strip_prefix(prefix)
            && let Some(tip) = self.ref_target(&format!("{prefix}{name}"))?
        {
            return Ok(Some((name.to_owned(), tip)));
        }
        let names = self
            .config_string("init.defaultBranch")
            .into_iter()
            .chain(["main".into(), "master".into()]);
        let names: Vec<String> = names.collect();
        // CI systems check out a detached commit, without branches and without the remote's HEAD.
        for folder in ["refs/heads/"].into_iter().chain(remote.as_deref()) {
            for name in &names {
                if let Some(tip) = self.ref_target(&format!("{folder}{name}"))? {
                    return Ok(Some((name.clone(), tip)));
                }
            }
        }
        Ok(None)
    }
}
