//! Reads many blobs at once, in the order of the packs.

use std::thread;

use gix::{
    odb::pack::{cache::lru::MemoryCappedHashmap, index::File as Index},
    prelude::FindExt as _,
};

use super::{Oid, Repo};

/// Fewer blobs than this are read before a thread has started.
const MANY: usize = 256;

/// How many bytes of delta bases a thread keeps; in the order of the packs a chain's bases lie close together.
const DELTA_BASES: usize = 4 << 20;

impl Repo {
    /// The bytes of many blobs, in the order of `ids`; `None` for those missing here and, in a partial clone, on its
    /// remote.
    pub fn blobs(&self, ids: &[Oid]) -> Vec<Option<Vec<u8>>> {
        let mut blobs = self.blobs_here(ids);
        let places: Vec<usize> = (0..ids.len()).filter(|&p| blobs[p].is_none()).collect();
        let absent: Vec<Oid> = places.iter().map(|&place| ids[place]).collect();
        if self.fetch_promised(&absent) {
            for (place, blob) in places.into_iter().zip(self.blobs_here(&absent)) {
                blobs[place] = blob;
            }
        }
        blobs
    }

    /// The bytes of many blobs, in the order of `ids`; `None` for those missing here.
    fn blobs_here(&self, ids: &[Oid]) -> Vec<Option<Vec<u8>>> {
        if ids.len() < MANY {
            let mut buffer = Vec::new();
            let read = |id: &Oid| read_blob(&self.inner, *id, &mut buffer);
            return ids.iter().map(read).collect();
        }
        // In the order of the packs each chain of deltas is unrolled once, not once per blob.
        let order = self.pack_order(ids);
        let mut blobs: Vec<_> = order.into_iter().map(|place| (place, None)).collect();
        let threads = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for share in blobs.chunks_mut(ids.len().div_ceil(threads)) {
                let mut repo = self.inner.clone();
                repo.objects
                    .set_pack_cache(|| Box::new(MemoryCappedHashmap::new(DELTA_BASES)));
                scope.spawn(move || {
                    let mut buffer = Vec::new();
                    for (place, blob) in share {
                        *blob = read_blob(&repo, ids[*place], &mut buffer);
                    }
                });
            }
        });
        blobs.sort_unstable_by_key(|(place, _)| *place);
        blobs.into_iter().map(|(_, blob)| blob).collect()
    }

    /// The places of `ids`, sorted by their place in the packs, loose objects last.
    fn pack_order(&self, ids: &[Oid]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..ids.len()).collect();
        let folder = self.inner.objects.store_ref().path().join("pack");
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let indices: Vec<Index> = files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "idx"))
            .filter_map(|path| Index::at(path, self.inner.object_hash()).ok())
            .collect();
        order.sort_by_cached_key(|&place| {
            let places = indices.iter().enumerate();
            let mut places = places.filter_map(|(pack, index)| {
                let entry = index.lookup(ids[place].0)?;
                Some((pack, index.pack_offset_at_index(entry)))
            });
            places.next().unwrap_or((usize::MAX, 0))
        });
        order
    }
}

/// A blob's bytes in a vector of their size; `buffer` grows to the longest chain of deltas.
fn read_blob(repo: &gix::Repository, id: Oid, buffer: &mut Vec<u8>) -> Option<Vec<u8>> {
    let blob = repo.objects.find_blob(&id.0, buffer).ok()?;
    Some(blob.data.to_vec())
}
