//! Tables of the values that rows refer to by number.

use std::{borrow::Borrow, hash::Hash};

use foldhash::fast::RandomState;
use indexmap::{Equivalent, IndexSet};
use serde::{Deserialize, Serialize};

use super::{Answer, Row, number};
use crate::git::Oid;

/// Values, each kept once and known by its place.
// Randomly seeded as the standard hasher, and several times as fast for short strings.
pub(super) type Table<T> = IndexSet<T, RandomState>;

/// The number of a value, which is added if it is new.
pub(super) fn number_in<T, Q>(table: &mut Table<T>, value: &Q) -> u32
where
    T: Borrow<Q> + Eq + Hash,
    Q: Equivalent<T> + Hash + ToOwned<Owned = T> + ?Sized,
{
    number(table.get_index_of(value).unwrap_or_else(|| table.insert_full(value.to_owned()).0))
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Tables {
    pub(super) anchors: Table<Oid>,
    pub(super) blobs: Table<Oid>,
    names: Table<String>,
    /// Id (a name) and version.
    pub(super) questions: Table<(u32, u32)>,
    /// `sid` and writer (names).
    pub(super) sessions: Table<(u32, u32)>,
    pub(super) answers: Vec<Answer>,
    pub(super) origins: Vec<Origin>,
    /// The ids of lines, the text of lines of other kinds than `rederive`, and the reasons why lines can't be read.
    text: String,
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
    /// 0 for the empty name.
    pub(super) fn number(&mut self, name: &str) -> u32 {
        match name {
            "" => 0,
            name => number_in(&mut self.names, name) + 1,
        }
    }

    pub(super) fn name(&self, number: u32) -> &str {
        let place = number.checked_sub(1);
        place.and_then(|place| self.names.get_index(place as usize)).map_or("", String::as_str)
    }

    pub(super) fn anchor(&self, number: u32) -> Oid {
        // Numbers come from these tables; a number out of range means a damaged cache.
        self.anchors.get_index(number as usize).copied().unwrap_or_else(Oid::null)
    }

    pub(super) fn add_question(&mut self, id: &str, version: u32) -> u32 {
        let id = self.number(id);
        number_in(&mut self.questions, &(id, version))
    }

    pub(super) fn add_session(&mut self, sid: &str, writer: &str) -> u32 {
        let session = (self.number(sid), self.number(writer));
        number_in(&mut self.sessions, &session)
    }

    pub(super) fn session(&self, number: u32) -> (u32, u32) {
        self.sessions.get_index(number as usize).copied().unwrap_or_default()
    }

    pub(super) fn add_origin(&mut self, origin: Option<Origin>) -> u32 {
        self.origins.extend(origin);
        origin.map_or(0, |_| number(self.origins.len()))
    }

    pub(super) fn origin(&self, row: &Row) -> Option<&Origin> {
        self.origins.get((row.origin as usize).checked_sub(1)?)
    }

    pub(super) fn add_text(&mut self, text: &str) -> (u32, u32) {
        let start = number(self.text.len());
        self.text.push_str(text);
        (start, number(text.len()))
    }

    pub(super) fn text(&self, (start, length): (u32, u32)) -> &str {
        let range = start as usize..start as usize + length as usize;
        self.text.get(range).unwrap_or_default()
    }
}
