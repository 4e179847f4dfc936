//! Requested lines, newest first: narrowed by the parsed log before any note is read.

use std::collections::HashSet;

use super::{Error, Project, Snapshot};
use crate::{
    entry::Kind,
    git::Oid,
    question::QuestionRef,
    store::{Events, Reading, Row},
    timeline::Timeline,
};

#[derive(Clone, Copy)]
pub enum Range<'r> {
    /// The commits that the tip contains; answers are taken from the timeline.
    Tip(&'r Timeline),
    All(&'r Events),
}

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
        self.question.is_none_or(|question| question.names(id, version)) && (!self.deltas || delta)
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
                || events
                    .answered(row)
                    .any(|(id, version, answer)| self.has_answer(id, version, answer.delta)))
    }
}

impl Project {
    /// Readable lines that are wanted, newest first, each once: preferably on the commit that it names.
    pub fn rows(&self, range: Range, is_wanted: impl Fn(&Row) -> bool) -> Vec<Row> {
        let events = match range {
            Range::Tip(timeline) => &timeline.events,
            Range::All(events) => events,
        };
        let rows = (0..).zip(events.rows());
        let mut rows: Vec<(u32, &Row)> =
            rows.filter(|(_, row)| is_entry(row) && is_wanted(row)).collect();
        if let Range::Tip(timeline) = range {
            let answers: HashSet<u32> = timeline.entries.iter().map(|entry| entry.row).collect();
            let anchors: HashSet<Oid> = rows
                .iter()
                .filter(|(_, row)| !row.is(Kind::Rederive))
                .map(|(_, row)| events.anchor(row.anchor))
                .collect();
            let anchors: Vec<Oid> = anchors.into_iter().collect();
            let here = self.repo.contained(self.tip, &anchors);
            rows.retain(|(number, row)| {
                if row.is(Kind::Rederive) {
                    answers.contains(number)
                } else {
                    here.contains(&events.anchor(row.anchor))
                }
            });
        }
        let mut rows: Vec<Row> = rows.into_iter().map(|(_, row)| *row).collect();
        // Copies of a line are neighbours, because the digest is a part of the order.
        rows.dedup_by(|row, kept| {
            let is_copy = row.millis == kept.millis && row.digest == kept.digest;
            if is_copy && events.is_at_head(row) {
                *kept = *row;
            }
            is_copy
        });
        rows.reverse();
        rows
    }

    /// The entries, each read when the iterator reaches it; at least `most`, if there are so many. The log is joined with
    /// history only if the snapshot has too few.
    pub fn entries<'p>(
        &'p self,
        narrowed: &Narrowed,
        snapshot: &Snapshot,
        most: usize,
    ) -> Result<impl Iterator<Item = (Row, Oid, Vec<u8>)> + 'p, Error> {
        let newest = snapshot.newest_first().filter(|row| narrowed.has(&snapshot.events, row));
        let newest: Vec<Row> = newest.copied().collect();
        let is_enough = newest.len() >= most || !snapshot.has_more;
        let (events, rows) = if narrowed.at_tip && narrowed.are_answers && is_enough {
            (snapshot.events.clone(), newest)
        } else if narrowed.at_tip {
            let timeline = self.timeline()?;
            let rows = self.rows(Range::Tip(&timeline), |row| narrowed.has(&timeline.events, row));
            (timeline.events, rows)
        } else {
            let events = self.events()?;
            let rows = self.rows(Range::All(&events), |row| narrowed.has(&events, row));
            (events, rows)
        };
        Ok(self
            .lines(events.clone(), &rows)
            .map(move |(row, line)| (row, events.anchor(row.anchor), line)))
    }
}

pub(super) fn is_entry(row: &Row) -> bool {
    !matches!(row.reading, Reading::Unreadable | Reading::Text)
}
