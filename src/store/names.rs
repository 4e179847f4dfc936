//! Interned strings, each kept once and known by its number.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

/// A table of strings in one piece of text; number 0 is the empty string.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Names {
    text: String,
    ends: Vec<u32>,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            text: String::new(),
            ends: vec![0],
        }
    }
}

impl Names {
    /// Empty for an unknown number.
    pub fn get(&self, number: u32) -> &str {
        let place = number as usize;
        let start = place
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let range = start.zip(self.ends.get(place));
        range
            .and_then(|(&start, &end)| self.text.get(start as usize..end as usize))
            .unwrap_or_default()
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let numbers = 0..u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        numbers.map(|number| (number, self.get(number)))
    }

    /// Numbers of strings are below this.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    fn push(&mut self, name: &str) -> u32 {
        let number = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.text.push_str(name);
        self.ends
            .push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        number
    }
}

#[derive(Debug, Default)]
pub struct Numbering {
    pub names: Names,
    // Randomly seeded as the standard hasher, and several times as fast for short strings.
    known: HashMap<String, u32, RandomState>,
}

impl Numbering {
    pub fn number(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return 0;
        }
        if let Some(&number) = self.known.get(name) {
            return number;
        }
        let number = self.names.push(name);
        self.known.insert(name.to_owned(), number);
        number
    }
}

/// Adds the strings of `more` to `table`, and returns the number of each there.
/// The cost is that of both tables, but only `more`, usually the small one, is hashed.
pub fn absorb(table: &mut Names, more: &Names) -> Vec<u32> {
    let mut wanted: HashMap<&str, Option<u32>, RandomState> =
        more.iter().map(|(_, name)| (name, None)).collect();
    for (number, name) in table.iter() {
        if let Some(found) = wanted.get_mut(name) {
            *found = Some(number);
        }
    }
    let numbers = more.iter().map(|(_, name)| match wanted.get(name) {
        Some(Some(number)) => *number,
        _ => table.push(name),
    });
    numbers.collect()
}

/// As [`absorb`], for other values.
pub fn absorb_all<T: Clone + Eq + std::hash::Hash>(table: &mut Vec<T>, more: &[T]) -> Vec<u32> {
    let mut wanted: HashMap<&T, Option<usize>, RandomState> =
        more.iter().map(|one| (one, None)).collect();
    for (number, one) in table.iter().enumerate() {
        if let Some(found) = wanted.get_mut(one) {
            *found = Some(number);
        }
    }
    let numbers = more.iter().map(|one| {
        let number = wanted.get(one).copied().flatten().unwrap_or_else(|| {
            table.push(one.clone());
            table.len() - 1
        });
        u32::try_from(number).unwrap_or(u32::MAX)
    });
    numbers.collect()
}
