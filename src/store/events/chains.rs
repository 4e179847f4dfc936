//! Lines that break the chain of the writer that they name.

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet},
};

use super::{
    super::names::{Numbering, absorb, absorb_all},
    Events, Row,
};

/// A line in a chain: its number, its digest, and the digest that it names for the line before.
type Link = (u32, (u64, u64), u64);

impl Events {
    /// The events with each line that breaks the chain of its named writer attributed to another writer: a restored
    /// backup and a forger leave the same trace. `None` if no line does.
    pub fn chained(&self) -> Option<Self> {
        let broken = self.broken();
        if broken.is_empty() {
            return None;
        }
        let mut events = self.clone();
        let tables = &mut events.tables;
        let is_broken = |row: &&mut Row| row.n > 0 && broken.contains(&row.digest);
        let mut rows: Vec<&mut Row> = events.rows.iter_mut().filter(is_broken).collect();
        let mut others = Numbering::default();
        let mut of_rows: Vec<(u32, u32)> = Vec::with_capacity(rows.len());
        for row in &rows {
            let (sid, writer) = tables.session(row.session);
            let other = others.number(&format!("{} (another)", tables.names.get(writer)));
            of_rows.push((sid, other));
        }
        let names = absorb(&mut tables.names, &others.names);
        for (_, writer) in &mut of_rows {
            *writer = names[*writer as usize];
        }
        let sessions: BTreeSet<(u32, u32)> = of_rows.iter().copied().collect();
        let sessions: Vec<_> = sessions.into_iter().collect();
        let numbers = absorb_all(&mut tables.sessions, &sessions);
        for (row, session) in rows.iter_mut().zip(of_rows) {
            row.session = numbers[sessions.partition_point(|one| *one < session)];
            row.breaks_chain = true;
        }
        Some(events)
    }

    /// Usually each writer's lines are consecutive in time, and one pass suffices.
    fn broken(&self) -> HashSet<(u64, u64)> {
        let writer = |row: &Row| self.tables.session(row.session).1;
        let rows = || self.rows.iter().filter(|row| row.n > 0);
        let mut last = vec![(0, 0); self.tables.names.count()];
        let mut looked_at: HashMap<u32, Vec<Link>> = HashMap::new();
        for row in rows() {
            // Numbers come from these tables; a number out of range means a damaged cache.
            let Some(last) = last.get_mut(writer(row) as usize) else {
                continue;
            };
            let (n, digest) = std::mem::replace(last, (row.n, row.digest.0));
            let is_copy = *last == (n, digest);
            let follows = row.n > n && (row.n - n > 1 || row.prev == digest);
            if !is_copy && !follows {
                looked_at.insert(writer(row), Vec::new());
            }
        }
        if looked_at.is_empty() {
            return HashSet::new();
        }
        for row in rows() {
            if let Some(links) = looked_at.get_mut(&writer(row)) {
                links.push((row.n, row.digest, row.prev));
            }
        }
        looked_at.into_values().flat_map(broken_of).collect()
    }
}

/// The digests of the lines of one writer that break its chain: a line has to name the previous one if that exists, and
/// of several lines with one number only the one with the longest continuation is genuine.
fn broken_of(mut links: Vec<Link>) -> Vec<(u64, u64)> {
    links.sort_unstable();
    links.dedup();
    let mut lengths: HashMap<(u32, u64), usize> = HashMap::new();
    for &(n, digest, prev) in links.iter().rev() {
        let length = lengths.get(&(n, digest.0)).copied().unwrap_or(0) + 1;
        let before = lengths.entry((n - 1, prev)).or_default();
        *before = length.max(*before);
    }
    let length = |link: &Link| lengths.get(&(link.0, link.1.0)).copied();
    let mut broken = Vec::new();
    let mut last = (0, 0);
    for same in links.chunk_by(|one, two| one.0 == two.0) {
        let follows = |link: &&Link| link.0 - last.0 > 1 || link.2 == last.1;
        let rank = |link: &&Link| (length(link), Reverse(link.1));
        let own = same.iter().filter(follows).max_by_key(rank).copied();
        broken.extend(
            same.iter()
                .filter(|link| Some(**link) != own)
                .map(|link| link.1),
        );
        last = own.map_or(last, |(n, digest, _)| (n, digest.0));
    }
    broken
}
