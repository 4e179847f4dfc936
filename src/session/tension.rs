//! Tensions: the state of each, a pure function of the entries, the time and the settings.

use std::{
    cmp::Reverse,
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

impl TensionState {
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
        let product = opened.curiosity.get() * opened.intrusiveness.get();
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
        if self.opening.body.intrusiveness.get() >= settings.gate {
            Advice::Ask
        } else {
            Advice::Keep
        }
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

    /// The effect of the opening entry with this envelope on `tensions`, which are those of this ledger.
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

    /// Keeps the order of the openings. Entries count at the time that the log gives them, even after `now`.
    pub fn replay(&self, now: Timestamp, settings: &TensionSettings) -> Vec<Tension> {
        let tensions = self.openings.iter().map(|opening| {
            let closing = self.closings.get(&opening.id).cloned();
            Tension {
                score: Score::of(&opening.body),
                expires: Ts::from(expiry(opening, settings)),
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
        // Recorded closings outrank computed ones; at a time without openings, nothing overflows.
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

/// How many times longer than others a tension stays open if its curiosity reaches the floor.
const LONGER: i32 = 6;

/// After its own duration, else that of the settings. Days have 24 hours.
fn expiry(opening: &Event<TensionOpened>, settings: &TensionSettings) -> Timestamp {
    let own = opening.body.ttl.as_deref().and_then(duration);
    let is_low = opening.body.curiosity.get() < settings.floor;
    let times = if is_low { 1 } else { LONGER };
    let ttl = own.or_else(|| settings.ttl.checked_mul(times));
    let end = ttl.and_then(|ttl| opening.ts.timestamp().checked_add(ttl).ok());
    end.unwrap_or(Timestamp::MAX)
}

struct Replay {
    tensions: Vec<Tension>,
    /// Open tensions that count towards the cap, the first to overflow first.
    open: BTreeSet<(Score, usize)>,
    /// Open tensions that expire, the first one first.
    expiring: BTreeSet<(Ts, usize)>,
    /// Recorded closings still to come, the last one first.
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
        // A clock that jumped back can date the end before the beginning: then the tension never counts.
        let ended = tension.closing.as_ref().is_some_and(|closing| {
            (&closing.ts, &closing.id) < (&tension.opening.ts, &tension.opening.id)
        });
        if ended {
            return;
        }
        self.open.insert((tension.score, number));
        self.expiring.insert((tension.expires, number));
    }

    fn leave(&mut self, number: usize) -> bool {
        let tension = &self.tensions[number];
        self.expiring.remove(&(tension.expires, number));
        self.open.remove(&(tension.score, number))
    }

    /// Frees the places of tensions that were closed before `moment`.
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

/// The open ones by score, highest first, and by age, newest first. The next to overflow comes last.
pub fn ranked(tensions: &[Tension]) -> Vec<&Tension> {
    let open = tensions
        .iter()
        .filter(|tension| tension.state == TensionState::Open);
    let mut open: Vec<&Tension> = open.collect();
    open.reverse();
    open.sort_by_key(|tension| Reverse(tension.score));
    open
}
