use std::{ops::ControlFlow, path::Path};

use gix::{
    bstr::{BStr, BString},
    objs::tree::{EntryKind, EntryMode},
    prelude::FindExt as _,
};

use serde::Serialize;
use serde_json::json;

use super::{
    Error, Oid, Pathspecs, Repo, Result,
    error::{Doing, too_many},
    limited::Limited,
};
use crate::quote;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileAt {
    /// Relative to the root of the repository, with slashes; bytes that are not UTF-8 are replaced.
    pub path: String,
    pub blob: Oid,
    pub executable: bool,
}

/// A file, a folder, a symbolic link or a submodule of a commit.
#[derive(Debug)]
pub struct EntryAt {
    pub path: String,
    pub is_folder: bool,
    /// The blob of a regular file.
    pub blob: Option<Oid>,
}

impl Repo {
    pub fn tracks(&self, path: &str) -> Result<bool> {
        let list = ["--literal-pathspecs", "ls-files", "-z", "--", path];
        Ok(!self.git().args(list).run()?.is_empty())
    }

    /// Returns true if a committed file was never checked out: it is outside the sparse checkout, or git left out all.
    pub fn leaves_out(&self, path: &str) -> Result<bool> {
        let list = ["--literal-pathspecs", "ls-files", "-v", "-z", "--", path];
        match self.git().args(list).run()?.first() {
            Some(mark) => Ok(mark.eq_ignore_ascii_case(&b'S')),
            None => Ok(!self.tracks(".")?),
        }
    }

    /// A path from the root, as git takes it in the current folder.
    pub fn pathspec(&self, path: &str) -> String {
        match self.inner.prefix() {
            Ok(Some(here)) if here.as_os_str().is_empty() => quote::path(path),
            _ => quote::word(&format!(":/{path}")),
        }
    }

    /// Why a committed file is not in the worktree, and what brings it back.
    pub fn not_checked_out(&self, path: &str) -> (&'static str, String) {
        let word = self.pathspec(path);
        if self.leaves_out(path).unwrap_or(false) {
            return (
                "is not checked out",
                format!("`git checkout --ignore-skip-worktree-bits HEAD -- {word}` checks it out"),
            );
        }
        ("was deleted in the worktree", format!("`git checkout HEAD -- {word}` brings it back"))
    }

    /// Returns true if a file of the worktree that is ignored or not added yet matches or, if `or_added`, one that is.
    pub fn has_in_worktree(&self, spec: &str, or_added: bool) -> Result<bool> {
        let list = self.git().words("ls-files -z --others").args(or_added.then_some("--cached"));
        Ok(!list.args(["--", spec]).run()?.is_empty())
    }

    /// The untracked files among these that git ignores.
    pub fn ignored(&self, paths: &[&Path]) -> Result<Vec<String>> {
        let list = "--literal-pathspecs ls-files -z --others --ignored --exclude-standard --";
        let listed = self.git().words(list).args(paths).run()?;
        Ok(String::from_utf8_lossy(&listed).split_terminator('\0').map(str::to_owned).collect())
    }

    /// What is at `path`, links and submodules, too; fails below one.
    pub fn object_at(&self, commit: Oid, path: &str) -> Result<Option<Oid>> {
        Ok(self.entry_at(commit, path)?.map(|(_, id)| id))
    }

    /// Returns true also for what may lie below a submodule or behind a symbolic link.
    pub fn may_have(&self, commit: Oid, path: &str) -> Result<bool> {
        let mut tree = self.found_tree(self.tree_of(commit)?)?;
        let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
        while let Some(part) = parts.next() {
            let found =
                tree.lookup_entry_by_path(part).doing(format!("look up {path} in {commit}"))?;
            let Some(entry) = found else {
                return Ok(false);
            };
            match entry.mode().kind() {
                EntryKind::Tree => tree = self.found_tree(entry.object_id().into())?,
                EntryKind::Link | EntryKind::Commit => return Ok(true),
                EntryKind::Blob | EntryKind::BlobExecutable => return Ok(parts.peek().is_none()),
            }
        }
        Ok(true)
    }

    /// The regular files of a commit that match, by path; symbolic links and submodules are left out.
    pub fn files_at(&self, commit: Oid, specs: &mut Pathspecs) -> Result<Vec<FileAt>> {
        let mut files = self.some_files_at(commit, specs, usize::MAX)?;
        files.sort_unstable_by(|file, other| file.path.cmp(&other.path));
        Ok(files)
    }

    /// The symbolic links of a commit that match, each with what it leads to as it is written there.
    pub fn links_at(&self, commit: Oid, specs: &mut Pathspecs) -> Result<Vec<(String, String)>> {
        let mut links = Vec::new();
        self.walk_files(commit, |path, mode, id| {
            if mode.is_link() && specs.matches(path) {
                links.push((path.to_string(), id));
            }
            ControlFlow::Continue(specs.may_match_below(path))
        })?;
        let read = |(path, id)| Ok((path, String::from_utf8_lossy(&self.blob(id)?).into_owned()));
        links.into_iter().map(read).collect()
    }

    /// All that a commit has: folders, symbolic links and submodules, too.
    pub fn entries_at(&self, commit: Oid) -> Result<Vec<EntryAt>> {
        let mut entries = Vec::new();
        self.walk_files(commit, |path, mode, id| {
            entries.push(EntryAt {
                path: path.to_string(),
                is_folder: mode.is_tree(),
                blob: mode.is_blob().then_some(id),
            });
            ControlFlow::Continue(true)
        })?;
        Ok(entries)
    }

    pub fn has_file_at(&self, commit: Oid, specs: &mut Pathspecs) -> Result<bool> {
        Ok(!self.some_files_at(commit, specs, 1)?.is_empty())
    }

    pub fn unmatched<'s>(&self, commit: Oid, specs: &'s [String]) -> Result<Vec<&'s str>> {
        let mut found = Vec::new();
        for (spec, mut pathspecs) in Pathspecs::each(specs)? {
            if !self.has_file_at(commit, &mut pathspecs)? {
                found.push(spec);
            }
        }
        Ok(found)
    }

    /// What to say of a pathspec that matches no file of a commit because it names a submodule, or what is in one.
    pub fn not_followed(&self, commit: Oid, spec: &str) -> Result<Option<String>> {
        let mut specs = Pathspecs::parse(&[spec.to_owned()])?;
        let mut place = None;
        self.walk_files(commit, |path, mode, _| {
            if mode.is_commit() {
                let end = spec.as_bytes().strip_prefix(&**path);
                let is_below = end.is_some_and(|end| end.starts_with(b"/") && end.len() > 1);
                let how = match path.to_string() {
                    path if is_below => Some((format!("is in the submodule {path}"), path)),
                    path if path == spec => Some(("is a submodule".to_owned(), path)),
                    path if specs.matches((&*path).into()) => {
                        Some((format!("has the submodule {path}"), path))
                    }
                    _ => None,
                };
                place = place.take().or(how);
            }
            ControlFlow::Continue(place.is_none() && specs.may_match_below(path))
        })?;
        Ok(place.map(|(how, path)| {
            let probe = quote::word(&json!({ "tree": path }).to_string());
            format!("{how}, and not followed: `git sq probe {probe}` finds its commit")
        }))
    }

    fn some_files_at(
        &self,
        commit: Oid,
        specs: &mut Pathspecs,
        most: usize,
    ) -> Result<Vec<FileAt>> {
        let mut files = Vec::new();
        self.walk_files(commit, |path, mode, blob| match mode.kind() {
            EntryKind::Tree => ControlFlow::Continue(specs.may_match_below(path)),
            kind @ (EntryKind::Blob | EntryKind::BlobExecutable) if specs.matches(path) => {
                files.push(FileAt {
                    path: path.to_string(),
                    blob,
                    executable: kind == EntryKind::BlobExecutable,
                });
                if files.len() == most {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(false)
                }
            }
            _ => ControlFlow::Continue(false),
        })?;
        Ok(files)
    }

    /// Passes all that a commit has to `visit`, which breaks to end the walk, and returns true for a folder to enter.
    /// Fails if that is more than is read.
    fn walk_files(
        &self,
        commit: Oid,
        mut visit: impl FnMut(&BStr, EntryMode, Oid) -> ControlFlow<(), bool>,
    ) -> Result<()> {
        let trees = Limited::files(&self.inner.objects);
        let mut buffer = Vec::new();
        let mut folders = vec![(BString::default(), self.tree_of(commit)?)];
        while let Some((folder, tree)) = folders.pop() {
            let entries = trees.find_tree_iter(&tree.0, &mut buffer).map_err(|_| {
                if trees.is_spent() { too_many_files(commit) } else { self.unread("tree", tree) }
            })?;
            for entry in entries {
                let entry = entry.doing("read a tree")?;
                let mut path = folder.clone();
                path.extend_from_slice(entry.filename);
                if !trees.takes(&path) {
                    return Err(too_many_files(commit));
                }
                let id = Oid(entry.oid.to_owned());
                match visit(path.as_ref(), entry.mode, id) {
                    ControlFlow::Break(()) => return Ok(()),
                    ControlFlow::Continue(true) if entry.mode.is_tree() => {
                        path.push(b'/');
                        folders.push((path, id));
                    }
                    ControlFlow::Continue(_) => {}
                }
            }
        }
        Ok(())
    }
}

fn too_many_files(commit: Oid) -> Error {
    too_many(&format!("the commit {commit} has more files and folders than git sq reads"), commit)
}
