//! Checkpoints: the number of lines in the order of publication, and the root of their Merkle tree (RFC 6962), in three
//! lines as in <https://c2sp.org/tlog-checkpoint>.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::{
    entry::{Sum, base64, hex},
    store::{LogHistory, LogLine},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Names the log: its first commit.
    origin: String,
    pub size: usize,
    /// In base64.
    root: String,
}

impl Checkpoint {
    /// `None` for a log without lines.
    pub fn of(log: &LogHistory) -> Option<Self> {
        let size = log.lines().count();
        Self::at(log, size).filter(|_| size > 0)
    }

    fn at(log: &LogHistory, size: usize) -> Option<Self> {
        let leaves: Vec<Sum> = log.lines().take(size).map(leaf).collect();
        let origin = format!("git-sq/{}", log.commits.first()?.id);
        // The log may be shorter.
        (leaves.len() == size).then(|| Self { origin, size, root: base64(&root(&leaves)) })
    }

    pub fn holds(&self, log: &LogHistory) -> bool {
        Self::at(log, self.size).as_ref() == Some(self)
    }

    /// Reads the first three lines; signatures may follow after an empty one.
    pub fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        Some(Self {
            origin: lines.next().filter(|origin| origin.starts_with("git-sq/"))?.to_owned(),
            size: lines.next()?.parse().ok()?,
            root: lines.next()?.to_owned(),
        })
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{}\n{}\n{}", self.origin, self.size, self.root)
    }
}

/// The hash of a leaf, which is the commit that a line is on, a space, and the SHA-256 of the line.
fn leaf(line: &LogLine) -> Sum {
    let mut leaf = Sha256::new();
    leaf.update([0]);
    leaf.update(format!("{} {}", line.anchor, hex(&line.digest)));
    leaf.finalize().into()
}

/// The Merkle tree hash of section 2.1 of RFC 6962.
fn root(leaves: &[Sum]) -> Sum {
    match leaves {
        [] => Sha256::digest([]).into(),
        [leaf] => *leaf,
        leaves => {
            let (left, right) = leaves.split_at(1 << (leaves.len() - 1).ilog2());
            let mut node = Sha256::new();
            node.update([1]);
            node.update(root(left));
            node.update(root(right));
            node.finalize().into()
        }
    }
}
