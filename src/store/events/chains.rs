//! Lines that break the chain of the writer that they name.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use super::{Events, Row, tables::number_in};

/// The end of the name of a writer to which a line is attributed that breaks the chain.
const ANOTHER: &str = " (another)";

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
        for row in events.rows.iter_mut().filter(is_broken) {
            let (sid, writer) = tables.session(row.session);
            let other = tables.name(writer).to_owned() + ANOTHER;
            let other = tables.number(&other);
            row.session = number_in(&mut tables.sessions, &(sid, other));
            row.breaks_chain = true;
        }
        Some(events)
    }

    /// Returns true if two lines name one writer, whether or not they continue its chain.
    pub fn name_one_writer(&self, one: &Row, two: &Row) -> bool {
        let named = |row| self.writer(row).trim_end_matches(ANOTHER);
        named(one) == named(two)
    }

    fn broken(&self) -> HashSet<(u64, u64)> {
        let mut writers: HashMap<u32, Vec<Link>> = HashMap::new();
        for row in self.rows.iter().filter(|row| row.n > 0) {
            let (_, writer) = self.tables.session(row.session);
            writers.entry(writer).or_default().push((row.n, row.digest, row.prev));
        }
        writers.into_values().flat_map(broken_of).collect()
    }
}

fn follows(link: &Link, (n, digest): (u32, u64)) -> bool {
    link.0 > n && (link.0 - n > 1 || link.2 == digest)
}

/// The digests of the lines of one writer that break its chain: a line has to name the previous one if that exists, and
/// of several lines with one number only the one with the longest continuation is genuine.
fn broken_of(mut links: Vec<Link>) -> Vec<(u64, u64)> {
    links.sort_unstable();
    links.dedup();
    let mut last = (0, 0);
    let mut is_whole = true;
    for link in &links {
        is_whole &= follows(link, last);
        last = (link.0, link.1.0);
    }
    if is_whole {
        return Vec::new();
    }
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
        let rank = |link: &&Link| (length(link), Reverse(link.1));
        let own = same.iter().filter(|link| follows(link, last)).max_by_key(rank).copied();
        broken.extend(same.iter().filter(|link| Some(**link) != own).map(|link| link.1));
        last = own.map_or(last, |(n, digest, _)| (n, digest.0));
    }
    broken
}
