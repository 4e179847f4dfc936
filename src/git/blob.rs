//! Many blobs at once, in the order in which packs hold them.

use gix::{odb::pack::index::File as Index, prelude::FindExt as _};

use super::{Oid, Repo};

/// Fewer blobs than this are read sooner than a thread starts.
const SHARE: usize = 256;

/// How many bytes of delta bases a reader keeps. In the order of the packs a chain's bases lie close together.
const DELTA_BASES: usize = 4 << 20;

impl Repo {
    /// The bytes of many blobs, in the order of `ids`; None for what is missing, even where a partial clone's remote
    /// was asked for it.
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

    /// The bytes of many blobs, in the order of `ids`; None for what is not here.
    ///
    /// They are read in the order of the packs, so that a chain of deltas is unrolled once and not once a blob.
    fn blobs_here(&self, ids: &[Oid]) -> Vec<Option<Vec<u8>>> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let share = ids.len().div_ceil(threads).max(SHARE);
        let order = self.pack_order(ids);
        let repo = self.inner.clone().into_sync();
        let read = |places: &[usize]| -> Vec<(usize, Option<Vec<u8>>)> {
            let mut repo = repo.to_thread_local();
            if places.len() >= SHARE {
                repo.objects.set_pack_cache(|| {
                    Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(
                        DELTA_BASES,
                    ))
                });
            }
            let mut buffer = Vec::new();
            let mut read = |place: usize| {
                let blob = repo.objects.find_blob(&ids[place].0, &mut buffer);
                // A copy of the right size: the buffer has room for the longest chain of deltas.
                (place, blob.ok().map(|blob| blob.data.to_vec()))
            };
            places.iter().map(|&place| read(place)).collect()
        };
        let mut blobs = vec![None; ids.len()];
        let mut keep = |found: Vec<(usize, Option<Vec<u8>>)>| {
            for (place, blob) in found {
                blobs[place] = blob;
            }
        };
        if order.len() <= share {
            keep(read(&order));
            return blobs;
        }
        std::thread::scope(|scope| {
            let read = &read;
            let readers: Vec<_> = order
                .chunks(share)
                .map(|places| scope.spawn(move || read(places)))
                .collect();
            for reader in readers {
                match reader.join() {
                    Ok(found) => keep(found),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        blobs
    }

    /// The places of `ids`, sorted by where packs hold them; what is loose comes last.
    fn pack_order(&self, ids: &[Oid]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..ids.len()).collect();
        if ids.len() < SHARE {
            return order;
        }
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
