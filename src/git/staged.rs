//! The index as the next commit, and what it and the worktree change.

use gix::{
    ObjectId,
    bstr::BString,
    objs::{Write as _, tree::EntryMode},
};

use super::{Error, FileChange, Oid, Repo, Result, error::Doing};

/// The tree of the commit that is being made, in memory.
pub struct Staged {
    /// Reads this tree, too.
    pub repo: Repo,
    pub tree: Oid,
    /// The changes of the index, of no commit yet: its id is all zeros, as in `git blame`.
    pub changes: Vec<FileChange>,
}

impl Repo {
    /// The index on top of `head`, as `git diff --cached` reads it; fails if it has unmerged files.
    pub fn staged(&self, head: Option<Oid>) -> Result<Staged> {
        let root = match head {
            Some(head) => self.tree_of(head)?.0,
            None => ObjectId::empty_tree(self.inner.object_hash()),
        };
        let listed = self
            .git()
            .words("diff --cached --raw -z --no-abbrev --no-renames --no-ext-diff --no-relative")
            .words("--no-color --ignore-submodules=none --")
            .run()?;
        let mut repo = self.clone();
        repo.inner.objects.enable_object_memory();
        let mut fields = listed.split(|&byte| byte == 0);
        let (mut entries, mut changes) = (Vec::new(), Vec::new());
        while let (Some(raw), Some(path)) = (fields.next(), fields.next()) {
            // `:100644 100644 <id before> <id after> M`, then the path.
            let raw = String::from_utf8_lossy(raw);
            let raw: Vec<&str> = raw.split(' ').collect();
            let shown = String::from_utf8_lossy(path).into_owned();
            let [was, mode, _, id, status] = raw[..] else { continue };
            let exists = [was.trim_start_matches(':'), mode].map(|mode| mode != "000000");
            if status == "U" {
                let message = format!("{shown} is not merged yet");
                return Err(Error::refused(message, "resolve the conflict and `git add` the file"));
            }
            let mode = EntryMode::from_bytes(mode.as_bytes());
            let id = id.parse().ok().filter(|_| status != "D");
            changes.push(FileChange {
                age: 0,
                commit: Oid(ObjectId::null(self.inner.object_hash())),
                committed: self.now(),
                is_merge: false,
                path: shown,
                exists,
                blob: id.filter(|_| mode.is_some_and(|mode| mode.is_blob())),
            });
            entries.push((BString::from(path), mode.zip(id)));
        }
        let mut editor = repo.inner.edit_tree(root).doing("read the tree of HEAD")?.detach();
        // Removed first: a file may have become a folder.
        entries.sort_by_key(|(_, entry)| entry.is_some());
        for (path, entry) in &entries {
            let parts = path.split(|&byte| byte == b'/').map(<&gix::bstr::BStr>::from);
            match entry {
                Some((mode, id)) => editor.upsert(parts, mode.kind(), id.0),
                None => editor.remove(parts),
            }
            .doing("read the index")?;
        }
        let tree = editor.write(|tree| repo.inner.objects.write(tree)).doing("read the index")?;
        drop(editor);
        Ok(Staged { repo, tree: Oid(tree), changes })
    }

    /// The files among these that differ in the worktree from HEAD, or else from the index.
    pub fn differing(&self, paths: &[String], from_index: bool) -> Result<Vec<String>> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let status = self.status("--untracked-files=no", &paths)?;
        Ok(status
            .split(|&byte| byte == 0)
            // `XY path`: X is the index against HEAD, Y the worktree against the index.
            .filter(|entry| !from_index || entry.get(1).is_some_and(|&mark| mark != b' '))
            .filter_map(|entry| entry.get(3..))
            .map(|path| String::from_utf8_lossy(path).into_owned())
            .collect())
    }

    /// The changes of these files in the worktree that are not staged, as git shows them.
    pub fn unstaged_diff(&self, paths: &[String]) -> Result<String> {
        let printed = self
            .git()
            .words("--literal-pathspecs diff --no-ext-diff --no-textconv --no-color --")
            .args(paths)
            .run()?;
        Ok(String::from_utf8_lossy(&printed).into_owned())
    }
}
