//! The ledger of open questions, against a slow reading of its rules.

use git_sq::{
    entry::Ts,
    question::TensionSettings,
    session::{Ledger, Tension, TensionState},
    store::Events,
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use serde_json::json;

use crate::{ancestry::id, lines::damaged};

const HOUR: i64 = 3_600_000;

/// What opened a tension. Ids say nothing of time, and some are given twice.
#[derive(Debug, Clone)]
struct Opening {
    hour: i64,
    id: usize,
    curiosity: u32,
    intrusiveness: u32,
    ttl: Option<i64>,
}

#[derive(Debug, Clone)]
struct Closing {
    hour: i64,
    id: usize,
    tension: usize,
    resolved: bool,
}

type Facts = (Vec<Opening>, Vec<Closing>);

impl Opening {
    fn line(&self) -> String {
        let mut line = json!({"ts": ts(self.hour), "kind": "tension.open", "id": name(self.id), "sid": "s",
            "repo_head_sha": "abcdef0", "v": 1, "topic": "?", "type": "gap", "source": "a test",
            "curiosity": f64::from(self.curiosity) / 10.0, "intrusiveness": f64::from(self.intrusiveness) / 10.0});
        if let Some(hours) = self.ttl {
            line["ttl"] = json!(format!("{hours}h"));
        }
        line.to_string()
    }
}

impl Closing {
    fn line(&self) -> String {
        json!({"ts": ts(self.hour), "kind": "tension.close", "id": name(self.id), "sid": "s",
            "repo_head_sha": "abcdef0", "v": 1, "tension": name(self.tension), "note": "!",
            "as": if self.resolved { "resolved" } else { "withdrawn" }})
        .to_string()
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

fn facts() -> impl Strategy<Value = Facts> {
    let ttl = prop::option::of(prop_oneof![Just(0_i64), 0..40_i64]);
    let opening = (0..60_i64, 0..14_usize, 0..=10_u32, 0..=10_u32, ttl).prop_map(
        |(hour, id, curiosity, intrusiveness, ttl)| Opening {
            hour,
            id,
            curiosity,
            intrusiveness,
            ttl,
        },
    );
    let closing = (0..60_i64, 0..30_usize, 0..16_usize, any::<bool>())
        .prop_map(|(hour, id, tension, resolved)| Closing { hour, id, tension, resolved });
    let closings = prop::collection::vec(closing, 0..7);
    (prop::collection::vec(opening, 0..18), closings)
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

/// The ledger of a log with these lines: all on one commit, and copies where `more` says.
fn ledger((opened, closed): &Facts, more: &[(usize, usize)]) -> Ledger {
    let lines: Vec<String> =
        opened.iter().map(Opening::line).chain(closed.iter().map(Closing::line)).collect();
    let mut notes = vec![String::new(); 5];
    let once = (0..lines.len()).map(|line| (line, 2));
    for (line, commit) in more.iter().copied().chain(once).chain(more.iter().copied()) {
        if let Some(line) = lines.get(line) {
            notes[commit] += &format!("{line}\n");
        }
    }
    let notes = notes.iter().enumerate().map(|(commit, text)| (id(commit), text.as_bytes()));
    Ledger::of(&Events::of_notes(notes))
}

/// What a replay says of each opening: id, state, when it closed, and whether somebody recorded that.
type Said = Vec<(String, TensionState, Option<String>, bool)>;

fn said(tensions: &[Tension]) -> Said {
    tensions
        .iter()
        .map(|tension| {
            let closed = tension.closed.as_ref().map(ToString::to_string);
            let (id, is_recorded) = (tension.opening.id.clone(), tension.closing.is_some());
            (id, tension.state, closed, is_recorded)
        })
        .collect()
}

/// The rules as they are written down, in whole hours and whole tenths, looking at everything each time.
fn by_the_book((opened, closed): &Facts, now: i64, (floor, cap, ttl): Rules) -> Said {
    let mut opened = opened.clone();
    opened.sort_by_key(|opening| (opening.hour, name(opening.id), opening.line()));
    opened.dedup_by_key(|opening| opening.line());
    let recorded = |tension: usize| {
        closed
            .iter()
            .filter(|closing| closing.tension == tension)
            .min_by_key(|closing| (closing.hour, name(closing.id), closing.line()))
    };
    let end_of = |closing: &Closing| {
        let [no, yes] = [TensionState::Withdrawn, TensionState::Resolved];
        (if closing.resolved { yes } else { no }, closing.hour)
    };
    let expire = |ends: &mut [Option<(TensionState, i64)>], until: i64| {
        for (opening, end) in opened.iter().zip(ends).filter(|(_, end)| end.is_none()) {
            let times = if opening.curiosity < floor { 1 } else { 6 };
            let expires = opening.hour + opening.ttl.unwrap_or(ttl * times);
            *end = (expires <= until).then_some((TensionState::Expired, expires));
        }
    };
    let mut ends = vec![None; opened.len()];
    for (place, opening) in opened.iter().enumerate() {
        let is_before = |closing: &&Closing| {
            (closing.hour, name(closing.id)) < (opening.hour, name(opening.id))
        };
        for other in 0..=place {
            let closing = recorded(opened[other].id).filter(is_before);
            ends[other] = ends[other].or(closing.map(end_of));
        }
        expire(&mut ends[..place], opening.hour);
        loop {
            let mut open: Vec<usize> = (0..=place).collect();
            open.retain(|&other| ends[other].is_none());
            if open.len() <= cap {
                break;
            }
            let least = open
                .into_iter()
                .min_by_key(|&other| opened[other].curiosity * opened[other].intrusiveness)
                .unwrap();
            ends[least] = Some((TensionState::Overflow, opening.hour));
        }
    }
    expire(&mut ends, now);
    opened
        .iter()
        .zip(ends)
        .map(|(opening, end)| {
            let recorded = recorded(opening.id).map(end_of);
            let (state, at) = match recorded.or(end) {
                Some((state, at)) => (state, Some(ts(at))),
                None => (TensionState::Open, None),
            };
            (name(opening.id), state, at, recorded.is_some())
        })
        .collect()
}

const OPENING: &str = r#"{"ts":"9999-12-28T20:46:01.123Z","kind":"tension.open","id":"01J","sid":"s","repo_head_sha":"abcdef0","v":1,"topic":"?","type":"gap","source":"é","curiosity":0.1,"intrusiveness":1e-9,"ttl":"9999d","cite":[{"path":"a","lines":[1,2],"blob":"x"},{"entry":"01K"}]}"#;

const CLOSING: &str = r#"{"ts":"0000-01-01T00:00:00.000Z","kind":"tension.close","id":"01K","sid":"s","repo_head_sha":"abcdef0","v":1,"tension":"01J","as":"resolved","note":"\u0000"}"#;

/// The tensions of a log with one note of these lines.
fn at_the_end_of_time(lines: &[&[u8]]) -> Vec<Tension> {
    let text = lines.join(&b'\n');
    Ledger::of(&Events::of_notes([(id(1), &text[..])]))
        .replay(Timestamp::MAX, &TensionSettings::default())
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

    /// However the log was merged: some lines stand on several commits, before and after the others.
    #[test]
    fn the_replay_is_that_of_the_book(
        facts in facts(),
        rules in rules(),
        now in 0..120_i64,
        more in prop::collection::vec((0..24_usize, 0..5_usize), 0..30),
    ) {
        let tensions = ledger(&facts, &more).replay(time(now), &settings(rules));
        prop_assert_eq!(said(&tensions), by_the_book(&facts, now, rules));
    }

    #[test]
    fn a_damaged_tension_never_breaks_the_replay(opening in damaged(OPENING), closing in damaged(CLOSING)) {
        for tension in at_the_end_of_time(&[&opening, &closing, OPENING.as_bytes()]) {
            prop_assert!((0.0..=1.0).contains(&tension.score.get()));
        }
    }
}
