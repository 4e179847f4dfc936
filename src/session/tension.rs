//! Open questions: what state each is in, a pure function of the entries, the time and the settings.

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeSet, HashMap},
};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Event, events, unreadable_of};
use crate::{
    entry::{ClosedAs, Envelope, Kind, TensionClosed, TensionOpened, Ts},
    question::{TensionSettings, duration},
    store::Events,
};

/// Where an open question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TensionState {
    Open,
    /// Somebody closed it: there is an answer.
    Resolved,
    /// Somebody closed it: it is no longer a question.
    Withdrawn,
    /// Its time was up.
    Expired,
    /// It pulled least when there were too many.
    Overflow,
}

impl TensionState {
    /// As json writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Resolved => "resolved",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
            Self::Overflow => "overflow",
        }
    }
}

/// Curiosity times intrusiveness, to the billionth: so that 0.1 times 0.6 is as much as 0.2 times 0.3.
#[derive(Debug, Clone, Copy)]
pub struct Score(f64);

impl Score {
    fn of(opened: &TensionOpened) -> Self {
        let product = opened.curiosity.get() * opened.intrusiveness.get();
        Self((product * 1e9).round() / 1e9)
    }

    /// As a number from 0 to 1.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Score {}

/// Whether to ask the person now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Advice {
    /// Ask the person.
    Ask,
    /// Keep it, and look for yourself.
    Keep,
}

/// The recorded end of an open question.
pub type Closing = Event<TensionClosed>;

/// An open question, and what became of it.
#[derive(Debug, Clone)]
pub struct Tension {
    pub opening: Event<TensionOpened>,
    pub state: TensionState,
    pub score: Score,
    /// When it expires, unless it is closed before; None where it names no time and its curiosity is not under the floor.
    pub expires: Option<Ts>,
    /// When it was closed.
    pub closed: Option<Ts>,
    /// What was recorded about that; None where the end was computed.
    pub closing: Option<Closing>,
}

impl Tension {
    /// Returns true if this is worth an interruption.
    pub fn advice(&self, settings: &TensionSettings) -> Advice {
        if self.opening.body.intrusiveness.get() >= settings.gate {
            Advice::Ask
        } else {
            Advice::Keep
        }
    }
}

/// Result of an opening.
#[derive(Debug)]
pub struct OpeningEffect<'t> {
    /// The tensions of its id.
    pub new: Vec<&'t Tension>,
    /// Others that overflowed because of it.
    pub pushed_out: Vec<&'t Tension>,
    /// How many its session has opened so far.
    pub by_session: usize,
}

/// Everything the log says about open questions.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Each line once, oldest first by time, then id, then text. Lines that share an id are tensions of their own: else
    /// a line written later, with an earlier time, could make another one disappear. What closes the id closes both.
    pub openings: Vec<Event<TensionOpened>>,
    /// The earliest of each tension, by its id; those of ids that nobody opened are kept and mean nothing.
    pub closings: HashMap<String, Closing>,
    /// Lines of these kinds that can't be read, or are newer than this program.
    pub unreadable: usize,
}

impl Ledger {
    /// Takes these entries out of the others.
    pub fn of(log: &Events) -> Self {
        let openings = events::<TensionOpened>(log);
        let mut closings = HashMap::new();
        for closing in events::<TensionClosed>(log) {
            closings
                .entry(closing.body.tension.clone())
                .or_insert(closing);
        }
        Self {
            openings,
            closings,
            unreadable: unreadable_of(log, &[Kind::TensionOpen, Kind::TensionClose]),
        }
    }

    /// What the opening entry with this envelope did to `tensions`, which are those of this ledger.
    pub fn effect<'t>(&self, tensions: &'t [Tension], envelope: &Envelope) -> OpeningEffect<'t> {
        let (new, others): (Vec<&Tension>, Vec<&Tension>) = tensions
            .iter()
            .partition(|one| *one.opening.id == *envelope.id);
        let is_over = |one: &&Tension| {
            one.state == TensionState::Overflow && one.closed.as_ref() == Some(&envelope.ts)
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

    /// The state of each tension at `now`, in the order of their openings.
    ///
    /// Entries count at the time that the log gives them, also where that is a little after `now`.
    pub fn replay(&self, now: Timestamp, settings: &TensionSettings) -> Vec<Tension> {
        let tensions = self.openings.iter().map(|opening| {
            let closing = self.closings.get(&opening.id).cloned();
            Tension {
                score: Score::of(&opening.body),
                expires: expiry(opening, settings).map(Ts::from),
                state: TensionState::Open,
                closed: None,
                opening: opening.clone(),
                closing,
            }
        });
        let mut replay = Replay::new(tensions.collect());
        let cap = usize::try_from(settings.cap).unwrap_or(usize::MAX);
        for number in 0..replay.tensions.len() {
            let opening = &replay.tensions[number].opening;
            let (ts, id) = (opening.ts, opening.id.clone());
            replay.close_until(&(&ts, &id));
            replay.expire_until(&ts);
            replay.open(number);
            replay.keep_within(cap, &ts);
        }
        replay.expire_until(&Ts::from(now));
        // What was recorded outranks what was computed, and a time at which nothing more is opened changes nothing.
        for tension in &mut replay.tensions {
            if let Some(closing) = &tension.closing {
                tension.state = match closing.body.closed_as {
                    ClosedAs::Resolved => TensionState::Resolved,
                    ClosedAs::Withdrawn => TensionState::Withdrawn,
                };
                tension.closed = Some(closing.ts);
            }
        }
        replay.tensions
    }
}

/// When a tension expires: after the time that it names, else the settings' where its curiosity is under the floor.
/// Days have 24 hours, whatever a local clock did in between.
fn expiry(opening: &Event<TensionOpened>, settings: &TensionSettings) -> Option<Timestamp> {
    let own = opening.body.ttl.as_deref().and_then(duration);
    let is_low = opening.body.curiosity.get() < settings.floor;
    let ttl = own.or(is_low.then_some(settings.ttl))?;
    let end = opening.ts.timestamp().checked_add(ttl);
    Some(end.unwrap_or(Timestamp::MAX))
}

/// The ledger at one moment.
struct Replay {
    tensions: Vec<Tension>,
    /// Those that take a place, the first to overflow first.
    open: BTreeSet<(Score, usize)>,
    /// Those of them that expire, the first one first.
    expiring: BTreeSet<(Ts, usize)>,
    /// Recorded closings that are still to come, the last one first.
    closing: Vec<(Ts, String, usize)>,
}

impl Replay {
    fn new(tensions: Vec<Tension>) -> Self {
        let closing = tensions.iter().enumerate().filter_map(|(number, tension)| {
            let closing = tension.closing.as_ref()?;
            Some((closing.ts, closing.id.clone(), number))
        });
        let mut closing: Vec<_> = closing.collect();
        closing.sort_by(|one, two| two.cmp(one));
        Self {
            tensions,
            open: BTreeSet::new(),
            expiring: BTreeSet::new(),
            closing,
        }
    }

    fn open(&mut self, number: usize) {
        let tension = &self.tensions[number];
        // A clock that jumped back can date the end before the beginning: then it never takes a place.
        let ended = tension.closing.as_ref().is_some_and(|closing| {
            (&closing.ts, &closing.id) < (&tension.opening.ts, &tension.opening.id)
        });
        if ended {
            return;
        }
        self.open.insert((tension.score, number));
        if let Some(expires) = &tension.expires {
            self.expiring.insert((*expires, number));
        }
    }

    fn leave(&mut self, number: usize) -> bool {
        let tension = &self.tensions[number];
        if let Some(expires) = &tension.expires {
            self.expiring.remove(&(*expires, number));
        }
        self.open.remove(&(tension.score, number))
    }

    /// What was closed by a record before `moment` gives its place back.
    fn close_until(&mut self, moment: &(&Ts, &String)) {
        while let Some((_, _, number)) = self
            .closing
            .pop_if(|(ts, id, _)| (&*ts, &*id) < (moment.0, moment.1))
        {
            self.leave(number);
        }
    }

    fn expire_until(&mut self, moment: &Ts) {
        while let Some((expires, number)) = self.expiring.first().copied() {
            if expires > *moment {
                break;
            }
            self.leave(number);
            self.end(number, TensionState::Expired, expires);
        }
    }

    fn keep_within(&mut self, cap: usize, moment: &Ts) {
        while self.open.len() > cap {
            let Some(&(_, number)) = self.open.first() else {
                break;
            };
            self.leave(number);
            self.end(number, TensionState::Overflow, *moment);
        }
    }

    fn end(&mut self, number: usize, state: TensionState, at: Ts) {
        let tension = &mut self.tensions[number];
        tension.state = state;
        tension.closed = Some(at);
    }
}

/// The open ones, the best to pull first: the highest score, among equals the newest. What overflows next is last.
pub fn ranked(tensions: &[Tension]) -> Vec<&Tension> {
    let open = tensions
        .iter()
        .filter(|tension| tension.state == TensionState::Open);
    let mut open: Vec<&Tension> = open.collect();
    open.reverse();
    open.sort_by_key(|tension| Reverse(tension.score));
    open
}
