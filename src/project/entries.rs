//! Requested entries, newest first: narrowed by the parsed log before any note is read.

use std::collections::HashSet;

use super::{Error, Project, Snapshot, rows::Range};
use crate::{
    entry::Kind,
    git::Oid,
    question::QuestionRef,
    store::{Events, Row},
};

pub struct Narrowed<'n> {
    pub at_tip: bool,
    pub commits: Option<HashSet<Oid>>,
    pub kinds: &'n dyn Fn(Kind) -> bool,
    pub are_answers: bool,
    pub question: Option<&'n QuestionRef>,
    pub deltas: bool,
    pub session: Option<String>,
    /// Seconds since 1970.
    pub since: Option<i64>,
    pub until: Option<i64>,
}

impl Narrowed<'_> {
    /// `id` and `version` are those of the question.
    pub fn has_answer(&self, id: &str, version: u32, delta: bool) -> bool {
        self.question.is_none_or(|one| one.names(id, version)) && (!self.deltas || delta)
    }

    fn has(&self, events: &Events, row: &Row) -> bool {
        let session = self.session.as_deref();
        let second = events.ts(row).as_millis().div_euclid(1000);
        let is_narrowed = self.question.is_some() || self.deltas;
        let anchor = || events.anchor(row.anchor);
        let commits = self.commits.as_ref();
        (self.kinds)(row.kind)
            && commits.is_none_or(|commits| commits.contains(&anchor()))
            && session.is_none_or(|sid| events.sid(row) == sid)
            && self.since.is_none_or(|since| since <= second)
            && self.until.is_none_or(|until| second <= until)
            && (!is_narrowed
                || events.answers(row).iter().any(|answer| {
                    let (id, version) = events.question(answer.question);
                    self.has_answer(id, version, answer.delta)
                }))
    }
}

impl Project {
    /// The entries, each read when the iterator reaches it; at least `most`, if there are so many. The log is joined with
    /// history only if the snapshot has too few.
    pub fn entries<'p>(
        &'p self,
        narrowed: &Narrowed,
        snapshot: &Snapshot,
        most: usize,
    ) -> Result<impl Iterator<Item = (Row, Oid, Vec<u8>)> + 'p, Error> {
        let newest = snapshot.newest_first();
        let newest = newest.filter(|row| narrowed.has(&snapshot.events, row));
        let newest: Vec<Row> = newest.copied().collect();
        let is_enough = newest.len() >= most || !snapshot.has_more;
        let (events, rows) = if narrowed.at_tip && narrowed.are_answers && is_enough {
            (snapshot.events.clone(), newest)
        } else if narrowed.at_tip {
            let timeline = self.timeline()?;
            let is_wanted = |row: &Row| narrowed.has(&timeline.events, row);
            let rows = self.rows(Range::Tip(&timeline), is_wanted);
            (timeline.events, rows)
        } else {
            let events = self.events()?;
            let rows = self.rows(Range::All(&events), |row| narrowed.has(&events, row));
            (events, rows)
        };
        let lines = self.lines(events.clone(), rows.into_iter());
        Ok(lines.map(move |(row, line)| (row, events.anchor(row.anchor), line)))
    }
}
