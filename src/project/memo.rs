//! The judgements of earlier runs.
//!
//! A judgement follows from its own line, from earlier lines at commits that its own contains, and from its question: from
//! nothing that comes later. So it holds until a line is added before it at such a commit, or one goes.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::{
    entry::{Sum, sha256},
    evidence::Ruling,
    finding::Rule,
    question::{Expect, Question},
};

/// Identifies the looks of one entry: its line, its commit, and its answers with the parts of their questions.
pub type Id = (u64, u64, u64);

const EXPOSED: u8 = 1;
const CLAIM: u8 = 2;
/// It could not be judged.
const UNTOLD: u8 = 4;
const SHOWN: u8 = 8;
const LOST: u8 = 16;

/// Judgements in the order in which they were made.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Memo {
    /// Digest of what they follow from besides lines.
    seed: Sum,
    /// One id for each entry.
    ids: Vec<Id>,
    /// Where the judgements of each entry begin.
    starts: Vec<u32>,
    bits: Vec<u8>,
    /// The flags of those that have some, by place.
    flags: Vec<(u32, Vec<(Rule, String)>)>,
}

/// The known judgements of the entries of this run.
pub struct Recalled {
    memo: Memo,
    /// Number of entries that are the first ones of the memo.
    same: usize,
    /// The places of the others in the memo; empty where one of them is missing in this run.
    others: HashMap<Id, usize>,
}

impl Memo {
    pub fn new(seed: Sum) -> Self {
        Self { seed, ..Self::default() }
    }

    /// Begins the judgements of the next entry.
    pub fn begin(&mut self, id: Id) {
        self.ids.push(id);
        self.starts.push(u32::try_from(self.bits.len()).unwrap_or(u32::MAX));
    }

    /// Adds the next judgement; `None` if there is none.
    pub fn push(&mut self, ruling: Option<&Ruling>) {
        if let Some(ruling) = ruling.filter(|ruling| !ruling.flags.is_empty()) {
            let place = u32::try_from(self.bits.len()).unwrap_or(u32::MAX);
            self.flags.push((place, ruling.flags.clone()));
        }
        self.bits.push(ruling.map_or(UNTOLD, |ruling| {
            u8::from(ruling.is_exposed) * EXPOSED
                + u8::from(ruling.is_claim) * CLAIM
                + u8::from(ruling.is_shown) * SHOWN
                + u8::from(ruling.is_lost) * LOST
        }));
    }

    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Compares it with the entries of this run.
    pub fn recall(self, seed: Sum, entries: &[Id]) -> Recalled {
        let memo = if self.seed == seed { self } else { Self::default() };
        let known = memo.ids.iter().zip(entries);
        let same = known.take_while(|(known, entry)| known == entry).count();
        let rest: HashMap<Id, usize> = memo.ids.iter().copied().zip(0..).skip(same).collect();
        let met = entries[same..].iter().filter(|entry| rest.contains_key(*entry)).count();
        let others = if met == rest.len() { rest } else { HashMap::new() };
        Recalled { memo, same, others }
    }
}

impl Recalled {
    /// Where the judgements of the entry in this place of this run begin; they hold unless a line was added before it.
    pub fn find(&self, place: usize, id: &Id) -> Option<usize> {
        let known = if place < self.same { Some(&place) } else { self.others.get(id) };
        self.memo.starts.get(*known?).map(|start| *start as usize)
    }

    pub fn get(&self, place: usize) -> Option<Ruling> {
        let bits = self.memo.bits.get(place).filter(|bits| *bits & UNTOLD == 0)?;
        let flags = &self.memo.flags;
        let flagged = flags.binary_search_by_key(&place, |(at, _)| *at as usize);
        Some(Ruling {
            is_exposed: bits & EXPOSED != 0,
            is_claim: bits & CLAIM != 0,
            is_shown: bits & SHOWN != 0,
            is_lost: bits & LOST != 0,
            flags: flagged.map(|at| flags[at].1.clone()).unwrap_or_default(),
        })
    }
}

/// Start of the digest of the parts of a question that affect a judgement.
pub fn digest(question: &Question) -> u64 {
    let Question { watch, lines, probe, shape, expect, .. } = question;
    let sum = sha256(
        json!([watch, lines, probe, shape, expect.as_ref().map(Expect::words)])
            .to_string()
            .as_bytes(),
    );
    u64::from_be_bytes(sum[..8].try_into().unwrap_or_default())
}
