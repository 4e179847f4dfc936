//! Reads notes trees, and tolerates entries that are not notes.

use std::collections::{BTreeMap, HashSet};

use gix::{note::plumbing::State, objs::tree::EntryRef, prelude::FindExt as _};

use super::{
    Error, ErrorKind, Oid, Repo, Result,
    blob::is_readable,
    error::{Doing, missing},
    limited::Limited,
    refs::DOCTOR,
    remotes::DEFAULT_LOG_REF,
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
    trees: Limited<'r>,
    lookup: Lookup,
}

/// The notes that a walk found on each of its two sides, which may be one.
struct Found<'r> {
    limits: [Limited<'r>; 2],
    notes: [Vec<Note>; 2],
    buffers: [Vec<u8>; 2],
}

#[derive(Default)]
struct Folder {
    /// The beginning of the anchors of its notes.
    hex: Vec<u8>,
    depth: usize,
    /// True if git looks for no notes there.
    is_foreign: bool,
}

impl Folder {
    fn inside(&self, name: &[u8]) -> Self {
        Self {
            hex: [&self.hex, name].concat(),
            depth: self.depth + 1,
            is_foreign: self.is_foreign || !is_fanout(name),
        }
    }
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
            let mut notes = self.found_notes([None, Some(tree)], [commit; 2])?.notes;
            notes[1].sort_unstable();
            Ok(std::mem::take(&mut notes[1]))
        })
    }

    /// Fails if the notes of a commit are more than are read. The cost is that of the difference to another commit.
    pub fn require_readable(&self, commit: Oid, other: Option<Oid>) -> Result<()> {
        let read = match other {
            Some(other) => self.notes_changed(other, commit).map(drop),
            None => self.notes(commit).map(drop),
        };
        match read {
            Err(error) if error.kind == ErrorKind::TooLarge => self.notes(commit).map(drop),
            _ => Ok(()),
        }
    }

    /// Fails if a note of a commit that another lacks is larger than is read. Reads them all.
    pub fn require_readable_notes(&self, commit: Oid, other: Option<Oid>) -> Result<()> {
        let notes = match other {
            Some(other) => self.notes_added(other, commit)?,
            None => self.notes(commit)?,
        };
        let unread = self.unread_notes(&notes).into_iter();
        let mut why = unread.map(|note| self.why_unread(commit, note));
        why.find(|error| error.kind == ErrorKind::TooLarge).map_or(Ok(()), Err)
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

    /// The notes on which two trees differ, or all those of one; fails if there are more than are read.
    fn found_notes(&self, trees: [Option<Oid>; 2], commits: [Oid; 2]) -> Result<Found<'_>> {
        let limits = [(); 2].map(|()| Limited::notes(&self.inner.objects));
        let mut found = Found { limits, notes: Default::default(), buffers: Default::default() };
        let walked = self.walk_notes(trees, &Folder::default(), &mut found);
        match found.limits.iter().position(Limited::is_spent) {
            Some(side) => Err(self.too_many_notes(commits[side])),
            None => walked.map(|()| found),
        }
    }

    /// Walks two trees at the same path; what is equal in both is passed over.
    fn walk_notes(
        &self,
        trees: [Option<Oid>; 2],
        folder: &Folder,
        found: &mut Found,
    ) -> Result<()> {
        let mut buffers = std::mem::take(&mut found.buffers);
        let mut entries = [Vec::new(), Vec::new()];
        for (side, buffer) in buffers.iter_mut().enumerate() {
            let Some(tree) = trees[side] else { continue };
            if folder.depth > MAX_DEPTH {
                found.limits[side].spend();
            }
            entries[side] = found.limits[side]
                .find_tree_iter(&tree.0, buffer)
                .map_err(|_| missing("notes tree", tree))?
                .collect::<gix::Result<_>>()
                .doing("read a notes tree")?;
        }
        if trees.iter().all(Option::is_some) {
            let [ours, theirs]: [HashSet<EntryRef>; 2] =
                [0, 1].map(|side| entries[side].iter().copied().collect());
            entries[0].retain(|entry| !theirs.contains(entry));
            entries[1].retain(|entry| !ours.contains(entry));
        }
        let mut folders = BTreeMap::<Vec<u8>, [Option<Oid>; 2]>::new();
        for (side, entries) in entries.iter().enumerate() {
            for entry in entries {
                let id = Oid(entry.oid.to_owned());
                if entry.mode.is_tree() {
                    folders.entry(entry.filename.to_vec()).or_default()[side] = Some(id);
                } else if let Some(anchor) = self.anchor_in(folder, entry) {
                    found.notes[side].push(Note { anchor, blob: id });
                }
            }
        }
        drop(entries);
        found.buffers = buffers;
        for (name, subtrees) in folders {
            self.walk_notes(subtrees, &folder.inside(&name), found)?;
        }
        Ok(())
    }

    fn anchor_in(&self, folder: &Folder, entry: &EntryRef) -> Option<Oid> {
        let is_note = entry.mode.is_blob()
            && !folder.is_foreign
            && folder.hex.len() + entry.filename.len() == self.inner.object_hash().len_in_hex();
        is_note.then(|| self.anchor(&[&folder.hex, &**entry.filename].concat())).flatten()
    }

    fn too_many_notes(&self, commit: Oid) -> Error {
        let name = self.log_name(commit);
        let message = format!("{name} has more notes, or folders of notes, than git sq reads");
        Error::new(ErrorKind::TooLarge, message).help(DOCTOR)
    }

    /// The ref that leads to a notes commit.
    fn log_name(&self, commit: Oid) -> String {
        [DEFAULT_LOG_REF, "refs/notes/", "refs/sq/"]
            .into_iter()
            .filter_map(|prefix| self.refs_under(prefix).ok())
            .flatten()
            .find(|tip| tip.target == commit)
            .map_or_else(|| format!("the log at {commit}"), |tip| tip.name)
    }

    /// The text of a note of a notes commit; fails if it is larger than is read.
    pub fn note(&self, commit: Oid, note: Note) -> Result<Vec<u8>> {
        match self.blob(note.blob) {
            Ok(text) if is_readable(&text) => Ok(text),
            Err(error) if error.kind != ErrorKind::TooLarge => Err(error),
            _ => Err(self.too_large(commit, note)),
        }
    }

    /// Returns the texts of notes in their order; `None` for each that can't be read.
    pub fn texts(&self, notes: &[Note]) -> Vec<Option<Vec<u8>>> {
        let (read, _) = self.fold_blobs(&blobs(notes), Vec::new, |read, place, text| {
            read.push((place, text.to_vec()));
        });
        let mut texts = vec![None; notes.len()];
        for (place, text) in read.into_iter().flatten() {
            texts[place] = Some(text);
        }
        texts
    }

    /// Reads all notes, and returns those that can't be read.
    pub fn unread_notes(&self, notes: &[Note]) -> Vec<Note> {
        let (_, unread) = self.fold_blobs(&blobs(notes), || (), |(), _, _| ());
        unread.into_iter().map(|place| notes[place]).collect()
    }

    /// Why [`Repo::texts`] did not read a note.
    pub fn why_unread(&self, commit: Oid, note: Note) -> Error {
        self.note(commit, note).err().unwrap_or_else(|| self.too_large(commit, note))
    }

    fn too_large(&self, commit: Oid, note: Note) -> Error {
        let (name, anchor) = (self.log_name(commit), note.anchor);
        let message = format!("{name} has a note on {anchor} that is larger than git sq reads");
        Error::new(ErrorKind::TooLarge, message).help(DOCTOR)
    }

    /// The notes that `theirs` has and `ours` lacks, or has with another blob. The cost is that of the difference.
    pub fn notes_added(&self, ours: Oid, theirs: Oid) -> Result<Vec<Note>> {
        self.notes_changed(ours, theirs).map(|(_, added)| added)
    }

    /// The notes that only `ours` has, and those that only `theirs` has. The cost is that of the difference.
    pub fn notes_changed(&self, ours: Oid, theirs: Oid) -> Result<(Vec<Note>, Vec<Note>)> {
        let [from, to] = [self.tree_of(ours)?, self.tree_of(theirs)?];
        if from == to {
            return Ok((Vec::new(), Vec::new()));
        }
        let [mut removed, mut added] =
            self.found_notes([Some(from), Some(to)], [ours, theirs])?.notes;
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
        let trees = Limited::notes(&self.inner.objects);
        let lookup = match State::new(tree.0, &trees) {
            Ok(state) => Lookup::Lazy(Box::new(state)),
            Err(_) => Lookup::Listed(self.notes(commit)?),
        };
        Ok(NotesReader { repo: self, commit, trees, lookup })
    }

    fn anchor(&self, hex: &[u8]) -> Option<Oid> {
        (hex.len() == self.inner.object_hash().len_in_hex())
            .then(|| gix::ObjectId::from_hex(hex).ok())
            .flatten()
            .map(Oid)
    }
}

fn blobs(notes: &[Note]) -> Vec<Oid> {
    notes.iter().map(|note| note.blob).collect()
}

/// Digits in the name of a fanout folder.
const FANOUT: usize = 2;
/// Folders within each other; git makes three for millions of notes.
const MAX_DEPTH: usize = 20;

fn is_fanout(name: &[u8]) -> bool {
    name.len() == FANOUT && name.iter().all(u8::is_ascii_hexdigit)
}

impl NotesReader<'_> {
    /// The blobs that annotate `anchor`: two if it is both flat and fanned out, else at most one.
    pub fn get(&mut self, anchor: Oid) -> Result<Vec<Oid>> {
        if let Lookup::Lazy(state) = &mut self.lookup {
            match state.get(&anchor.0, &self.trees) {
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

    /// The texts of the notes on `anchor`.
    pub fn texts(&mut self, anchor: Oid) -> Result<Vec<Vec<u8>>> {
        let blobs = self.get(anchor)?;
        blobs.into_iter().map(|blob| self.repo.note(self.commit, Note { anchor, blob })).collect()
    }
}
