//! Writes notes as blobs, trees and a commit, as durably as the user's git.

use std::{
    collections::BTreeSet,
    fs::File,
    io,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use gix::{
    ObjectId,
    note::plumbing::State,
    objs::{Exists as _, Kind, Write as _, WriteTo as _},
    odb::memory::Proxy,
};
use jiff::Timestamp;

use super::{Note, Oid, Repo, Result, error::Doing, refs::RefFrom};

type Object = (ObjectId, Kind, Vec<u8>);

pub struct NotesCommit<'a> {
    /// The parent, whose other notes are kept.
    pub base: Option<Oid>,
    /// Each anchor with the complete new text of its note; an empty text removes the note.
    pub notes: &'a [(Oid, Vec<u8>)],
    pub message: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Durability {
    pub objects: bool,
    pub refs: bool,
}

impl Durability {
    /// Parses `core.fsync`; by default, git syncs neither loose objects nor refs.
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

/// A commit to which no ref leads yet. Git may prune its objects at any time, and they can be written again.
pub struct Written {
    pub commit: Oid,
    objects: Vec<Object>,
}

impl Repo {
    /// Moves refs to a commit, as [`Repo::move_refs`] does.
    /// The objects are checked again while the refs' locks are held, and after the move, since a prune may have read the
    /// refs before it.
    pub fn land(&self, written: &Written, refs: &[RefFrom], log: &str) -> Result<()> {
        let Written { commit, objects } = written;
        self.move_refs_after(refs, *commit, log, || self.keep(objects))?;
        if self.is_collecting_garbage() {
            // If all objects are present, nothing failed.
            return self.pack(objects).or_else(|_| self.keep(objects));
        }
        self.keep(objects)
    }

    fn keep(&self, objects: &[Object]) -> Result<()> {
        let odb = &self.inner.objects;
        let mut gone = objects.iter().filter(|(id, _, _)| !odb.exists(id));
        gone.try_for_each(|(id, kind, bytes)| self.write_object(*id, *kind, bytes))
    }

    /// Packs objects that a ref reaches. A running `git gc` that read the refs before they moved does not know the
    /// pack; one that knows the pack reads the refs later.
    fn pack(&self, objects: &[Object]) -> Result<()> {
        const TRIES: usize = 10;
        let ids: String = objects.iter().map(|(id, _, _)| format!("{id}\n")).collect();
        let to = self.packs();
        let pack = || {
            self.keep(objects)?;
            self.git()
                .args(["pack-objects", "--quiet"])
                .args([&to])
                .run_with_input(ids.as_str())
                .map(drop)
        };
        // Another process may remove the pack under construction.
        (1..TRIES).find_map(|_| pack().ok()).map_or_else(pack, Ok)
    }

    /// The beginning of the paths of packs.
    pub(super) fn packs(&self) -> PathBuf {
        self.inner.objects.store_ref().path().join("pack/pack")
    }

    pub fn write_notes(&self, plan: &NotesCommit) -> Result<Written> {
        let (odb, hash) = (&self.inner.objects, self.inner.object_hash());
        // Most objects are new: writing one costs less than searching for it in packs that arrived meanwhile. Writing
        // an existing one twice is harmless.
        let mut known = odb.clone();
        known.refresh_never();
        let mut objects: Vec<Object> = Vec::new();
        let mut write = |kind, bytes: Vec<u8>| -> Result<ObjectId> {
            let id = gix::objs::compute_hash(hash, kind, &bytes).doing("hash an object")?;
            if !known.exists(&id) {
                self.write_object(id, kind, &bytes)?;
            }
            objects.push((id, kind, bytes));
            Ok(id)
        };
        let root = match plan.base {
            Some(base) => self.tree_of(base)?.0,
            None => ObjectId::empty_tree(hash),
        };
        if plan.base.is_none() && plan.notes.is_empty() {
            // Git has the empty tree built in.
            write(Kind::Tree, Vec::new())?;
        }
        let mut tree = root;
        if !plan.notes.is_empty() {
            let mut notes = Vec::with_capacity(plan.notes.len());
            for (anchor, text) in plan.notes {
                let blob = (!text.is_empty()).then(|| write(Kind::Blob, text.clone()));
                notes.push((*anchor, blob.transpose()?));
            }
            let mut trees = Proxy::new(odb, hash);
            tree = match edit(root, &notes, &trees) {
                Ok(tree) => tree,
                Err(cause) => {
                    // An object with several notes (flat and fanned out, or with other letter case) can't be edited:
                    // all notes go into a new tree, those of one object as one text.
                    let known =
                        plan.base.map_or_else(|| Ok(Vec::new()), |base| self.notes(base))?;
                    let is_of_one = |one: &Note, other: &Note| one.anchor == other.anchor;
                    if known.is_sorted_by(|one, other| !is_of_one(one, other)) {
                        return Err(cause).doing("write the notes tree");
                    }
                    let given: BTreeSet<Oid> =
                        plan.notes.iter().map(|(anchor, _)| *anchor).collect();
                    for of_one in known.chunk_by(is_of_one) {
                        let blob = match of_one {
                            [Note { anchor, .. }, ..] if given.contains(anchor) => continue,
                            [note] => note.blob.0,
                            several => {
                                let texts = several.iter().map(|note| self.blob(note.blob));
                                let texts = texts.collect::<Result<Vec<_>>>()?;
                                write(Kind::Blob, texts.join(&b'\n'))?
                            }
                        };
                        notes.push((of_one[0].anchor, Some(blob)));
                    }
                    edit(ObjectId::empty_tree(hash), &notes, &trees)
                        .doing("write the notes tree")?
                }
            };
            for (kind, bytes) in trees.take_object_memory().unwrap_or_default().values() {
                write(*kind, bytes.clone())?;
            }
        }
        let mut bytes = Vec::new();
        self.notes_commit(plan, tree)?.write_to(&mut bytes).doing("write a commit")?;
        let commit = write(Kind::Commit, bytes)?;
        if self.durability().objects {
            let mut files = objects.iter().map(|(id, ..)| self.loose_file(Oid(*id)));
            files.try_for_each(|file| sync(&file))?;
        }
        Ok(Written { commit: Oid(commit), objects })
    }

    fn write_object(&self, id: ObjectId, kind: Kind, bytes: &[u8]) -> Result<()> {
        let odb = &self.inner.objects;
        let attempt = || odb.write_buf_with_known_id(kind, bytes, id);
        // `git gc` may remove an empty folder before an object is written to it.
        let again = |_| attempt();
        attempt().or_else(again).or_else(again).doing("write an object").map(drop)
    }

    /// The commit with the user's signature, if the user signs commits and signing needs no prompt.
    pub fn signed(&self, written: &Written, parent: Option<Oid>, message: &str) -> Option<Written> {
        /// Signing takes moments; a longer wait means that it waits for a person.
        const PATIENCE: Duration = Duration::from_secs(10);
        if self.config_flag("commit.gpgSign") != Some(true) {
            return None;
        }
        let commit = written.commit;
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
        let printed = git
            .args(parent)
            .args([format!("{commit}^{{tree}}")])
            .run_until(Some(Instant::now() + PATIENCE))
            .ok()?;
        let signed: Oid = printed.stdout.trim().parse().ok().filter(|_| printed.ok)?;
        let bytes = self.inner.find_object(signed.0).ok()?.detach().data;
        let mut objects = written.objects.clone();
        objects.push((signed.0, Kind::Commit, bytes));
        Some(Written { commit: signed, objects })
    }

    fn notes_commit(&self, plan: &NotesCommit, tree: ObjectId) -> Result<gix::objs::Commit> {
        self.require_identity()?;
        let [author, committer] = self.signatures_of_user()?.map(|known| {
            let mut known = known.unwrap_or_default();
            known.time.seconds = self.now.map_or(known.time.seconds, Timestamp::as_second);
            known
        });
        Ok(gix::objs::Commit {
            tree,
            parents: plan.base.iter().map(|parent| parent.0).collect(),
            author,
            committer,
            encoding: None,
            message: format!("{}\n", plan.message).into(),
            extra_headers: Vec::new(),
        })
    }

    pub fn durability(&self) -> Durability {
        Durability::from_config(self.config_string("core.fsync").as_deref())
    }

    pub fn loose_file(&self, id: Oid) -> PathBuf {
        let hex = id.to_string();
        self.inner.objects.store_ref().path().join(&hex[..2]).join(&hex[2..])
    }

    pub fn sync_ref(&self, name: &str) -> Result<()> {
        let path = self.common_dir().join(name);
        if let Some(folder) = path.parent().filter(|_| cfg!(unix)) {
            sync(folder)?;
        }
        sync(&path)
    }
}

fn edit(
    root: ObjectId,
    notes: &[(Oid, Option<ObjectId>)],
    trees: &Proxy<&gix::OdbHandle>,
) -> Result<ObjectId, gix::Error> {
    let mut state = State::new(root, trees)?;
    for (anchor, blob) in notes {
        state.edit(anchor.0, *blob, trees)?;
    }
    state.write(trees)
}

fn sync(path: &Path) -> Result<()> {
    match File::open(path).and_then(|file| file.sync_all()) {
        // Packed meanwhile by a program that had to sync it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other.doing(format!("sync {} to the disk", path.display())),
    }
}
