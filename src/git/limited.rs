//! How much of a notes tree is read: anybody who may push to the log can make it as large as they like.

use std::cell::{Cell, RefCell};

use gix::{
    OdbHandle,
    hashtable::HashSet,
    objs::{Data, Find},
};

/// Bytes of trees: enough for a million notes in folders.
const MAX_TREES: usize = 160 << 20;
/// The cost of a tree beside its bytes.
const A_TREE: usize = 1 << 10;
/// The cost of a tree that stands in another folder, too: the notes of an honest log differ.
const A_COPY: usize = MAX_TREES / 100;

/// Reads trees until they have been too many.
pub(super) struct Limited<'r> {
    objects: &'r OdbHandle,
    left: Cell<usize>,
    read: RefCell<HashSet>,
}

impl<'r> Limited<'r> {
    pub fn new(objects: &'r OdbHandle) -> Self {
        Self { objects, left: Cell::new(MAX_TREES), read: RefCell::default() }
    }

    pub fn spend(&self) {
        self.left.set(0);
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
        let cost = size + if is_new { A_TREE } else { A_COPY };
        self.left.set(self.left.get().saturating_sub(cost));
        Ok(found)
    }
}
