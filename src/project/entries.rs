//! The entries that somebody asks for, newest first: narrowed by the parsed log before any note is read.

use std::{cell::OnceCell, sync::Arc};

use super::{Error, Project, Snapshot, rows_anywhere};
use crate::{
    entry::Kind,
    git::Oid,
    question::QuestionRef,
    store::{Events, Row},
};

/// Where entries are looked for.
#[derive(Debug, Clone, Copy)]
pub enum Range<'r> {
    /// On what the tip contains.
    Tip,
    /// In the whole log.
    All,
    /// On the commits that these name, as `git log` takes them.
    Revisions(&'r [String]),
}

/// What entries are narrowed to.
pub struct Narrowed<'n> {
    pub kinds: &'n dyn Fn(Kind) -> bool,
    /// Whether these are answers and nothing else.
    pub are_answers: bool,
    pub question: Option<&'n QuestionRef>,
    /// Only those with a delta.
    pub deltas: bool,
    pub session: Option<String>,
    /// Seconds since 1970.
    pub since: Option<i64>,
    pub until: Option<i64>,
}

/// An entry: its row, the commit that carries it, and its line.
pub type Found = (Row, Oid, Vec<u8>);

impl Narrowed<'_> {
    /// Whether an answer, by the question's id and version, is one that is asked for.
    pub fn has_answer(&self, id: &str, version: u32, delta: bool) -> bool {
        self.question.is_none_or(|one| one.names(id, version)) && (!self.deltas || delta)
    }

    fn has(&self, events: &Events, row: &Row) -> bool {
        let session = self.session.as_deref();
        let second = events.ts(row).as_millis().div_euclid(1000);
        let is_narrowed = self.question.is_some() || self.deltas;
        session.is_none_or(|sid| events.sid(row) == sid)
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
    /// The entries, each read when it is asked for. Why older ones can't be read is left in `failure`.
    pub fn entries<'p>(
        &'p self,
        range: Range,
        narrowed: &'p Narrowed<'p>,
        snapshot: &'p Snapshot,
        failure: &'p OnceCell<Error>,
    ) -> Result<Box<dyn Iterator<Item = Found> + 'p>, Error> {
        Ok(match range {
            Range::All => Box::new(self.anywhere(None, narrowed)?),
            Range::Revisions(revisions) => Box::new(self.anywhere(Some(revisions), narrowed)?),
            Range::Tip if narrowed.are_answers => {
                let newest = self.newest(snapshot, narrowed);
                Box::new(newest.chain(self.older(snapshot, narrowed, failure)))
            }
            Range::Tip => Box::new(self.of_kinds(narrowed)?),
        })
    }

    fn anywhere<'p>(
        &'p self,
        revisions: Option<&[String]>,
        narrowed: &Narrowed,
    ) -> Result<impl Iterator<Item = Found> + 'p, Error> {
        let events = self.events()?;
        let anchors = revisions.map(|revisions| self.anchors_in(&events, revisions));
        let anchors = anchors.transpose()?;
        let is_there = |row: &Row| {
            let anchors = anchors.as_ref();
            anchors.is_none_or(|anchors| anchors.contains(&events.anchor(row.anchor)))
        };
        let rows = rows_anywhere(&events, |row| {
            (narrowed.kinds)(row.kind) && is_there(row) && narrowed.has(&events, row)
        });
        let rows: Vec<Row> = rows.into_iter().copied().collect();
        Ok(self.found(events, rows.into_iter()))
    }

    fn newest<'p>(
        &'p self,
        snapshot: &'p Snapshot,
        narrowed: &'p Narrowed,
    ) -> impl Iterator<Item = Found> + 'p {
        let events = &snapshot.events;
        let rows = snapshot.newest_first();
        let rows = rows.filter(move |row| narrowed.has(events, row)).copied();
        self.found(events.clone(), rows)
    }

    /// What the snapshot does not have; the log is not looked at before the first one is asked for.
    fn older<'p>(
        &'p self,
        snapshot: &'p Snapshot,
        narrowed: &'p Narrowed,
        failure: &'p OnceCell<Error>,
    ) -> impl Iterator<Item = Found> + 'p {
        let known = snapshot.newest_first().count();
        let older = move || {
            if !snapshot.has_more {
                return None;
            }
            let timeline = match self.timeline() {
                Ok(timeline) => timeline,
                Err(error) => {
                    // It is asked for once.
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
        std::iter::once_with(older).flatten().flatten()
    }

    /// Those of other kinds than answers, or of several.
    fn of_kinds<'p>(
        &'p self,
        narrowed: &Narrowed,
    ) -> Result<impl Iterator<Item = Found> + 'p, Error> {
        let timeline = self.timeline()?;
        let events = timeline.events.clone();
        let rows = self.rows_of(&timeline, narrowed.kinds).into_iter().rev();
        let rows = rows.filter(|row| narrowed.has(&events, row)).copied();
        let rows: Vec<Row> = rows.collect();
        Ok(self.found(events, rows.into_iter()))
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
