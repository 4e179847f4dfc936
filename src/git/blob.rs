//! Reads many blobs at once, in the order of the packs.

use std::{
    collections::BTreeMap,
    panic::resume_unwind,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use gix::{
    odb::pack::{cache::lru::MemoryCappedHashmap, index::File as Index},
    prelude::FindExt as _,
};

use crate::entry::lines_of;

use super::{
    Note, Oid, Repo, Result,
    budget::{LINES, NOTES, OBJECT, too_large},
};

/// Fewer blobs than this are read before a thread has started.
const MANY: usize = 256;

/// How many bytes of delta bases a thread keeps; in the order of the packs a chain's bases lie close together.
const DELTA_BASES: usize = 4 << 20;

/// Which of many blobs were not read, by their places.
#[derive(Debug, Default)]
pub struct Unread {
    /// They are missing here and, in a partial clone, on its remote.
    pub absent: Vec<usize>,
    /// They are beyond the limits.
    pub too_large: Vec<usize>,
}

/// Whether an object is here, and is not read because of its size.
pub(super) fn is_too_large(repo: &gix::Repository, id: Oid) -> bool {
    let header = repo.try_find_header(id.0);
    header.is_ok_and(|found| found.is_some_and(|found| found.size() > OBJECT as u64))
}

impl Repo {
    /// The bytes of many notes, in the order of `ids`; `None` for those missing here and, in a partial clone, on its
    /// remote. An error where they are beyond the limits.
    pub fn blobs(&self, ids: &[Oid]) -> Result<Vec<Option<Vec<u8>>>> {
        let mut blobs = vec![None; ids.len()];
        let keep = |read: &mut Vec<_>, places: &[usize], text: &[u8]| {
            read.push((places.to_vec(), text.to_vec()));
        };
        for (places, text) in self.fold_within(ids, keep)?.into_iter().flatten() {
            for place in places {
                blobs[place] = Some(text.clone());
            }
        }
        Ok(blobs)
    }

    /// Fails where notes are beyond the limits.
    pub fn require_readable(&self, notes: &[Note]) -> Result<()> {
        let ids: Vec<Oid> = notes.iter().map(|note| note.blob).collect();
        let forget = |(): &mut (), _: &[usize], _: &[u8]| ();
        self.fold_within(&ids, forget).map(drop)
    }

    /// Hands each blob with all its places in `ids` to `step`, and fails where they are beyond the limits.
    fn fold_within<S: Default + Send>(
        &self,
        ids: &[Oid],
        step: impl Fn(&mut S, &[usize], &[u8]) + Sync,
    ) -> Result<Vec<S>> {
        let mut places: BTreeMap<Oid, Vec<usize>> = BTreeMap::new();
        for (place, id) in ids.iter().enumerate() {
            places.entry(*id).or_default().push(place);
        }
        let (distinct, places): (Vec<Oid>, Vec<Vec<usize>>) = places.into_iter().unzip();
        let (bytes, lines) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let step = |state: &mut S, place: usize, text: &[u8]| {
            let places = &places[place];
            let is_within = |sum: &AtomicUsize, more, most| {
                let more = more * places.len();
                sum.fetch_add(more, Ordering::Relaxed) + more <= most
            };
            if is_within(&bytes, text.len(), NOTES)
                && is_within(&lines, lines_of(text).count(), LINES)
            {
                step(state, places, text);
            }
        };
        let (states, unread) = self.fold_blobs(&distinct, S::default, step);
        let is_within = bytes.into_inner() <= NOTES && lines.into_inner() <= LINES;
        if !is_within || !unread.too_large.is_empty() {
            return Err(too_large(
                "notes have more bytes or lines than git sq reads",
            ));
        }
        Ok(states)
    }

    /// Hands each of these blobs, which are distinct, with its place in `ids` to `step`, in one thread per processor,
    /// and forgets it. Gives what each thread made.
    pub fn fold_blobs<S: Send>(
        &self,
        ids: &[Oid],
        start: impl Fn() -> S + Sync,
        step: impl Fn(&mut S, usize, &[u8]) + Sync,
    ) -> (Vec<S>, Unread) {
        let all: Vec<usize> = (0..ids.len()).collect();
        let (mut states, mut unread) = self.fold_here(all, ids, &start, &step);
        let wanted: Vec<Oid> = unread.absent.iter().map(|&place| ids[place]).collect();
        let mut is_back = self.fetch_promised(&wanted);
        while is_back || !unread.absent.is_empty() && self.waits_for_gc() {
            let absent = std::mem::take(&mut unread.absent);
            let (more, still) = self.fold_here(absent, ids, &start, &step);
            states.extend(more);
            unread.absent = still.absent;
            unread.too_large.extend(still.too_large);
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
    ) -> (Vec<S>, Unread) {
        let bytes = AtomicUsize::new(0);
        let fold = |repo: &gix::Repository, places: &[usize]| {
            let (mut state, mut unread, mut buffer) = (start(), Unread::default(), Vec::new());
            for &place in places {
                if bytes.load(Ordering::Relaxed) > NOTES {
                    unread.too_large.push(place);
                    continue;
                }
                match repo.objects.find_blob(&ids[place].0, &mut buffer) {
                    Ok(blob) => {
                        bytes.fetch_add(blob.data.len(), Ordering::Relaxed);
                        step(&mut state, place, blob.data);
                    }
                    Err(_) if is_too_large(repo, ids[place]) => unread.too_large.push(place),
                    Err(_) => unread.absent.push(place),
                }
            }
            (state, unread)
        };
        if places.len() < MANY {
            let (state, unread) = fold(&self.inner, &places);
            return (vec![state], unread);
        }
        // In the order of the packs each chain of deltas is unrolled once, not once per blob.
        self.sort_by_pack(&mut places, ids);
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let shares: Vec<_> = thread::scope(|scope| {
            let shares: Vec<_> = places
                .chunks(places.len().div_ceil(threads))
                .map(|share| {
                    let mut repo = self.inner.clone();
                    repo.objects
                        .set_pack_cache(|| Box::new(MemoryCappedHashmap::new(DELTA_BASES)));
                    let fold = &fold;
                    scope.spawn(move || fold(&repo, share))
                })
                .collect();
            let done = shares.into_iter().map(thread::ScopedJoinHandle::join);
            done.map(|done| done.unwrap_or_else(|panic| resume_unwind(panic)))
                .collect()
        });
        let mut unread = Unread::default();
        let states = shares.into_iter().map(|(state, share)| {
            unread.absent.extend(share.absent);
            unread.too_large.extend(share.too_large);
            state
        });
        (states.collect(), unread)
    }

    /// Sorts `places` of `ids` by their place in the packs, loose objects last.
    fn sort_by_pack(&self, places: &mut [usize], ids: &[Oid]) {
        let folder = self.inner.objects.store_ref().path().join("pack");
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let indices: Vec<Index> = files
            .map(|file| file.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "idx"))
            .filter_map(|path| Index::at(path, self.inner.object_hash()).ok())
            .collect();
        places.sort_by_cached_key(|&place| {
            let places = indices.iter().enumerate();
            let mut places = places.filter_map(|(pack, index)| {
                let entry = index.lookup(ids[place].0)?;
                Some((pack, index.pack_offset_at_index(entry)))
            });
            places.next().unwrap_or((usize::MAX, 0))
        });
    }
}
