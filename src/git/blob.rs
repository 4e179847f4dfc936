//! Many blobs at once, in the order in which packs hold them.

use std::panic::resume_unwind;

use gix::{odb::pack::index::File as Index, prelude::FindExt as _};

use super::{Oid, Repo};

/// Fewer blobs than this are read sooner than a thread starts.
const MANY: usize = 256;

/// How many bytes of delta bases a reader keeps; in the order of the packs a chain's bases lie close together.
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
    fn blobs_here(&self, ids: &[Oid]) -> Vec<Option<Vec<u8>>> {
        if ids.len() < MANY {
            let mut buffer = Vec::new();
            let read = |id: &Oid| read_blob(&self.inner, *id, &mut buffer).map(<[u8]>::to_vec);
            return ids.iter().map(read).collect();
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        // In the order of the packs a chain of deltas is unrolled once, and not once a blob.
        let order = self.pack_order(ids);
        let repo = self.inner.clone().into_sync();
        let read = |places: &[usize]| -> Vec<Option<Vec<u8>>> {
            let mut repo = repo.to_thread_local();
            remember_delta_bases(&mut repo);
            let mut buffer = Vec::new();
            let read =
                |&place: &usize| read_blob(&repo, ids[place], &mut buffer).map(<[u8]>::to_vec);
            places.iter().map(read).collect()
        };
        let mut blobs = vec![None; ids.len()];
        std::thread::scope(|scope| {
            let read = &read;
            let shares = order.chunks(ids.len().div_ceil(threads));
            let readers: Vec<_> = shares
                .map(|places| (places, scope.spawn(move || read(places))))
                .collect();
            for (places, reader) in readers {
                let found = reader.join().unwrap_or_else(|panic| resume_unwind(panic));
                for (&place, blob) in places.iter().zip(found) {
                    blobs[place] = blob;
                }
            }
        });
        blobs
    }

    /// The places of `ids`, sorted by where packs hold them; what is loose comes last.
    pub(super) fn pack_order(&self, ids: &[Oid]) -> Vec<usize> {
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

pub(super) fn read_blob<'b>(
    repo: &gix::Repository,
    id: Oid,
    buffer: &'b mut Vec<u8>,
) -> Option<&'b [u8]> {
    let blob = repo.objects.find_blob(&id.0, buffer).ok()?;
    Some(blob.data)
}

pub(super) fn remember_delta_bases(repo: &mut gix::Repository) {
    repo.objects.set_pack_cache(|| {
        Box::new(gix::odb::pack::cache::lru::MemoryCappedHashmap::new(
            DELTA_BASES,
        ))
    });
}
