//! Tensions: the state of each, a pure function of the entries, the time and the settings.

use std::{cmp::Reverse, collections::HashMap};

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Event, distinct, events};
use crate::{
    entry::{ClosedAs, Envelope, Kind, TensionClosed, TensionOpened, Ts},
    question::{TensionSettings, duration},
    store::{Events, Reading},
};

/// The state of a tension.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TensionState {
    Open,
    /// Closed by an entry: there is an answer.
    Resolved,
    /// Closed by an entry: it is no longer a question.
    Withdrawn,
    /// Its time was up.
    Expired,
    /// It had the lowest score when there were too many.
    Overflow,
}

/// Curiosity times intrusiveness in billionths, so that 0.1 times 0.6 equals 0.2 times 0.3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(u32);

impl Score {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "both are between 0 and 1"
    )]
    fn of(opened: &TensionOpened) -> Self {
        let product = opened.curiosity * opened.intrusiveness;
        Self((product * 1e9).round() as u32)
    }

    pub fn get(self) -> f64 {
        f64::from(self.0) / 1e9
    }
}

/// The advice whether to ask a person now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Advice {
    /// Ask the person.
    Ask,
    /// Keep it, and investigate it yourself.
    Keep,
}

pub type Closing = Event<TensionClosed>;

#[derive(Debug, Clone)]
pub struct Tension {
    pub opening: Event<TensionOpened>,
    pub state: TensionState,
    pub score: Score,
    pub expires: Ts,
    pub closed: Option<Ts>,
    /// The closing entry; `None` if the end was computed.
    pub closing: Option<Closing>,
}

impl Tension {
    pub fn advice(&self, settings: &TensionSettings) -> Advice {
        if self.opening.body.intrusiveness >= settings.gate { Advice::Ask } else { Advice::Keep }
    }

    fn was_closed_before(&self, ts: Ts, id: &str) -> bool {
        let closing = self.closing.as_ref();
        closing.is_some_and(|closing| (closing.ts, &*closing.id) < (ts, id))
    }

    fn end(&mut self, state: TensionState, at: Ts) {
        (self.state, self.closed) = (state, Some(at));
    }
}

#[derive(Debug)]
pub struct OpeningEffect<'t> {
    pub new: Vec<&'t Tension>,
    pub pushed_out: Vec<&'t Tension>,
    pub by_session: usize,
}

#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Each line once, oldest first by time, then id, then text. Lines that share an id are separate tensions:
    /// otherwise a line written later, with an earlier time, could make another one disappear. A closing of the id
    /// closes both.
    pub openings: Vec<Event<TensionOpened>>,
    /// The earliest of each tension, by its id; those of unknown ids are kept and have no effect.
    pub closings: HashMap<String, Closing>,
    /// Lines of these kinds that can't be read, or are newer than this program.
    pub unreadable: usize,
}

impl Ledger {
    pub fn of(log: &Events) -> Self {
        let openings = events::<TensionOpened>(log);
        let mut closings = HashMap::new();
        for closing in events::<TensionClosed>(log) {
            closings.entry(closing.body.tension.clone()).or_insert(closing);
        }
        Self {
            openings,
            closings,
            unreadable: distinct(log, |row| {
                row.reading != Reading::Read
                    && matches!(row.kind, Kind::TensionOpen | Kind::TensionClose)
            }),
        }
    }

    /// The effect of the opening entry with this envelope on `tensions`, which are those of this ledger.
    pub fn effect<'t>(&self, tensions: &'t [Tension], envelope: &Envelope) -> OpeningEffect<'t> {
        let (new, others): (Vec<_>, Vec<_>) =
            tensions.iter().partition(|tension| *tension.opening.id == *envelope.id);
        let is_over = |tension: &&Tension| {
            tension.state == TensionState::Overflow && tension.closed.as_ref() == Some(&envelope.ts)
        };
        let by_session = self.openings.iter().filter(|opening| {
            *opening.source.sid == *envelope.sid
                && opening.source.writer.as_deref() == envelope.writer.as_deref()
        });
        OpeningEffect {
            new,
            pushed_out: others.into_iter().filter(is_over).collect(),
            by_session: by_session.count(),
        }
    }

    /// Keeps the order of the openings. Entries count at the time that the log gives them, even after `now`.
    pub fn replay(&self, now: Timestamp, settings: &TensionSettings) -> Vec<Tension> {
        let tensions = self.openings.iter().map(|opening| Tension {
            score: Score::of(&opening.body),
            expires: Ts::from(expiry(opening, settings)),
            state: TensionState::Open,
            closed: None,
            closing: self.closings.get(&opening.id).cloned(),
            opening: opening.clone(),
        });
        let mut tensions: Vec<Tension> = tensions.collect();
        // Those that count towards the cap.
        let mut open: Vec<usize> = Vec::new();
        for number in 0..tensions.len() {
            let (ts, id) = (tensions[number].opening.ts, tensions[number].opening.id.clone());
            open.retain(|place| !tensions[*place].was_closed_before(ts, &id));
            expire(&mut tensions, &mut open, ts);
            // A clock that jumped back can date the end before the beginning: then the tension never counts.
            if !tensions[number].was_closed_before(ts, &id) {
                open.push(number);
            }
            let cap = tensions[number].opening.body.cap.unwrap_or(settings.cap);
            let cap = usize::try_from(cap).unwrap_or(usize::MAX);
            while open.len() > cap {
                let lowest = (0..open.len()).min_by_key(|place| tensions[open[*place]].score);
                let lowest = open.remove(lowest.unwrap_or(0));
                tensions[lowest].end(TensionState::Overflow, ts);
            }
        }
        expire(&mut tensions, &mut open, Ts::from(now));
        // Recorded closings outrank computed ones; at a time without openings, nothing overflows.
        for tension in &mut tensions {
            if let Some(closing) = &tension.closing {
                let state = match closing.body.closed_as {
                    ClosedAs::Resolved => TensionState::Resolved,
                    ClosedAs::Withdrawn => TensionState::Withdrawn,
                };
                tension.end(state, closing.ts);
            }
        }
        tensions
    }
}

/// The time for which a new tension of this curiosity stays open.
pub fn time_to_live(curiosity: f64, settings: &TensionSettings) -> Option<SignedDuration> {
    let is_low = curiosity < settings.floor;
    settings.ttl.checked_mul(if is_low { 1 } else { LONGER })
}

/// The factor by which a tension stays open longer than others if its curiosity reaches the floor.
const LONGER: i32 = 6;

/// After its own duration, else that of the settings. Days have 24 hours.
fn expiry(opening: &Event<TensionOpened>, settings: &TensionSettings) -> Timestamp {
    let own = opening.body.ttl.as_deref().and_then(duration);
    let ttl = own.or_else(|| time_to_live(opening.body.curiosity, settings));
    ttl.and_then(|ttl| opening.ts.timestamp().checked_add(ttl).ok()).unwrap_or(Timestamp::MAX)
}

/// Ends the open tensions whose time is up.
fn expire(tensions: &mut [Tension], open: &mut Vec<usize>, now: Ts) {
    open.retain(|place| {
        let tension = &mut tensions[*place];
        let is_over = tension.expires <= now;
        if is_over {
            tension.end(TensionState::Expired, tension.expires);
        }
        !is_over
    });
}

/// The open ones by score, highest first, and by age, newest first. The next to overflow comes last.
pub fn ranked(tensions: &[Tension]) -> Vec<&Tension> {
    let mut open: Vec<&Tension> = tensions.iter().collect();
    open.retain(|tension| tension.state == TensionState::Open);
    open.reverse();
    open.sort_by_key(|tension| Reverse(tension.score));
    open
}
