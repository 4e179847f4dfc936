//! How much of what others push is read: the limits, in one place. They bound the time as well as the memory.

use std::cell::Cell;

use gix::{
    ObjectId,
    objs::{Data, Find, Kind, Write},
};

use super::{Error, ErrorKind};

/// The most bytes of one object, as it is once inflated.
pub const OBJECT: usize = 64 << 20;

/// The most bytes of all notes that are read together.
pub const NOTES: usize = 1 << 30;

/// The most lines of a log.
pub const LINES: usize = 1_000_000;

/// The most bytes of trees that are read for one look into a notes tree: enough for a million notes.
pub(super) const TREES: usize = 128 << 20;

/// How many folders a note may lie in; git makes a third one for millions of notes.
pub(super) const DEPTH: usize = 2;

/// The most trees that are read to look up one note: more than a few are made for that.
const FEW: usize = 1000;

/// What reading a small tree costs, in bytes.
const A_TREE: usize = 512;

/// Reads trees until they have been too many, however often the same one is named.
pub(super) struct Rationed<T> {
    objects: T,
    /// What one tree costs beside its bytes.
    cost: usize,
    left: Cell<usize>,
}

impl<T> Rationed<T> {
    pub fn new(objects: T) -> Self {
        Self {
            objects,
            cost: A_TREE,
            left: Cell::new(TREES),
        }
    }

    /// For looking up single notes, with [`Rationed::renew`] before each.
    pub fn of_few(objects: T) -> Self {
        Self {
            cost: TREES / FEW,
            ..Self::new(objects)
        }
    }

    pub fn renew(&self) {
        self.left.set(TREES);
    }

    pub fn into_inner(self) -> T {
        self.objects
    }

    /// Whether reading failed because there were too many.
    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }
}

impl<T: Find> Find for Rationed<T> {
    fn try_find<'a>(
        &self,
        id: &gix::hash::oid,
        buffer: &'a mut Vec<u8>,
    ) -> gix::Result<Option<Data<'a>>> {
        if self.is_spent() {
            return Ok(None);
        }
        let found = self.objects.try_find(id, buffer)?;
        let cost = self.cost + found.as_ref().map_or(0, |found| found.data.len());
        self.left.set(self.left.get().saturating_sub(cost));
        Ok(found)
    }
}

impl<T: Write> Write for Rationed<T> {
    fn write_stream(
        &self,
        kind: Kind,
        size: u64,
        from: &mut dyn std::io::Read,
    ) -> gix::Result<ObjectId> {
        self.objects.write_stream(kind, size, from)
    }

    fn write_stream_with_known_id(
        &self,
        kind: Kind,
        size: u64,
        from: &mut dyn std::io::Read,
        id: ObjectId,
    ) -> gix::Result<ObjectId> {
        self.objects
            .write_stream_with_known_id(kind, size, from, id)
    }

    fn write_buf_with_known_id(
        &self,
        kind: Kind,
        bytes: &[u8],
        id: ObjectId,
    ) -> gix::Result<ObjectId> {
        self.objects.write_buf_with_known_id(kind, bytes, id)
    }
}

/// The error for what is more than the limits allow.
pub(super) fn too_large(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::TooLarge, what)
        .help("see `git log -p refs/notes/sq` for who brought it: git sq reads no log of that size")
}
