//! Many blobs at once, in the order in which packs hold them, each handed on and forgotten.

use std::panic::resume_unwind;

use super::{Oid, Repo};

/// Fewer blobs than this are read sooner than a thread starts.
const MANY: usize = 256;

impl Repo {
    /// Hands each blob to `step`, with its place in `ids`, in one thread for each processor; gives what each thread
    /// made, and the places of blobs that are missing even after a partial clone's remote was asked for them.
    pub fn fold_blobs<S: Send>(
        &self,
        ids: &[Oid],
        start: impl Fn() -> S + Sync,
        step: impl Fn(&mut S, usize, &[u8]) + Sync,
    ) -> (Vec<S>, Vec<usize>) {
        let order = if ids.len() < MANY {
            (0..ids.len()).collect()
        } else {
            self.pack_order(ids)
        };
        let (mut states, absent) = self.fold_places(&order, ids, &start, &step);
        let wanted: Vec<Oid> = absent.iter().map(|&place| ids[place]).collect();
        if !self.fetch_promised(&wanted) {
            return (states, absent);
        }
        let (more, absent) = self.fold_places(&absent, ids, &start, &step);
        states.extend(more);
        (states, absent)
    }

    fn fold_places<S: Send>(
        &self,
        order: &[usize],
        ids: &[Oid],
        start: &(impl Fn() -> S + Sync),
        step: &(impl Fn(&mut S, usize, &[u8]) + Sync),
    ) -> (Vec<S>, Vec<usize>) {
        let fold = |repo: &gix::Repository, places: &[usize]| {
            let mut state = start();
            let mut absent = Vec::new();
            let mut buffer = Vec::new();
            for &place in places {
                match super::blob::read_blob(repo, ids[place], &mut buffer) {
                    Some(bytes) => step(&mut state, place, bytes),
                    None => absent.push(place),
                }
            }
            (state, absent)
        };
        if order.len() < MANY {
            let (state, absent) = fold(&self.inner, order);
            return (vec![state], absent);
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let repo = self.inner.clone().into_sync();
        let shares = std::thread::scope(|scope| {
            let spawn = |places| {
                let (repo, fold) = (&repo, &fold);
                scope.spawn(move || {
                    let mut repo = repo.to_thread_local();
                    super::blob::remember_delta_bases(&mut repo);
                    fold(&repo, places)
                })
            };
            let shares: Vec<_> = order
                .chunks(order.len().div_ceil(threads))
                .map(spawn)
                .collect();
            let join =
                |share: std::thread::ScopedJoinHandle<'_, (S, Vec<usize>)>| match share.join() {
                    Ok(done) => done,
                    Err(panic) => resume_unwind(panic),
                };
            shares.into_iter().map(join).collect::<Vec<_>>()
        });
        let (states, absent): (Vec<S>, Vec<Vec<usize>>) = shares.into_iter().unzip();
        (states, absent.concat())
    }
}
