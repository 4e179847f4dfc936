//! The ledger of open questions, against a slow reading of its rules.

use std::collections::{BTreeMap, BTreeSet};

use git_sq::{
    entry::Ts,
    git::Oid,
    question::TensionSettings,
    session::{Ledger, Tension, TensionState},
    store::Events,
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::json;

use crate::lines::damaged;

const HOUR: i64 = 3_600_000;

/// One entry. Ids say nothing of time, and some are given twice.
#[derive(Debug, Clone)]
enum Fact {
    Open {
        hour: i64,
        id: usize,
        curiosity: u32,
        intrusiveness: u32,
        ttl: Option<i64>,
    },
    Close {
        hour: i64,
        id: usize,
        tension: usize,
        resolved: bool,
    },
}

impl Fact {
    fn key(&self) -> (i64, String, String) {
        let (Self::Open { hour, id, .. } | Self::Close { hour, id, .. }) = self;
        (*hour, name(*id), self.line())
    }

    fn line(&self) -> String {
        let line = match self {
            Self::Open {
                hour,
                id,
                curiosity,
                intrusiveness,
                ttl,
            } => {
                let mut line = json!({"ts": ts(*hour), "kind": "tension.open", "id": name(*id), "sid": "s",
                    "repo_head_sha": "abcdef0", "v": 1, "topic": "?", "type": "gap", "source": "a test",
                    "curiosity": f64::from(*curiosity) / 10.0, "intrusiveness": f64::from(*intrusiveness) / 10.0});
                if let Some(hours) = ttl {
                    line["ttl"] = json!(format!("{hours}h"));
                }
                line
            }
            Self::Close {
                hour,
                id,
                tension,
                resolved,
            } => {
                json!({"ts": ts(*hour), "kind": "tension.close", "id": name(*id), "sid": "s",
                    "repo_head_sha": "abcdef0", "v": 1, "tension": name(*tension), "note": "!",
                    "as": if *resolved { "resolved" } else { "withdrawn" }})
            }
        };
        line.to_string()
    }
}

fn name(id: usize) -> String {
    format!("{:04}", id * 7919 % 10_000)
}

fn time(hour: i64) -> Timestamp {
    Timestamp::from_millisecond(1_767_225_600_000 + hour * HOUR).unwrap()
}

fn ts(hour: i64) -> String {
    Ts::from(time(hour)).to_string()
}

fn fact() -> impl Strategy<Value = Fact> {
    let ttl = prop::option::of(prop_oneof![Just(0_i64), 0..40_i64]);
    let open = (0..60_i64, 0..14_usize, 0..=10_u32, 0..=10_u32, ttl).prop_map(
        |(hour, id, curiosity, intrusiveness, ttl)| Fact::Open {
            hour,
            id,
            curiosity,
            intrusiveness,
            ttl,
        },
    );
    let close = (0..60_i64, 0..30_usize, 0..16_usize, any::<bool>()).prop_map(
        |(hour, id, tension, resolved)| Fact::Close {
            hour,
            id,
            tension,
            resolved,
        },
    );
    prop_oneof![3 => open, 1 => close]
}

/// Floor in tenths, cap, time to live in hours.
type Rules = (u32, usize, i64);

fn rules() -> impl Strategy<Value = Rules> {
    (0..=10_u32, 0..6_usize, 0..40_i64)
}

fn settings((floor, cap, ttl): Rules) -> TensionSettings {
    TensionSettings {
        cap: u32::try_from(cap).unwrap(),
        floor: f64::from(floor) / 10.0,
        ttl: SignedDuration::from_hours(ttl),
        gate: 0.6,
        per_session: 10,
    }
}

/// A log with these lines, each on the commits that `places` says, in that order.
fn log(facts: &[Fact], places: &[(usize, usize)]) -> Events {
    let mut notes: BTreeMap<usize, Vec<u8>> = BTreeMap::new();
    for (fact, commit) in places {
        let Some(fact) = facts.get(*fact) else {
            continue;
        };
        let note = notes.entry(*commit).or_default();
        note.extend(fact.line().bytes());
        note.push(b'\n');
    }
    let anchor = |commit: &usize| format!("{commit:040x}").parse::<Oid>().unwrap();
    Events::of_notes(
        notes
            .iter()
            .map(|(commit, text)| (anchor(commit), &text[..])),
    )
}

fn ledger(facts: &[Fact], places: &[(usize, usize)]) -> Ledger {
    Ledger::of(&log(facts, places))
}

fn straight(facts: &[Fact]) -> Ledger {
    let places: Vec<(usize, usize)> = (0..facts.len()).map(|fact| (fact, 1)).collect();
    ledger(facts, &places)
}

/// What a replay says of each opening: id, state, when it closed.
type Said = Vec<(String, TensionState, Option<String>)>;

fn said(tensions: &[Tension]) -> Said {
    let one = |tension: &Tension| {
        let closed = tension.closed.as_ref().map(ToString::to_string);
        (tension.opening.id.clone(), tension.state, closed)
    };
    tensions.iter().map(one).collect()
}

/// Whether somebody closed it, and nothing computed it.
fn is_recorded(state: TensionState) -> bool {
    matches!(state, TensionState::Resolved | TensionState::Withdrawn)
}

/// The rules as they are written down, in whole hours and whole tenths, looking at everything each time.
fn by_the_book(facts: &[Fact], now: i64, (floor, cap, ttl): Rules) -> Said {
    let mut facts = facts.to_vec();
    facts.sort_by_key(Fact::key);
    facts.dedup_by_key(|fact| fact.key());
    // State and hour of the end, for each opening in order.
    let mut known: Vec<(&Fact, Option<(TensionState, i64)>)> = Vec::new();
    let recorded = |wanted: &str| {
        facts.iter().find_map(|fact| match fact {
            Fact::Close {
                hour,
                id,
                tension,
                resolved,
            } if name(*tension) == wanted => {
                let state = if *resolved {
                    TensionState::Resolved
                } else {
                    TensionState::Withdrawn
                };
                Some((*hour, name(*id), state))
            }
            _ => None,
        })
    };
    let expire = |known: &mut Vec<(&Fact, Option<(TensionState, i64)>)>, until: i64| {
        for (fact, end) in known.iter_mut().filter(|(_, end)| end.is_none()) {
            let Fact::Open {
                hour,
                curiosity,
                ttl: own,
                ..
            } = fact
            else {
                continue;
            };
            let times = if *curiosity < floor { 1 } else { 6 };
            let expires = hour + own.unwrap_or(ttl * times);
            if expires <= until {
                *end = Some((TensionState::Expired, expires));
            }
        }
    };
    for fact in &facts {
        let Fact::Open { hour, id, .. } = fact else {
            continue;
        };
        let closed_before = |fact: &Fact| match fact {
            Fact::Open { id: other, .. } => recorded(&name(*other))
                .filter(|(at, by, _)| (*at, by.as_str()) < (*hour, name(*id).as_str())),
            Fact::Close { .. } => None,
        };
        for (other, end) in known.iter_mut().filter(|(_, end)| end.is_none()) {
            *end = closed_before(other).map(|(at, _, state)| (state, at));
        }
        expire(&mut known, *hour);
        known.push((fact, closed_before(fact).map(|(at, _, state)| (state, at))));
        loop {
            let open = known
                .iter()
                .enumerate()
                .filter(|(_, (_, end))| end.is_none());
            let open: Vec<usize> = open.map(|(place, _)| place).collect();
            if open.len() <= cap {
                break;
            }
            let score = |place: &usize| match known[*place].0 {
                Fact::Open {
                    curiosity,
                    intrusiveness,
                    ..
                } => (curiosity * intrusiveness, *place),
                Fact::Close { .. } => unreachable!(),
            };
            let least = open.into_iter().min_by_key(score).unwrap();
            known[least].1 = Some((TensionState::Overflow, *hour));
        }
    }
    expire(&mut known, now);
    let known = known.into_iter().map(|(fact, end)| {
        let Fact::Open { id, .. } = fact else {
            unreachable!()
        };
        let recorded = recorded(&name(*id)).map(|(at, _, state)| (state, at));
        match recorded.or(end) {
            Some((state, at)) => (name(*id), state, Some(ts(at))),
            None => (name(*id), TensionState::Open, None),
        }
    });
    known.collect()
}

fn facts() -> impl Strategy<Value = Vec<Fact>> {
    prop::collection::vec(fact(), 0..24)
}

const OPENING: &str = r#"{"ts":"9999-12-28T20:46:01.123Z","kind":"tension.open","id":"01J","sid":"s","repo_head_sha":"abcdef0","v":1,"topic":"?","type":"gap","source":"é","curiosity":0.1,"intrusiveness":1e-9,"ttl":"9999d","cite":[{"path":"a","lines":[1,2],"blob":"x"},{"entry":"01K"}]}"#;

const CLOSING: &str = r#"{"ts":"0000-01-01T00:00:00.000Z","kind":"tension.close","id":"01K","sid":"s","repo_head_sha":"abcdef0","v":1,"tension":"01J","as":"resolved","note":"\u0000"}"#;

/// The tensions of a log with one note of these lines.
fn at_the_end_of_time(lines: &[&[u8]]) -> Vec<Tension> {
    let text = lines.join(&b'\n');
    let ledger = Ledger::of(&Events::of_notes([(
        "1".repeat(40).parse().unwrap(),
        &text[..],
    )]));
    ledger.replay(Timestamp::MAX, &TensionSettings::default())
}

#[test]
fn the_undamaged_lines_are_read() {
    let both = at_the_end_of_time(&[OPENING.as_bytes(), CLOSING.as_bytes()]);
    assert_eq!(both[0].state, TensionState::Resolved);
    let open = at_the_end_of_time(&[OPENING.as_bytes()]);
    assert_eq!(open[0].state, TensionState::Expired);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_replay_is_that_of_the_book(facts in facts(), rules in rules(), now in 0..120_i64) {
        let tensions = straight(&facts).replay(time(now), &settings(rules));
        prop_assert_eq!(said(&tensions), by_the_book(&facts, now, rules));
    }

    #[test]
    fn it_is_the_same_however_the_set_was_merged(
        facts in facts(),
        rules in rules(),
        order in prop::collection::vec((0..24_usize, 0..5_usize), 0..60),
    ) {
        // Everything once, in the order of the facts; then copies here and there, before and after.
        let once = (0..facts.len()).map(|fact| (fact, 2));
        let mut places = order.clone();
        places.extend(once);
        places.extend(order.iter().rev().copied());
        let merged = ledger(&facts, &places);
        for now in [0, 30, 90] {
            let one = straight(&facts).replay(time(now), &settings(rules));
            let other = merged.replay(time(now), &settings(rules));
            prop_assert_eq!(said(&one), said(&other));
        }
    }

    #[test]
    fn what_is_closed_stays_closed_and_what_was_opened_stays_there(facts in facts(), rules in rules()) {
        let ledger = straight(&facts);
        let opened = facts.iter().filter(|fact| matches!(fact, Fact::Open { .. }));
        let opened: BTreeSet<String> = opened.map(Fact::line).collect();
        let mut before: Said = Vec::new();
        for now in 0..110 {
            let tensions = ledger.replay(time(now), &settings(rules));
            prop_assert_eq!(tensions.len(), opened.len());
            for one in &tensions {
                prop_assert_eq!(one.state == TensionState::Open, one.closed.is_none());
                prop_assert_eq!(is_recorded(one.state), one.closing.is_some());
            }
            let open = tensions.iter().filter(|one| one.state == TensionState::Open);
            prop_assert!(open.count() <= rules.1);
            let now = said(&tensions);
            for (old, new) in before.iter().zip(&now) {
                prop_assert!(old.1 == TensionState::Open || old == new, "{:?} {:?}", old, new);
            }
            before = now;
        }
    }

    #[test]
    fn what_a_clone_knows_is_there_after_any_merge(
        facts in facts(),
        rules in rules(),
        known in prop::collection::vec(any::<bool>(), 24),
    ) {
        let part: Vec<Fact> = facts.iter().zip(known).filter(|(_, known)| *known).map(|(fact, _)| fact.clone()).collect();
        let (part, whole) = (straight(&part), straight(&facts));
        let opening = |one: &Tension| (one.opening.ts, one.opening.id.clone(), one.opening.body.clone());
        let whole = whole.replay(time(60), &settings(rules));
        for before in part.replay(time(60), &settings(rules)) {
            // Line for line, and what somebody closed is closed by somebody.
            let after = whole.iter().find(|after| opening(after) == opening(&before));
            prop_assert!(after.is_some_and(|after| !is_recorded(before.state) || is_recorded(after.state)));
        }
    }

    #[test]
    fn the_cap_holds_at_any_time(mut facts in facts(), rules in rules()) {
        facts.sort_by_key(Fact::key);
        for count in 0..=facts.len() {
            let now = facts[..count].last().map_or(0, |fact| fact.key().0);
            let tensions = straight(&facts[..count]).replay(time(now), &settings(rules));
            let open = tensions.iter().filter(|one| one.state == TensionState::Open);
            prop_assert!(open.count() <= rules.1);
        }
    }

    #[test]
    fn a_damaged_tension_never_breaks_the_replay(opening in damaged(OPENING), closing in damaged(CLOSING)) {
        for one in at_the_end_of_time(&[&opening, &closing, OPENING.as_bytes()]) {
            prop_assert!((0.0..=1.0).contains(&one.score.get()));
        }
    }
}
