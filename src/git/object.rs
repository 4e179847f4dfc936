use std::cell::RefCell;

use gix::{
    objs::{Kind, tree::EntryKind},
    revision::plumbing::merge_base,
    revwalk::Graph,
};

use super::{
    Error, ErrorKind, Oid, Repo, Result,
    commit::Commits,
    error::{Doing, missing},
    repository::MAX_OBJECT,
};

impl Repo {
    pub fn tree_of(&self, commit: Oid) -> Result<Oid> {
        let object = self.found_object(commit, "commit")?;
        let tree = match object.kind {
            Kind::Commit => Oid(object.into_commit().tree_id().doing("read a commit")?.detach()),
            Kind::Tree => return Ok(commit),
            Kind::Blob | Kind::Tag => return Err(missing("commit", commit)),
        };
        if !self.inner.has_object(tree.0) {
            // In a treeless clone, this also fetches its subtrees. The caller reports a failure when it reads the tree.
            self.fetch_promised(&[tree]);
        }
        Ok(tree)
    }

    pub(super) fn found_object(&self, id: Oid, what: &str) -> Result<gix::Object<'_>> {
        self.patiently(|| self.inner.find_object(id.0).map_err(|_| self.unread(what, id)))
    }

    /// Why an object could not be read.
    pub fn unread(&self, what: &str, id: Oid) -> Error {
        match self.inner.find_header(id.0) {
            Ok(header) if header.size() > MAX_OBJECT => {
                let limit = MAX_OBJECT >> 20;
                let message = format!("the {what} {id} has more than {limit} MiB");
                Error::new(ErrorKind::TooLarge, message)
                    .help("git sq reads no objects of that size")
            }
            _ => missing(what, id),
        }
    }

    /// The commit that an object is, or that an annotated tag leads to.
    pub fn peeled(&self, id: Oid) -> Option<Oid> {
        let commit = self.inner.find_object(id.0).ok()?.peel_to_commit().ok()?;
        Some(Oid(commit.id))
    }

    pub(super) fn found_tree(&self, id: Oid) -> Result<gix::Tree<'_>> {
        self.patiently(|| self.inner.find_tree(id.0).map_err(|_| self.unread("tree", id)))
    }

    /// `None` for a root commit.
    pub fn first_parent(&self, commit: Oid) -> Result<Option<Oid>> {
        Ok(self.parents(commit)?.first().copied())
    }

    pub fn parents(&self, commit: Oid) -> Result<Vec<Oid>> {
        let read = || self.inner.find_commit(commit.0).map_err(|_| self.unread("commit", commit));
        Ok(self.patiently(read)?.parent_ids().map(|id| Oid(id.detach())).collect())
    }

    /// The blob and the bytes of the file at `path` of a commit; `None` if there is no such file.
    pub fn file_at(&self, commit: Oid, path: &str) -> Result<Option<(Oid, Vec<u8>)>> {
        self.blob_at(commit, path)?.map(|id| Ok((id, self.blob(id)?))).transpose()
    }

    /// `None` if there is no such file; fails for a symbolic link or a submodule, and below one.
    pub fn blob_at(&self, commit: Oid, path: &str) -> Result<Option<Oid>> {
        match self.entry_at(commit, path)? {
            Some((EntryKind::Blob | EntryKind::BlobExecutable, blob)) => Ok(Some(blob)),
            Some((kind, _)) => not_followed(commit, path, kind).map_or(Ok(None), Err),
            None => Ok(None),
        }
    }

    /// `None` if nothing is there; fails below a symbolic link or a submodule.
    pub(super) fn entry_at(&self, commit: Oid, path: &str) -> Result<Option<(EntryKind, Oid)>> {
        let tree = self.found_tree(self.tree_of(commit)?)?;
        let path = path.trim_end_matches('/');
        let look_up = |path: &str| {
            let found = tree.lookup_entry_by_path(path);
            let found = found.doing(format!("look up {path} in {commit}"))?;
            Ok(found.map(|entry| (entry.mode().kind(), entry.object_id().into())))
        };
        if let Ok(Some(entry)) = look_up(path) {
            return Ok(Some(entry));
        }
        // From the folder nearest to the root: below a submodule, there is no tree to look into.
        for (end, _) in path.match_indices('/') {
            let folder = &path[..end];
            match look_up(folder)? {
                Some((EntryKind::Tree, _)) => {}
                Some((kind, _)) => return not_followed(commit, folder, kind).map_or(Ok(None), Err),
                None => return Ok(None),
            }
        }
        look_up(path)
    }

    /// In bytes.
    pub fn blob_size(&self, id: Oid) -> Result<u64> {
        let read = || self.inner.find_header(id.0).map_err(|_| missing("blob", id));
        Ok(self.promised(id, read)?.size())
    }

    pub fn blob(&self, id: Oid) -> Result<Vec<u8>> {
        let read = || self.inner.find_blob(id.0).map_err(|_| self.unread("blob", id));
        Ok(self.promised(id, read)?.take_data())
    }

    /// Reads a blob, which a partial clone fetches first if it lacks it.
    fn promised<T>(&self, id: Oid, read: impl Fn() -> Result<T>) -> Result<T> {
        // A line of the log may name an id of another hash than the repository's.
        if id.0.kind() != self.inner.object_hash() {
            return Err(missing("blob", id));
        }
        read().or_else(|_| {
            self.fetch_promised(&[id]);
            self.patiently(read)
        })
    }

    pub fn blob_id(&self, bytes: &[u8]) -> Result<Oid> {
        gix::objs::compute_hash(self.inner.object_hash(), gix::objs::Kind::Blob, bytes)
            .map(Oid)
            .doing("hash a file")
    }

    /// All best common ancestors and, where commits are no newer than their parents, perhaps some that these contain.
    pub fn merge_bases(&self, one: Oid, two: Oid) -> Result<Vec<Oid>> {
        const DOING: &str = "find a merge base";
        let commits =
            Commits { objects: &self.inner.objects, cut_at: None, buffer: RefCell::default() };
        let cache = self.inner.commit_graph_if_enabled().doing(DOING)?;
        let mut graph = Graph::new(commits, cache.as_ref());
        let bases = merge_base(one.0, &[two.0], &mut graph).doing(DOING)?;
        Ok(bases.into_iter().flatten().map(Oid).collect())
    }

    /// One of the best common ancestors.
    pub fn merge_base(&self, one: Oid, two: Oid) -> Result<Option<Oid>> {
        let bases = self.merge_bases(one, two)?;
        let is_best = |base: &Oid| {
            !bases.iter().any(|other| other != base && self.is_ancestor(*base, *other))
        };
        Ok(bases.iter().copied().find(is_best))
    }

    /// Returns true if `ancestor` is in the history of `descendant`; false if history is cut off before.
    pub fn is_ancestor(&self, ancestor: Oid, descendant: Oid) -> bool {
        self.merge_bases(ancestor, descendant).is_ok_and(|bases| bases.contains(&ancestor))
    }
}

/// The error for what is behind a symbolic link or in a submodule.
fn not_followed(commit: Oid, path: &str, kind: EntryKind) -> Option<Error> {
    let what = match kind {
        EntryKind::Link => "a symbolic link",
        EntryKind::Commit => "a submodule",
        _ => return None,
    };
    let message = format!("{path} is {what} in {commit}, which git sq does not follow");
    Some(Error::new(ErrorKind::Unsupported, message).help("use a regular file in a folder instead"))
}
