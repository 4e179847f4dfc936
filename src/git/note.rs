//! Reads notes trees, and tolerates entries that are not notes.

use gix::{
    bstr::{BString, ByteSlice},
    note::plumbing::State,
    prelude::FindExt as _,
};

use super::{
    Oid, Repo, Result,
    diff::PathChange,
    error::{Doing, missing},
};

#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Note {
    pub anchor: Oid,
    pub blob: Oid,
}

/// Looks up single notes; opens only the subtrees that it needs.
pub struct NotesReader<'r> {
    repo: &'r Repo,
    commit: Oid,
    lookup: Lookup,
}

#[derive(Default)]
struct Found {
    notes: Vec<Note>,
    buffer: Vec<u8>,
    paths: Option<Vec<BString>>,
}

enum Lookup {
    Lazy(Box<State>),
    /// All notes, by anchor: for a tree with a note both flat and fanned out, which `State` refuses.
    Listed(Vec<Note>),
}

impl Repo {
    /// All notes of a notes commit, by anchor.
    /// Entries that are not notes (odd names, symlinks, submodules) are skipped, as git skips them. An object with two
    /// notes, flat and fanned out, is listed twice: git reads the two as one text.
    pub fn notes(&self, commit: Oid) -> Result<Vec<Note>> {
        let tree = self.tree_of(commit)?;
        self.patiently(|| {
            let mut found = Found::default();
            self.notes_in(tree, &mut Vec::new(), &mut found)?;
            found.notes.sort_unstable();
            Ok(found.notes)
        })
    }

    pub(super) fn note_paths(&self, tree: Oid) -> Result<Vec<(Note, BString)>> {
        let mut found = Found { paths: Some(Vec::new()), ..Found::default() };
        self.notes_in(tree, &mut Vec::new(), &mut found)?;
        let paths = found.paths.unwrap_or_default();
        Ok(found.notes.into_iter().zip(paths).collect())
    }

    pub fn is_notes_commit(&self, id: Oid) -> bool {
        self.holds_notes(id).unwrap_or(false)
    }

    /// Returns true if an object is a commit whose tree is empty or contains a note or a fanout folder.
    /// Fails with [`ErrorKind::Missing`] if the object can't be read.
    pub fn holds_notes(&self, id: Oid) -> Result<bool> {
        if self.found_object(id, "object")?.kind != gix::objs::Kind::Commit {
            return Ok(false);
        }
        let tree = self
            .found_object(self.tree_of(id)?, "notes tree")?
            .try_into_tree()
            .doing("read a notes tree")?;
        let mut is_empty = true;
        for entry in tree.iter() {
            let Ok(entry) = entry else { return Ok(false) };
            is_empty = false;
            let is_note = entry.mode().is_blob() && self.anchor(entry.filename()).is_some();
            if is_note || (entry.mode().is_tree() && is_fanout(entry.filename())) {
                return Ok(true);
            }
        }
        Ok(is_empty)
    }

    fn notes_in(&self, tree: Oid, path: &mut Vec<u8>, found: &mut Found) -> Result<()> {
        if path.len() >= self.inner.object_hash().len_in_hex() {
            // The path of a note is an id: no note lies this deep.
            return Ok(());
        }
        let mut subtrees = Vec::new();
        let objects = &self.inner.objects;
        let entries = objects
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
                if let Some(paths) = &mut found.paths {
                    let parts: Vec<&[u8]> =
                        path[..length].chunks(FANOUT).chain([entry.filename.as_ref()]).collect();
                    paths.push(parts.join(&b'/').into());
                }
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

    /// The notes that `theirs` has and `ours` lacks, or has with another blob. The cost is that of the difference.
    pub fn notes_added(&self, ours: Oid, theirs: Oid) -> Result<Vec<Note>> {
        self.notes_changed(ours, theirs).map(|(_, added)| added)
    }

    /// The notes that only `ours` has, and those that only `theirs` has. The cost is that of the difference.
    pub fn notes_changed(&self, ours: Oid, theirs: Oid) -> Result<(Vec<Note>, Vec<Note>)> {
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for PathChange { path, old, new } in self.tree_changes(ours, theirs)? {
            let note = |(mode, id): (gix::objs::tree::EntryMode, gix::ObjectId)| {
                let anchor = self.anchor_of_path(&path).filter(|_| mode.is_blob())?;
                let blob = Oid(id);
                Some(Note { anchor, blob })
            };
            removed.extend(old.and_then(note));
            added.extend(new.and_then(note));
        }
        // A note that only moved to another fanout is the same note.
        removed.sort_unstable();
        added.sort_unstable();
        let is_in = |notes: &[Note], note: &Note| notes.binary_search(note).is_ok();
        let gone = removed.iter().copied().filter(|note| !is_in(&added, note)).collect();
        added.retain(|note| !is_in(&removed, note));
        Ok((gone, added))
    }

    pub fn notes_reader(&self, commit: Oid) -> Result<NotesReader<'_>> {
        let tree = self.tree_of(commit)?;
        let lookup = match State::new(tree.0, &self.inner.objects) {
            Ok(state) => Lookup::Lazy(Box::new(state)),
            Err(_) => Lookup::Listed(self.notes(commit)?),
        };
        Ok(NotesReader { repo: self, commit, lookup })
    }

    fn anchor(&self, hex: &[u8]) -> Option<Oid> {
        (hex.len() == self.inner.object_hash().len_in_hex())
            .then(|| gix::ObjectId::from_hex(hex).ok())
            .flatten()
            .map(Oid)
    }

    pub(super) fn anchor_of_path(&self, path: &BString) -> Option<Oid> {
        let hex: Vec<u8> = path.bytes().filter(|&byte| byte != b'/').collect();
        let mut folders = path.rsplitn_str(usize::MAX, "/").skip(1);
        folders.all(is_fanout).then(|| self.anchor(&hex)).flatten()
    }
}

/// Digits in the name of a fanout folder.
const FANOUT: usize = 2;

fn is_fanout(name: &[u8]) -> bool {
    name.len() == FANOUT && name.iter().all(u8::is_ascii_hexdigit)
}

impl NotesReader<'_> {
    /// The blobs that annotate `anchor`: two if it is both flat and fanned out, else at most one.
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
        Ok(notes[first..].iter().take_while(|n| n.anchor == anchor).map(|note| note.blob).collect())
    }
}
