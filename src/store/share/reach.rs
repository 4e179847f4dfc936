//! Searches commits in the histories of others.

use std::{
    collections::{BinaryHeap, HashSet},
    hash::BuildHasher,
};

use crate::git::{Link, Oid};

/// Seconds by which a quick search continues below the oldest wanted commit: clocks differ.
const SLOP: i64 = 24 * 60 * 60;

/// The commits of `wanted` that `tips` contain, as far as `link` leads.
/// A missing commit is found through a child that names it as its parent. Unless `exact`, the search ends well below
/// the oldest wanted commit, and may miss a commit whose descendants have a wrong clock.
pub fn reached<S: BuildHasher>(
    tips: &[Oid],
    wanted: &HashSet<Oid, S>,
    exact: bool,
    mut link: impl FnMut(Oid) -> Option<Link>,
) -> HashSet<Oid> {
    let lowest = wanted
        .iter()
        .filter_map(|id| Some(link(*id)?.time))
        .min()
        .unwrap_or(i64::MAX)
        .saturating_sub(SLOP);
    let (mut found, mut seen) = (HashSet::new(), HashSet::new());
    let mut queue = BinaryHeap::new();
    let mut next: Vec<Oid> = tips.to_vec();
    loop {
        for id in next.drain(..) {
            if !seen.insert(id) {
                continue;
            }
            if wanted.contains(&id) {
                found.insert(id);
            }
            if let Some(link) = link(id) {
                queue.push((link.time, id, link.parents));
            }
        }
        if found.len() == wanted.len() {
            return found;
        }
        match queue.pop() {
            Some((time, _, parents)) if exact || time >= lowest => next = parents,
            _ => return found,
        }
    }
}
