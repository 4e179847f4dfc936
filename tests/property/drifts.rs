//! What settles a drift, on any history, against a definition that copies every state.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use git_sq::{
    entry::VerdictWord,
    metrics::{Disputes, Doubted, Fate, drifts},
    question::{Expect, parse},
    session::events,
    store::Events,
    timeline::Timeline,
};
use proptest::prelude::*;
use serde_json::json;

use super::{
    ancestry::{contained, history, id, walked},
    predecessors::Walked,
};

/// A session: its commit, its answer, and what a person says of that.
type Session = (usize, u8, Option<VerdictWord>);

const STORE: &[u8] = br#"{"_schema":"standing_questions/v2","questions":[{"id":"q1","q":"?","importance":1,"expect":{"pattern":"^3$"}}]}"#;

/// The sessions before each one: on its line of history, and whose answer it differs from.
fn before(parents: &[Vec<usize>], sessions: &[Session]) -> Vec<(Option<usize>, Option<usize>)> {
    let in_line = |one: usize, two: usize| {
        contained(parents, one).contains(&two) || contained(parents, two).contains(&one)
    };
    let places = 0..sessions.len();
    places
        .map(|place| {
            let mut earlier = (0..place).rev();
            let line = earlier.find(|&before| in_line(sessions[before].0, sessions[place].0));
            (line, line.or(place.checked_sub(1)))
        })
        .collect()
}

/// What is said of each drift, by its session.
fn oracle(parents: &[Vec<usize>], sessions: &[Session]) -> BTreeMap<usize, String> {
    let mut fates: BTreeMap<usize, String> = BTreeMap::new();
    // The drifts that are not settled, as each session leaves them: oldest first, with the answer before.
    let mut states: Vec<Vec<(usize, u8)>> = Vec::new();
    for (place, (line, differs)) in before(parents, sessions).into_iter().enumerate() {
        let mut state = line.map_or(Vec::new(), |line| states[line].clone());
        let (_, answer, word) = sessions[place];
        let old = differs.map(|before| sessions[before].1).filter(|&old| old != answer);
        if let Some(old) = old {
            let back = state.iter().rposition(|&(_, old)| old == answer);
            // What must hold mends all that came before it.
            let mended = match back {
                _ if answer == 3 => 0,
                first => first.unwrap_or(state.len()),
            };
            fates.insert(place, word.map_or("open".into(), |word| format!("{word:?}")));
            for drift in state[mended..].iter().map(|drift| drift.0).chain(back.map(|_| place)) {
                let fate = fates.get_mut(&drift).unwrap();
                if fate == "open" {
                    *fate = format!("back in s{place:02}");
                } else if fate == "Error" {
                    *fate = format!("Error, mended in s{place:02}");
                }
            }
            if let Some(first) = back {
                state.truncate(first);
            } else {
                if word.is_none() && answer == 3 {
                    fates.insert(place, "expected".into());
                }
                let is_settled = word.is_none() && answer == 3
                    || matches!(word, Some(VerdictWord::Expected | VerdictWord::Agrees));
                if is_settled {
                    state.clear();
                } else {
                    state.push((place, old));
                }
            }
        }
        states.push(state);
    }
    fates
}

fn log(parents: &[Vec<usize>], sessions: &[Session]) -> Events {
    let mut notes: BTreeMap<usize, String> = BTreeMap::new();
    for (place, (_, differs)) in before(parents, sessions).into_iter().enumerate() {
        let (commit, answer, word) = sessions[place];
        let head = id(commit).to_string();
        let delta = differs.is_some_and(|before| sessions[before].1 != answer);
        let line = |second: usize, kind: &str, sid: &str, body: serde_json::Value| {
            let mut line = json!({"ts": format!("2026-02-01T00:{second:02}:{place:02}.000Z"), "kind": kind,
                "id": format!("{kind}{place:02}"), "sid": sid, "repo_head_sha": head});
            line.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
            line
        };
        let results = json!({"results": [{"q_id": "q1", "delta": delta, "answer": answer}]});
        let note = notes.entry(commit).or_default();
        writeln!(note, "{}", line(0, "rederive", &format!("s{place:02}"), results)).unwrap();
        if let Some(word) = word {
            let verdict = json!({"entry": format!("rederive{place:02}"), "q_id": "q1", "q_version": 1,
                "verdict": word, "note": "so", "writer": "persons", "n": place + 1});
            writeln!(note, "{}", line(1, "verdict", "person", verdict)).unwrap();
        }
    }
    Events::of_notes(notes.iter().map(|(commit, text)| (id(*commit), text.as_bytes())))
}

fn word() -> impl Strategy<Value = Option<VerdictWord>> {
    let words =
        [VerdictWord::Expected, VerdictWord::Error, VerdictWord::Question, VerdictWord::Agrees];
    prop::option::weighted(0.3, prop::sample::select(words.to_vec()))
}

#[test]
fn what_is_expected_is_told_from_what_is_not() {
    let pattern = Expect::Pattern("^(fast|3)$".into());
    for (expect, old, new, allowed) in [
        (Expect::Increase, json!(9), json!(10), true),
        (Expect::Increase, json!(10), json!(9.5), false),
        (Expect::Increase, json!("1.9.0"), json!("1.10.0"), true),
        (Expect::Increase, json!("v1.9"), json!("v1.9.1"), true),
        (Expect::Increase, json!("1.9"), json!("1.9-rc"), false),
        (Expect::Increase, json!("26.0.dev0"), json!("26.0"), true),
        (Expect::Increase, json!("1.0.de"), json!("1.0dev"), true),
        (Expect::Increase, json!("15beta2"), json!("15.0"), true),
        (Expect::Increase, json!("1.0rc9"), json!("1.0rc10"), true),
        (Expect::Increase, json!("1.0.0-SNAPSHOT"), json!("1.0.0"), true),
        (Expect::Increase, json!("1.0.0-alpha"), json!("1.0.0-RC1"), true),
        (Expect::Increase, json!("2024-12-01"), json!("2025-01-01"), true),
        (Expect::Increase, json!(">=3.9"), json!(">=3.10"), true),
        (Expect::Increase, json!(">=3.9,<4"), json!(">=3.10,<4"), false),
        (Expect::Increase, json!("3 apples"), json!("4 apples"), false),
        (Expect::Increase, json!("1.0"), json!("1.0.0"), false),
        (Expect::Decrease, json!("26.0"), json!("26.0rc1"), true),
        (Expect::Increase, json!(1), json!("2"), false),
        (Expect::Increase, json!({"gone": true}), json!(1), false),
        (Expect::Decrease, json!(10), json!(9), true),
        (Expect::Decrease, json!(9), json!(10), false),
        (Expect::Stable, json!(1), json!(2), false),
        (pattern.clone(), json!("slow"), json!("fast"), true),
        (pattern.clone(), json!(1), json!(3), true),
        (pattern, json!(1), json!(33), false),
    ] {
        let found = expect.allows(None, &old, &new);
        assert_eq!(found, Some(allowed), "{expect:?} {old} {new}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Decimals, each with its digits after the point, against whole numbers of the same scale.
    #[test]
    fn limits_compare_as_decimals_do(
        one in -999_999_999_999_i64..=999_999_999_999, other in prop_oneof![-3_i64..=3, Just(0), any::<i32>().prop_map(i64::from)],
        places in 0..4_u32, is_text in any::<bool>(),
    ) {
        let scale = 10_i64.pow(places);
        let two = one + other;
        let decimal = |value: i64| {
            let sign = if value < 0 { "-" } else { "" };
            let (whole, rest) = (value.abs() / scale, value.abs() % scale);
            match places {
                0 => format!("{sign}{whole}"),
                places => format!("{sign}{whole}.{rest:0width$}", width = places as usize),
            }
        };
        let limit = || serde_json::from_str::<serde_json::Number>(&decimal(two)).unwrap();
        let answer = if is_text { json!(decimal(one)) } else { serde_json::from_str(&decimal(one)).unwrap() };
        let holds = |expect: Expect| expect.holds(None, &answer).unwrap();
        prop_assert_eq!(holds(Expect::AtMost(limit().into())), one <= two);
        prop_assert_eq!(holds(Expect::AtLeast(limit().into())), one >= two);
        prop_assert_eq!(is_text || holds(Expect::Is(limit().into())), is_text || one == two);
    }

    #[test]
    fn drifts_are_settled_as_defined(
        parents in history(),
        raw in prop::collection::vec((0..30_usize, 1..5_u8, word()), 0..20),
    ) {
        let commit = |(commit, answer, word)| (commit % parents.len(), answer, word);
        let sessions: Vec<Session> = raw.into_iter().map(commit).collect();
        let walked = walked(&parents);
        let events_of_log = Arc::new(log(&parents, &sessions));
        let mut lineage = Walked { history: &walked, events: events_of_log.clone() };
        let questions = parse("store", STORE).unwrap();
        let timeline = Timeline::build(id(0), events_of_log, questions, Vec::new(), &mut lineage, false);
        let verdicts = events(&timeline.events);
        let place = |sid: &str| sid[1..].parse::<usize>().unwrap();
        let found = drifts(&timeline, &verdicts, |_, _| true, |answers| {
answers.iter().map(|answer| timeline.events.sid(timeline.row(answer.entry))).map(|sid| sessions[place(sid)].1).map(|answer| (Some(answer.into()), None)).collect()
}, &Doubted::default(), &Disputes::default(), |_, _| true).into_iter().map(|drift| {
            let fate = match drift.fate {
                Fate::Open | Fate::Closed => "open".to_owned(),
                Fate::Expected { .. } => "expected".to_owned(),
                Fate::TakenBack { session, .. } => format!("back in {session}"),
                Fate::Judged { verdict, mended, .. } => {
                    let mended = mended.map(|sid| format!(", mended in {sid}"));
                    format!("{verdict:?}{}", mended.unwrap_or_default())
                }
            };
            (place(&drift.sid), fate)
        });
        prop_assert_eq!(found.collect::<BTreeMap<_, _>>(), oracle(&parents, &sessions));
    }
}
