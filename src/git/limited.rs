//! Limits for reading trees: anybody who may push can make them as large as they like.

use std::cell::{Cell, RefCell};

use gix::{
    OdbHandle,
    hashtable::HashSet,
    objs::{Data, Find},
};

/// Bytes of the trees of notes: enough for a million notes in folders.
const MAX_NOTES: usize = 160 << 20;
/// Bytes of the trees of files, with what is made of them: enough for half a million files.
const MAX_FILES: usize = 128 << 20;
/// The cost of a tree beside its bytes.
const A_TREE: usize = 1 << 10;
/// The cost of a tree of notes that stands in another folder, too: the notes of an honest log differ.
const A_COPY: usize = MAX_NOTES / 100;
/// The cost of a file beside the bytes of its path.
const A_FILE: usize = 100;

/// Reads trees until they have been too many.
pub(super) struct Limited<'r> {
    objects: &'r OdbHandle,
    left: Cell<usize>,
    a_copy: usize,
    read: RefCell<HashSet>,
}

impl<'r> Limited<'r> {
    pub fn notes(objects: &'r OdbHandle) -> Self {
        Self { objects, left: Cell::new(MAX_NOTES), a_copy: A_COPY, read: RefCell::default() }
    }

    pub fn files(objects: &'r OdbHandle) -> Self {
        Self { objects, left: Cell::new(MAX_FILES), a_copy: A_TREE, read: RefCell::default() }
    }

    pub fn spend(&self) {
        self.left.set(0);
    }

    /// Returns true if another file or folder with this path may be kept.
    pub fn takes(&self, path: &[u8]) -> bool {
        self.pay(A_FILE + path.len());
        !self.is_spent()
    }

    fn pay(&self, cost: usize) {
        self.left.set(self.left.get().saturating_sub(cost));
    }

    pub fn is_spent(&self) -> bool {
        self.left.get() == 0
    }
}

impl Find for Limited<'_> {
    fn try_find<'a>(
        &self,
        id: &gix::hash::oid,
        buffer: &'a mut Vec<u8>,
    ) -> gix::Result<Option<Data<'a>>> {
        if self.is_spent() {
            return Ok(None);
        }
        let found = self.objects.try_find(id, buffer)?;
        let is_new = self.read.borrow_mut().insert(id.to_owned());
        let size = found.as_ref().map_or(0, |found| found.data.len());
        self.pay(size + if is_new { A_TREE } else { self.a_copy });
        Ok(found)
    }
}
