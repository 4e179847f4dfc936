//! Reads many blobs at once, in the order of the packs.

use std::sync::atomic::{AtomicUsize, Ordering};

use gix::{
    bstr::ByteSlice as _,
    odb::pack::{cache::lru::MemoryCappedHashmap, index::File as Index},
    prelude::FindExt as _,
};

use super::{Oid, Repo, shares::in_shares};
use crate::file;

/// Below this number of blobs, one thread reads them faster than several.
const MANY: usize = 256;

/// Bytes of delta bases that a thread caches; in pack order, the bases of a chain lie close together.
const DELTA_BASES: usize = 4 << 20;

/// Lines of a note, and lines and bytes of all notes that are read together: anybody who may push to the log may have
/// made them more, and an honest log has fewer.
const MAX_LINES: usize = 100_000;
const MAX_ALL_LINES: usize = 1_000_000;
const MAX_ALL_BYTES: usize = 1 << 29;
/// The weight of a note on each further commit that has the same: these cost a push next to nothing.
const A_COPY: usize = 4;

#[derive(Default)]
struct Sum {
    lines: AtomicUsize,
    bytes: AtomicUsize,
}

impl Sum {
    /// Returns true if the notes so far, with this one, are within the limits.
    fn takes(&self, note: &[u8], is_copy: bool) -> bool {
        if self.is_full() {
            return false;
        }
        let (lines, weight) = (lines(note), if is_copy { A_COPY } else { 1 });
        let add = |sum: &AtomicUsize, more: usize, most: usize| {
            sum.fetch_add(more * weight, Ordering::Relaxed) + more * weight <= most
        };
        lines <= MAX_LINES
            && add(&self.lines, lines, MAX_ALL_LINES)
            && add(&self.bytes, note.len(), MAX_ALL_BYTES)
    }

    fn is_full(&self) -> bool {
        self.lines.load(Ordering::Relaxed) > MAX_ALL_LINES
            || self.bytes.load(Ordering::Relaxed) > MAX_ALL_BYTES
    }
}

pub(super) fn is_readable(note: &[u8]) -> bool {
    lines(note) <= MAX_LINES
}

/// Number of lines, or any that is too large.
fn lines(note: &[u8]) -> usize {
    note.find_iter("\n").take(MAX_LINES + 1).count()
}

impl Repo {
    /// Passes each blob, with its index in `ids`, to `step`, in one thread per processor. Returns the state of each
    /// thread and the indices of the blobs that can't be read: too large for git sq, or missing (in a partial clone, on
    /// its remote, too).
    pub fn fold_blobs<S: Send>(
        &self,
        ids: &[Oid],
        start: impl Fn() -> S + Sync,
        step: impl Fn(&mut S, usize, &[u8]) + Sync,
    ) -> (Vec<S>, Vec<usize>) {
        let all: Vec<usize> = (0..ids.len()).collect();
        let (mut states, mut unread) = self.fold_here(all, ids, &start, &step);
        let wanted: Vec<Oid> = unread.iter().map(|&place| ids[place]).collect();
        let mut is_back = self.fetch_promised(&wanted);
        while is_back || !unread.is_empty() && self.waits_for_gc() {
            let (more, still) = self.fold_here(unread, ids, &start, &step);
            states.extend(more);
            unread = still;
            is_back = false;
        }
        (states, unread)
    }

    fn fold_here<S: Send>(
        &self,
        mut places: Vec<usize>,
        ids: &[Oid],
        start: &(impl Fn() -> S + Sync),
        step: &(impl Fn(&mut S, usize, &[u8]) + Sync),
    ) -> (Vec<S>, Vec<usize>) {
        let sum = Sum::default();
        let fold = |repo: &gix::Repository, places: &[usize]| {
            let (mut state, mut unread, mut buffer) = (start(), Vec::new(), Vec::new());
            let same = |one: &usize, other: &usize| ids[*one] == ids[*other];
            for places in places.chunk_by(same) {
                let read = |buffer| repo.objects.find_blob(&ids[places[0]].0, buffer).ok();
                let blob = Some(&mut buffer).filter(|_| !sum.is_full()).and_then(read);
                for (copies, &place) in places.iter().enumerate() {
                    match &blob {
                        Some(blob) if sum.takes(blob.data, copies > 0) => {
                            step(&mut state, place, blob.data);
                        }
                        _ => unread.push(place),
                    }
                }
            }
            (state, unread)
        };
        if places.len() < MANY {
            let (state, unread) = fold(&self.inner, &places);
            return (vec![state], unread);
        }
        // In pack order, each delta chain is unrolled once, not once per blob.
        self.sort_by_pack(&mut places, ids);
        let caching = || {
            let mut repo = self.inner.clone();
            repo.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(DELTA_BASES)));
            repo
        };
        let shares = in_shares(&places, 1, caching, |repo, share| fold(&repo, share));
        let (states, unread): (Vec<S>, Vec<_>) = shares.into_iter().unzip();
        (states, unread.concat())
    }

    /// Sorts the indices `places` by pack order, loose objects last.
    fn sort_by_pack(&self, places: &mut [usize], ids: &[Oid]) {
        let folder = self.inner.objects.store_ref().path().join("pack");
        let indices = file::listed(folder)
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|it| it == "idx"))
            .filter_map(|path| Index::at(path, self.inner.object_hash()).ok());
        let indices: Vec<Index> = indices.collect();
        places.sort_by_cached_key(|&place| {
            let mut places = indices.iter().enumerate().filter_map(|(pack, index)| {
                let entry = index.lookup(ids[place].0)?;
                Some((pack, index.pack_offset_at_index(entry)))
            });
            places.next().unwrap_or((usize::MAX, 0))
        });
    }
}
