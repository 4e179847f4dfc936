//! A cache of findings in files, for other commits with the same files.

use std::collections::HashMap;

use serde_json::Value;

use crate::git::Oid;

/// The approximate limit of the cache in bytes.
const MOST: usize = 32 << 20;

#[derive(Debug, Clone, Default)]
pub struct InFile {
    pub taken: Vec<Value>,
    pub count: usize,
}

impl InFile {
    pub fn count(count: usize) -> Self {
        Self { taken: Vec::new(), count }
    }

    fn size(&self) -> usize {
        self.taken
            .iter()
            .map(|item| item.as_str().map_or(0, str::len) + size_of::<Value>())
            .sum::<usize>()
            + size_of::<Self>()
    }
}

#[derive(Debug, Default)]
pub struct Memo {
    found: HashMap<String, HashMap<Oid, (u64, InFile)>>,
    bytes: usize,
}

impl Memo {
    pub fn get(&self, key: &str, blob: Oid) -> Option<(u64, InFile)> {
        self.found.get(key)?.get(&blob).cloned()
    }

    /// Caches a finding; the cache is emptied first if it is full.
    pub fn keep(&mut self, key: &str, blob: Oid, size: u64, found: &InFile) {
        self.bytes += found.size();
        if self.bytes > MOST {
            self.found.clear();
            self.bytes = found.size();
        }
        self.found.entry(key.to_owned()).or_default().insert(blob, (size, found.clone()));
    }
}
