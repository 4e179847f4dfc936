//! Which lines go where: what a rule found, and what somebody says.

use std::collections::HashSet;

use super::{Homeless, LostLine, Search};
use crate::{entry::CarryRule, git::Oid, store::Log};

/// Lines that go from one commit to another.
#[derive(Debug)]
pub struct Move<'l> {
    pub from: Oid,
    pub to: Oid,
    pub rule: CarryRule,
    pub lines: Vec<&'l LostLine<'l>>,
}

impl<'l> Move<'l> {
    /// The id of each line.
    pub fn ids(&self) -> Vec<String> {
        let lines = self.lines.iter();
        lines.map(|line| line.trace.id.clone()).collect()
    }

    /// The lines of several moves.
    pub fn texts(moves: &[Self]) -> HashSet<&'l [u8]> {
        let lines = moves.iter().flat_map(|one| one.lines.iter());
        lines.map(|line| line.text).collect()
    }

    /// What found a home: all of it, or what no branch has. A line that stands on several lost commits goes with the one
    /// that the strongest rule matched.
    pub fn by_rule(meant: &[&'l Homeless<'l>], found: &Search, all: bool) -> Vec<Self> {
        let homes = meant.iter().filter_map(|one| {
            let (to, rule) = found.matching.home(one.anchor)?;
            Some((rule, *one, to))
        });
        let mut homes: Vec<_> = homes.collect();
        homes.sort_by_key(|(rule, one, _)| (*rule, one.anchor));
        let mut carried = HashSet::new();
        let moves = homes.into_iter().map(|(rule, one, to)| {
            let lines = one.lines.iter().filter(|line| all || line.orphaned);
            let lines = lines.filter(|line| carried.insert(line.text));
            Self {
                from: one.anchor,
                to,
                rule,
                lines: lines.collect(),
            }
        });
        moves.filter(|one| !one.lines.is_empty()).collect()
    }

    /// What goes to `to` because somebody said so: all of it, or what no rule matched and no branch has.
    pub fn by_hand(
        meant: &[&'l Homeless<'l>],
        moves: &[Self],
        found: &Search,
        log: &Log,
        to: Oid,
        all: bool,
    ) -> Vec<Self> {
        let there = log.annotations.iter().find(|one| one.anchor == to);
        let there = there.iter().flat_map(|one| one.text.split(|&b| b == b'\n'));
        let there: HashSet<&[u8]> = there.collect();
        let mut carried = Self::texts(moves);
        let unmatched = |one: &&&Homeless| {
            let known = !found.unknown.contains(&one.anchor);
            all || (known && found.matching.candidates(one.anchor).is_empty())
        };
        let moves = meant.iter().filter(unmatched).map(|one| {
            let lines = one.lines.iter();
            let lines = lines.filter(|line| all || line.orphaned);
            let lines =
                lines.filter(|line| !there.contains(line.text) && carried.insert(line.text));
            Self {
                from: one.anchor,
                to,
                rule: CarryRule::Onto,
                lines: lines.collect(),
            }
        });
        moves.filter(|one| !one.lines.is_empty()).collect()
    }
}
