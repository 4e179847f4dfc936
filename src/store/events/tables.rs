//! Tables of the values that rows refer to by number.

use serde::{Deserialize, Serialize};

use super::{super::names::Names, Answer, Row};
use crate::git::Oid;

/// Numbers are indices of the tables.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tables {
    pub(super) anchors: Vec<Oid>,
    pub(super) blobs: Vec<Oid>,
    pub(super) names: Names,
    /// Id (a name) and version.
    pub(super) questions: Vec<(u32, u32)>,
    /// `sid` and writer (names).
    pub(super) sessions: Vec<(u32, u32)>,
    pub(super) answers: Vec<Answer>,
    pub(super) origins: Vec<Origin>,
    /// The ids of lines, the text of lines of other kinds than `rederive`, and the reasons why lines can't be read.
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Origin {
    /// The file's digest (a name), and the line's number in it.
    pub(super) file: u32,
    pub(super) line: u64,
    /// Milliseconds since 1970, as stated in the line.
    pub(super) stated: i64,
    /// The id of the line with the latest stated time, up to this line of the file.
    pub(super) leader: (u32, u32),
}

impl Tables {
    pub(super) fn anchor(&self, number: u32) -> Oid {
        // Numbers come from these tables; a number out of range means a damaged cache.
        let known = self.anchors.get(number as usize).or(self.anchors.first());
        known.copied().unwrap_or_else(Oid::null)
    }

    pub(super) fn origin(&self, row: &Row) -> Option<&Origin> {
        self.origins.get((row.origin as usize).checked_sub(1)?)
    }

    pub(super) fn session(&self, number: u32) -> (u32, u32) {
        self.sessions
            .get(number as usize)
            .copied()
            .unwrap_or((0, 0))
    }

    pub(super) fn text(&self, (start, length): (u32, u32)) -> &str {
        let range = start as usize..start as usize + length as usize;
        self.text.get(range).unwrap_or_default()
    }
}
