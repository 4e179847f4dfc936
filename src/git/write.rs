//! Writes notes: blobs, trees and a commit, as durably as the user's git would.

use std::{cell::RefCell, fs::File, io, path::Path};

use gix::{error::ResultExt as _, note::plumbing::State, objs::WriteTo};

use super::{Error, ErrorKind, Oid, Repo, Result, error::Doing, note::odd_tree};

/// What is to be written.
pub struct NotesCommit<'a> {
    /// The notes commit to build on.
    pub base: Option<Oid>,
    /// Further parents.
    pub merged: &'a [Oid],
    /// Each anchor with its note's whole new text.
    pub notes: &'a [(Oid, Vec<u8>)],
    pub message: &'a str,
}

/// Which writes reach the disk before a command says so: `core.fsync`, as `git help config` describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durability {
    pub objects: bool,
    pub refs: bool,
}

impl Durability {
    /// Reads the value of `core.fsync`; git's default syncs neither loose objects nor refs.
    pub fn from_config(value: Option<&str>) -> Self {
        let mut durability = Self {
            objects: false,
            refs: false,
        };
        for word in value.unwrap_or_default().split([',', ' ']) {
            let (word, on) = word.strip_prefix('-').map_or((word, true), |w| (w, false));
            match word {
                "loose-object" | "objects" => durability.objects = on,
                "reference" => durability.refs = on,
                "committed" | "added" | "all" => {
                    durability = Self {
                        objects: on,
                        refs: on,
                    };
                }
                "none" => {
                    durability = Self {
                        objects: false,
                        refs: false,
                    };
                }
                _ => {}
            }
        }
        durability
    }
}

impl Repo {
    /// Says who writes, before anything is written.
    pub fn require_identity(&self) -> Result<()> {
        for signature in [self.inner.author(), self.inner.committer()] {
            match signature {
                Some(Ok(signature)) if !signature.name.is_empty() => {}
                Some(Err(error)) => {
                    return Err(Error::new(
                        ErrorKind::Identity,
                        format!("git's date for the author or committer can't be read: {error}"),
                    ));
                }
                _ => {
                    return Err(Error::new(
                        ErrorKind::Identity,
                        "git does not know who you are, and every note has an author",
                    )
                    .help("git config --global user.name \"Your Name\"\ngit config --global user.email you@example.com"));
                }
            }
        }
        Ok(())
    }

    /// Writes a notes commit; no ref is moved.
    pub fn write_notes(&self, plan: &NotesCommit) -> Result<Oid> {
        let objects = Recording {
            odb: &self.inner.objects,
            hash: self.inner.object_hash(),
            written: RefCell::new(Vec::new()),
        };
        let root = match plan.base {
            Some(base) => self.tree_of(base)?.0,
            None => gix::ObjectId::empty_tree(self.inner.object_hash()),
        };
        let tree = if plan.notes.is_empty() {
            root
        } else {
            let mut state =
                State::new(root, &objects).map_err(|error| odd_tree(Oid(root), &error))?;
            for (anchor, text) in plan.notes {
                use gix::objs::Write as _;
                let blob = objects
                    .write_buf(gix::objs::Kind::Blob, text)
                    .doing("write a note")?;
                state
                    .edit(anchor.0, Some(blob), &objects)
                    .map_err(|error| odd_tree(Oid(root), &error))?;
            }
            state.write(&objects).doing("write the notes tree")?
        };
        let commit = self.notes_commit(plan, tree, &objects)?;
        if self.durability().objects {
            for id in objects.written.borrow().iter() {
                self.sync_object(id)?;
            }
        }
        Ok(commit)
    }

    fn notes_commit(
        &self,
        plan: &NotesCommit,
        tree: gix::ObjectId,
        objects: &impl gix::objs::Write,
    ) -> Result<Oid> {
        self.require_identity()?;
        let signature = |found: Option<gix::Result<gix::actor::SignatureRef<'_>>>| {
            let signature = found
                .transpose()
                .doing("read the author")?
                .ok_or_else(|| Error::new(ErrorKind::Identity, "git does not know who you are"))?;
            let mut signature = signature.to_owned().doing("read the author")?;
            if let Some(now) = self.now {
                signature.time.seconds = now.as_second();
            }
            Ok::<_, Error>(signature)
        };
        let commit = gix::objs::Commit {
            tree,
            parents: plan.base.iter().chain(plan.merged).map(|p| p.0).collect(),
            author: signature(self.inner.author())?,
            committer: signature(self.inner.committer())?,
            encoding: None,
            message: format!("{}\n", plan.message).into(),
            extra_headers: Vec::new(),
        };
        objects.write(&commit).map(Oid).doing("write a commit")
    }

    /// Which writes the user's git makes sure of.
    pub fn durability(&self) -> Durability {
        Durability::from_config(self.config_string("core.fsync").as_deref())
    }

    fn sync_object(&self, id: &gix::ObjectId) -> Result<()> {
        let hex = id.to_string();
        let path = self
            .inner
            .objects
            .store_ref()
            .path()
            .join(&hex[..2])
            .join(&hex[2..]);
        sync(&path)
    }

    /// Brings a loose ref to the disk.
    pub fn sync_ref(&self, name: &str) -> Result<()> {
        let path = self.common_dir().join(name);
        if let Some(folder) = path.parent().filter(|_| cfg!(unix)) {
            sync(folder)?;
        }
        sync(&path)
    }
}

fn sync(path: &Path) -> Result<()> {
    match File::open(path).and_then(|file| file.sync_all()) {
        // Packed meanwhile, by a program that had to bring it to the disk itself.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.doing(format!("bring {} to the disk", path.display())),
    }
}

/// An object database that remembers what was written through it, and writes nothing that it has already.
struct Recording<'a, T> {
    odb: &'a T,
    hash: gix::hash::Kind,
    written: RefCell<Vec<gix::ObjectId>>,
}

impl<T: gix::objs::Find> gix::objs::Find for Recording<'_, T> {
    fn try_find<'a>(
        &self,
        id: &gix::oid,
        buffer: &'a mut Vec<u8>,
    ) -> gix::Result<Option<gix::objs::Data<'a>>> {
        self.odb.try_find(id, buffer)
    }
}

impl<T: gix::objs::Write> Recording<'_, T> {
    fn remember(&self, id: gix::ObjectId) -> gix::ObjectId {
        self.written.borrow_mut().push(id);
        id
    }
}

impl<T: gix::objs::Write + gix::objs::Exists> gix::objs::Write for Recording<'_, T> {
    fn write(&self, object: &dyn WriteTo) -> gix::Result<gix::ObjectId> {
        let mut bytes = Vec::new();
        object.write_to(&mut bytes).or_error()?;
        self.write_buf(object.kind(), &bytes)
    }

    fn write_buf(&self, kind: gix::objs::Kind, from: &[u8]) -> gix::Result<gix::ObjectId> {
        let id = gix::objs::compute_hash(self.hash, kind, from)?;
        if self.odb.exists(&id) {
            return Ok(id);
        }
        self.write_buf_with_known_id(kind, from, id)
    }

    fn write_buf_with_known_id(
        &self,
        kind: gix::objs::Kind,
        from: &[u8],
        id: gix::ObjectId,
    ) -> gix::Result<gix::ObjectId> {
        self.odb
            .write_buf_with_known_id(kind, from, id)
            .map(|id| self.remember(id))
    }

    fn write_stream(
        &self,
        kind: gix::objs::Kind,
        size: u64,
        from: &mut dyn io::Read,
    ) -> gix::Result<gix::ObjectId> {
        self.odb
            .write_stream(kind, size, from)
            .map(|id| self.remember(id))
    }

    fn write_stream_with_known_id(
        &self,
        kind: gix::objs::Kind,
        size: u64,
        from: &mut dyn io::Read,
        id: gix::ObjectId,
    ) -> gix::Result<gix::ObjectId> {
        self.odb
            .write_stream_with_known_id(kind, size, from, id)
            .map(|id| self.remember(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fsync_is_read_as_git_reads_it() {
        for (value, objects, refs) in [
            (None, false, false),
            (Some("all"), true, true),
            (Some("committed,-reference"), true, false),
            (Some("loose-object"), true, false),
            (Some("reference"), false, true),
            (Some("none"), false, false),
            (Some("all,-loose-object"), false, true),
        ] {
            let durability = Durability::from_config(value);
            assert_eq!(durability, Durability { objects, refs }, "{value:?}");
        }
    }
}
