//! Requested entries, newest first: narrowed by the parsed log before any note is read.

use std::{cell::OnceCell, collections::HashSet, sync::Arc};

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

pub type Found = (Row, Oid, Vec<u8>);

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
    /// Each entry is read when the iterator reaches it. An error ends the iteration, and is left in `failure`.
    pub fn entries<'p>(
        &'p self,
        narrowed: &'p Narrowed<'p>,
        snapshot: &'p Snapshot,
        failure: &'p OnceCell<Error>,
    ) -> Result<Box<dyn Iterator<Item = Found> + 'p>, Error> {
        if narrowed.at_tip && narrowed.are_answers {
            return Ok(Box::new(self.answers_at_tip(narrowed, snapshot, failure)));
        }
        let (events, rows) = if narrowed.at_tip {
            let timeline = self.timeline()?;
            let is_wanted = |row: &Row| narrowed.has(&timeline.events, row);
            let rows = self.rows(Range::Tip(&timeline), is_wanted);
            (timeline.events, rows)
        } else {
            let events = self.events()?;
            let rows = self.rows(Range::All(&events), |row| narrowed.has(&events, row));
            (events, rows)
        };
        Ok(Box::new(self.found(events, rows.into_iter())))
    }

    /// The answers that the tip contains. The log is joined with history only for answers that the snapshot lacks.
    fn answers_at_tip<'p>(
        &'p self,
        narrowed: &'p Narrowed,
        snapshot: &'p Snapshot,
        failure: &'p OnceCell<Error>,
    ) -> impl Iterator<Item = Found> + 'p {
        let events = &snapshot.events;
        let newest = snapshot.newest_first();
        let newest = newest.filter(move |row| narrowed.has(events, row)).copied();
        let known = snapshot.newest_first().count();
        let older = move || {
            if !snapshot.has_more {
                return None;
            }
            let timeline = match self.timeline() {
                Ok(timeline) => timeline,
                Err(error) => {
                    // The failure is set only once.
                    let _ = failure.set(error);
                    return None;
                }
            };
            let events = timeline.events.clone();
            let rows = timeline.newest_first().skip(known);
            let rows = rows.filter(|row| narrowed.has(&events, row)).copied();
            let rows: Vec<Row> = rows.collect();
            Some(self.found(events, rows.into_iter()))
        };
        let older = std::iter::once_with(older).flatten().flatten();
        self.found(events.clone(), newest).chain(older)
    }

    fn found<'p>(
        &'p self,
        events: Arc<Events>,
        rows: impl Iterator<Item = Row> + 'p,
    ) -> impl Iterator<Item = Found> + 'p {
        let lines = self.lines(events.clone(), rows);
        lines.map(move |(row, line)| (row, events.anchor(row.anchor), line))
    }
}
