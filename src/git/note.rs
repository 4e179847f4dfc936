//! Notes trees, read tolerantly: which blob annotates which object.

use gix::{
    bstr::{BString, ByteSlice},
    diff::tree::{
        Recorder, State as DiffState,
        recorder::{Change, Location},
    },
    note::plumbing::State,
    prelude::FindExt as _,
};

use super::{Error, Oid, Repo, Result, error::Doing, repository::missing};

/// One annotation of a notes tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Note {
    /// The annotated object, a commit where all is well.
    pub anchor: Oid,
    pub blob: Oid,
}

/// Looks single notes up, opening only the parts of the tree that it needs.
pub struct NotesReader<'r> {
    repo: &'r Repo,
    commit: Oid,
    lookup: Lookup,
}

/// What a notes tree holds.
#[derive(Default)]
struct Found {
    notes: Vec<Note>,
    buffer: Vec<u8>,
}

enum Lookup {
    Lazy(Box<State>),
    /// Every note, by anchor: for a tree in which a note stands flat and fanned out, at which `State` gives up.
    Listed(Vec<Note>),
}

impl Repo {
    /// All notes of a notes commit, by anchor.
    ///
    /// Entries that are no notes (odd names, symlinks, submodules) are passed over as git passes over them. An object
    /// that is annotated twice, flat and fanned out, is there twice: git reads the two as one text.
    ///
    /// # Errors
    /// When the commit or one of its trees can't be read.
    pub fn notes(&self, commit: Oid) -> Result<Vec<Note>> {
        let mut found = Found::default();
        self.notes_in(self.tree_of(commit)?, &mut Vec::new(), &mut found)?;
        found.notes.sort_unstable();
        Ok(found.notes)
    }

    /// Whether an object is a commit whose tree looks like notes: it is empty, or has a note or a folder of notes in it.
    pub fn is_notes_commit(&self, id: Oid) -> bool {
        let mut buffer = Vec::new();
        let Ok(tree) = self.tree_of(id) else {
            return false;
        };
        let Ok(entries) = self.inner.objects.find_tree_iter(&tree.0, &mut buffer) else {
            return false;
        };
        let mut is_empty = true;
        for entry in entries {
            let Ok(entry) = entry else { return false };
            is_empty = false;
            let is_note = entry.mode.is_blob() && self.anchor(entry.filename).is_some();
            if is_note || (entry.mode.is_tree() && is_fanout(entry.filename)) {
                return true;
            }
        }
        is_empty
    }

    fn notes_in(&self, tree: Oid, path: &mut Vec<u8>, found: &mut Found) -> Result<()> {
        let mut subtrees = Vec::new();
        let entries = self
            .inner
            .objects
            .find_tree_iter(&tree.0, &mut found.buffer)
            .map_err(|_| missing("notes tree", tree))?;
        for entry in entries {
            let entry = entry.doing("read a notes tree")?;
            let length = path.len();
            if entry.mode.is_tree() && is_fanout(entry.filename) {
                subtrees.push((entry.filename.to_vec(), Oid(entry.oid.to_owned())));
                continue;
            }
            path.extend_from_slice(entry.filename);
            if let Some(anchor) = self.anchor(path).filter(|_| entry.mode.is_blob()) {
                let blob = Oid(entry.oid.to_owned());
                found.notes.push(Note { anchor, blob });
            }
            path.truncate(length);
        }
        for (name, subtree) in subtrees {
            path.extend_from_slice(&name);
            self.notes_in(subtree, path, found)?;
            path.truncate(path.len() - name.len());
        }
        Ok(())
    }

    /// The notes of `theirs` that `ours` has not, or has otherwise. Cost follows what differs.
    ///
    /// # Errors
    /// When a tree can't be read.
    pub fn notes_added(&self, ours: Oid, theirs: Oid) -> Result<Vec<Note>> {
        let (ours, theirs) = (self.tree_of(ours)?, self.tree_of(theirs)?);
        if ours == theirs {
            return Ok(Vec::new());
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let objects = &self.inner.objects;
        let lhs = objects
            .find_tree_iter(&ours.0, &mut left)
            .map_err(|_| missing("notes tree", ours))?;
        let rhs = objects
            .find_tree_iter(&theirs.0, &mut right)
            .map_err(|_| missing("notes tree", theirs))?;
        let mut recorder = Recorder::default().track_location(Some(Location::Path));
        gix::diff::tree(lhs, rhs, DiffState::default(), objects, &mut recorder)
            .doing("compare two notes trees")?;
        let mut added = Vec::new();
        let mut removed = Vec::new();
        for change in recorder.records {
            let (path, mode, id, list) = match change {
                Change::Addition {
                    path,
                    entry_mode,
                    oid,
                    ..
                }
                | Change::Modification {
                    path,
                    entry_mode,
                    oid,
                    ..
                } => (path, entry_mode, oid, &mut added),
                Change::Deletion {
                    path,
                    entry_mode,
                    oid,
                    ..
                } => (path, entry_mode, oid, &mut removed),
            };
            if let (true, Some(anchor)) = (mode.is_blob(), self.anchor_of_path(&path)) {
                let blob = Oid(id);
                list.push(Note { anchor, blob });
            }
        }
        // A note that only moved to another fanout is the same note.
        removed.sort_unstable();
        added.retain(|note| removed.binary_search(note).is_err());
        added.sort_unstable();
        Ok(added)
    }

    /// A reader of the notes of a notes commit.
    ///
    /// # Errors
    /// When its tree can't be read.
    pub fn notes_reader(&self, commit: Oid) -> Result<NotesReader<'_>> {
        let tree = self.tree_of(commit)?;
        let lookup = match State::new(tree.0, &self.inner.objects) {
            Ok(state) => Lookup::Lazy(Box::new(state)),
            Err(_) => Lookup::Listed(self.notes(commit)?),
        };
        Ok(NotesReader {
            repo: self,
            commit,
            lookup,
        })
    }

    fn anchor(&self, hex: &[u8]) -> Option<Oid> {
        (hex.len() == self.inner.object_hash().len_in_hex())
            .then(|| gix::ObjectId::from_hex(hex).ok())
            .flatten()
            .map(Oid)
    }

    fn anchor_of_path(&self, path: &BString) -> Option<Oid> {
        let hex: Vec<u8> = path.bytes().filter(|&byte| byte != b'/').collect();
        let mut folders = path.rsplitn_str(usize::MAX, "/").skip(1);
        folders.all(is_fanout).then(|| self.anchor(&hex)).flatten()
    }
}

fn is_fanout(name: &[u8]) -> bool {
    name.len() == 2 && name.iter().all(u8::is_ascii_hexdigit)
}

impl NotesReader<'_> {
    /// The blobs that annotate `anchor`: one as a rule, two where it stands flat and fanned out.
    ///
    /// # Errors
    /// When a tree can't be read.
    pub fn get(&mut self, anchor: Oid) -> Result<Vec<Oid>> {
        if let Lookup::Lazy(state) = &mut self.lookup {
            match state.get(&anchor.0, &self.repo.inner.objects) {
                Ok(found) => return Ok(found.map(Oid).into_iter().collect()),
                Err(_) => self.lookup = Lookup::Listed(self.repo.notes(self.commit)?),
            }
        }
        let Lookup::Listed(notes) = &self.lookup else {
            return Ok(Vec::new());
        };
        let first = notes.partition_point(|note| note.anchor < anchor);
        let found = notes[first..].iter().take_while(|n| n.anchor == anchor);
        Ok(found.map(|note| note.blob).collect())
    }
}

/// The error for a notes tree that can be read but not edited.
pub(super) fn odd_tree(tree: Oid, error: &impl std::fmt::Display) -> Error {
    Error::new(
        super::ErrorKind::Unsupported,
        format!("the notes tree can't be used: {error}"),
    )
    .help(format!(
        "look at it with `git ls-tree -r {tree}`: a note that stands there twice, flat and in a folder, has to be made one"
    ))
}
