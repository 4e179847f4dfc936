//! Which commits others contain.

use std::{
    collections::{BinaryHeap, HashSet},
    hash::BuildHasher,
};

use crate::git::{Link, Oid};

/// How far below the oldest commit that is looked for a quick search goes on, in seconds: clocks differ.
const SLOP: i64 = 24 * 60 * 60;

/// Those of `wanted` that `tips` contain, as far as `link` leads.
///
/// A commit that is not here is found where another one names it as its parent. Unless it is to be `exact`, the search
/// ends well below the oldest commit that is looked for, and may miss what has a clock in its history that was far off.
pub fn reached<S: BuildHasher>(
    tips: &[Oid],
    wanted: &HashSet<Oid, S>,
    exact: bool,
    mut link: impl FnMut(Oid) -> Option<Link>,
) -> HashSet<Oid> {
    let times = wanted.iter().filter_map(|id| Some(link(*id)?.time));
    let lowest = times.min().unwrap_or(i64::MAX).saturating_sub(SLOP);
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
