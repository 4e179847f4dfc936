//! Typed entries of the whole log, reachable or not.

use std::collections::HashSet;

use crate::{
    entry::{
        Alert, Body, Event as LogEvent, Kind, Person, SecondLook, SessionEnd, State, TensionClosed,
        TensionOpened, Ts, Verdict,
    },
    git::Oid,
    store::{Events, Row},
};

#[derive(Debug, Clone)]
pub struct Event<T> {
    pub ts: Ts,
    pub id: String,
    pub source: EventSource,
    /// The commits that carry it: more than one after a history was rewritten.
    pub anchors: Vec<Oid>,
    /// Its line in the log; of several copies the first.
    pub row: Row,
    pub body: T,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventSource {
    pub sid: String,
    /// The clone; with `sid`, the session's identity.
    pub writer: Option<String>,
    pub agent: Option<String>,
    pub by: Option<Person>,
    pub branch: Option<String>,
    pub head: String,
}

pub trait EventBody: Sized {
    const KIND: Kind;

    fn of(body: Body) -> Option<Self>;
}

macro_rules! event_bodies {
    ($($kind:ident($body:ty)),*) => {$(
        impl EventBody for $body {
            const KIND: Kind = Kind::$kind;

            fn of(body: Body) -> Option<Self> {
                match body {
                    Body::$kind(body) => Some(body),
                    _ => None,
                }
            }
        }
    )*};
}

event_bodies!(
    State(State),
    Alert(Alert),
    Session(SessionEnd),
    TensionOpen(TensionOpened),
    TensionClose(TensionClosed),
    Verdict(Verdict),
    Second(SecondLook)
);

/// The events of one kind, each once, oldest first: by time, then id, then text.
pub fn events<T: EventBody>(log: &Events) -> Vec<Event<T>> {
    let rows: Vec<&Row> = log.rows().iter().filter(|row| row.is(T::KIND)).collect();
    // Copies of a line are neighbours, because the digest is a part of the order.
    let mut lines: Vec<&[&Row]> =
        rows.chunk_by(|row, next| (row.millis, row.digest) == (next.millis, next.digest)).collect();
    lines.sort_by_key(|copies| {
        let row = copies[0];
        (row.millis, log.id(row), log.body(row))
    });
    lines.into_iter().filter_map(|copies| event(log, copies)).collect()
}

fn event<T: EventBody>(log: &Events, copies: &[&Row]) -> Option<Event<T>> {
    let row = copies[0];
    let LogEvent { envelope, body } = LogEvent::parse(log.body(row).as_bytes()).ok()?;
    let own = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    Some(Event {
        ts: log.ts(row),
        id: log.id(row).to_owned(),
        source: EventSource {
            sid: log.sid(row).to_owned(),
            // The writer of a line from the future does not count before that time.
            writer: own(log.writer(row)).filter(|_| !row.is_ahead),
            agent: log.agent(row).map(str::to_owned),
            by: log.by(row),
            branch: envelope.head.and_then(|head| own(&head.branch?)),
            head: log.head(row),
        },
        anchors: copies.iter().map(|row| log.anchor(row.anchor)).collect(),
        row: *row,
        body: T::of(body)?,
    })
}

/// Number of distinct lines of some kinds of sessions.
pub fn distinct(log: &Events, is_meant: impl Fn(&Row) -> bool) -> usize {
    let rows = log.rows().iter().filter(|row| row.kind.is_of_sessions());
    rows.filter(|row| is_meant(row)).map(|row| row.digest).collect::<HashSet<_>>().len()
}
