//! Writes notes as blobs, trees and a commit, as durably as the user's git would.

use std::{
    fs::File,
    io,
    path::Path,
    time::{Duration, Instant},
};

use gix::{
    ObjectId,
    note::plumbing::State,
    objs::{Exists as _, Kind, Write as _, WriteTo as _},
    odb::memory::Proxy,
};

use super::{
    Error, ErrorKind, Oid, Repo, Result, budget::Rationed, error::Doing, note::unusable_tree,
};
use crate::entry::Person;

/// A notes commit to be written.
pub struct NotesCommit<'a> {
    /// The parent, whose notes are kept.
    pub base: Option<Oid>,
    /// Each anchor with the whole new text of its note.
    pub notes: &'a [(Oid, Vec<u8>)],
    pub message: &'a str,
}

/// Which writes are synced to the disk before a command reports success, by `core.fsync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durability {
    pub objects: bool,
    pub refs: bool,
}

impl Durability {
    /// Reads the value of `core.fsync`; by default git syncs neither loose objects nor refs.
    pub fn from_config(value: Option<&str>) -> Self {
        let (mut objects, mut refs) = (false, false);
        for word in value.unwrap_or_default().split([',', ' ']) {
            let (word, on) = word.strip_prefix('-').map_or((word, true), |w| (w, false));
            match word {
                "loose-object" | "objects" => objects = on,
                "reference" => refs = on,
                "committed" | "added" | "all" => (objects, refs) = (on, on),
                "none" => (objects, refs) = (false, false),
                _ => {}
            }
        }
        Self { objects, refs }
    }
}

impl Repo {
    /// Fails with [`ErrorKind::Identity`] unless git knows the author and the committer.
    pub fn require_identity(&self) -> Result<()> {
        for signature in [self.inner.author(), self.inner.committer()] {
            match signature.transpose() {
                Ok(Some(signature)) if !signature.name.is_empty() => {}
                Ok(_) => {
                    return Err(Error::new(
                        ErrorKind::Identity,
                        "git does not know who you are, and every note has an author",
                    )
                    .help("git config --global user.name \"Your Name\"\ngit config --global user.email you@example.com"));
                }
                Err(error) => {
                    return Err(Error::new(
                        ErrorKind::Identity,
                        "git's date for the author or committer can't be read",
                    )
                    .because(error));
                }
            }
        }
        Ok(())
    }

    /// Whoever would be a commit's committer; `None` where git knows none.
    pub fn identity(&self) -> Option<Person> {
        let committer = self.inner.committer()?.ok()?.trim();
        Some(Person {
            name: committer.name.to_string(),
            email: committer.email.to_string(),
        })
    }

    /// Writes a notes commit; no ref is moved.
    pub fn write_notes(&self, plan: &NotesCommit) -> Result<Oid> {
        let (odb, hash) = (&self.inner.objects, self.inner.object_hash());
        // Most objects are new, and looking for each of them in packs that came since costs more than writing it. One
        // that is there after all is written twice, which harms nobody.
        let mut known = odb.clone();
        known.refresh_never();
        let mut written = Vec::new();
        let mut write = |kind, bytes: &[u8]| -> Result<ObjectId> {
            let id = gix::objs::compute_hash(hash, kind, bytes).doing("hash an object")?;
            if !known.exists(&id) {
                let attempt = || odb.write_buf_with_known_id(kind, bytes, id);
                // `git gc` may remove an empty folder between our making it and our writing there.
                let again = |_| attempt();
                attempt()
                    .or_else(again)
                    .or_else(again)
                    .doing("write an object")?;
                written.push(id);
            }
            Ok(id)
        };
        let root = match plan.base {
            Some(base) => self.tree_of(base)?.0,
            None => ObjectId::empty_tree(hash),
        };
        let tree = if plan.notes.is_empty() {
            root
        } else {
            let refused = |error| unusable_tree(Oid(root), error);
            let trees = Rationed::new(Proxy::new(odb, hash));
            let mut state = State::new(root, &trees).map_err(refused)?;
            for (anchor, text) in plan.notes {
                let blob = write(Kind::Blob, text)?;
                state.edit(anchor.0, Some(blob), &trees).map_err(refused)?;
            }
            let tree = state.write(&trees).doing("write the notes tree")?;
            let trees = trees.into_inner().take_object_memory();
            for (kind, bytes) in trees.unwrap_or_default().values() {
                write(*kind, bytes)?;
            }
            tree
        };
        let mut bytes = Vec::new();
        self.notes_commit(plan, tree)?
            .write_to(&mut bytes)
            .doing("write a commit")?;
        let commit = write(Kind::Commit, &bytes)?;
        if self.durability().objects {
            written.iter().try_for_each(|id| self.sync_object(id))?;
        }
        Ok(Oid(commit))
    }

    /// The same commit with the user's signature, where the user signs commits and nothing has to be asked for it.
    pub fn signed(&self, commit: Oid, parent: Option<Oid>, message: &str) -> Option<Oid> {
        /// A signature takes moments; what waits longer waits for a person.
        const PATIENCE: Duration = Duration::from_secs(10);
        if self.config_flag("commit.gpgSign") != Some(true) {
            return None;
        }
        let date = format!("{} +0000", self.commit_time(commit).ok()?.as_second());
        let mut git = self.git().without_terminal();
        for variable in ["GPG_TTY", "DISPLAY", "WAYLAND_DISPLAY"] {
            git = git.env(variable, "");
        }
        for variable in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
            git = git.env(variable, &date);
        }
        let git = git.args(["commit-tree", "-S", "-m", message]);
        let parent = parent.map(|parent| format!("-p{parent}"));
        let git = git.args(parent).args([format!("{commit}^{{tree}}")]);
        let printed = git.run_until(Some(Instant::now() + PATIENCE)).ok()?;
        printed.stdout.trim().parse().ok().filter(|_| printed.ok)
    }

    fn notes_commit(&self, plan: &NotesCommit, tree: ObjectId) -> Result<gix::objs::Commit> {
        self.require_identity()?;
        let signature = |found: Option<gix::Result<gix::actor::SignatureRef<'_>>>| {
            let mut signature = found
                .transpose()
                .doing("read the author")?
                .ok_or_else(|| Error::new(ErrorKind::Identity, "git does not know who you are"))?
                .to_owned()
                .doing("read the author")?;
            if let Some(now) = self.now {
                signature.time.seconds = now.as_second();
            }
            Ok::<_, Error>(signature)
        };
        Ok(gix::objs::Commit {
            tree,
            parents: plan.base.iter().map(|parent| parent.0).collect(),
            author: signature(self.inner.author())?,
            committer: signature(self.inner.committer())?,
            encoding: None,
            message: format!("{}\n", plan.message).into(),
            extra_headers: Vec::new(),
        })
    }

    /// Which writes the user's git syncs.
    pub fn durability(&self) -> Durability {
        Durability::from_config(self.config_string("core.fsync").as_deref())
    }

    fn sync_object(&self, id: &ObjectId) -> Result<()> {
        let hex = id.to_string();
        let objects = self.inner.objects.store_ref().path();
        sync(&objects.join(&hex[..2]).join(&hex[2..]))
    }

    /// Syncs a loose ref to the disk.
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
        // Packed meanwhile by a program that had to sync it itself.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.doing(format!("sync {} to the disk", path.display())),
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
