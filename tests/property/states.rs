//! State rows and limits, against slow readings of the rules.

use std::collections::BTreeMap;

use git_sq::{
    entry::{SessionEnd, State, clip},
    git::Oid,
    session::{RowSource, events, limits, rows},
    store::Events,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::ancestry::id;

/// A line of the log of one of few sessions.
fn line() -> impl Strategy<Value = Value> {
    let kind = prop_oneof![Just("state"), Just("session"), Just("alert"), Just("other")];
    let writer = prop_oneof![Just(None), Just(Some("w1")), Just(Some("w2"))];
    (kind, 0..3_u8, writer, 0..6_u8, 0..4_u8, 0..9_u8, 1..8_u8).prop_map(
        |(kind, sid, writer, minute, id, word, v)| {
            let v = if v == 1 { 2 } else { 1 };
            let mut line = json!({
                "ts": format!("2026-01-01T00:0{minute}:00.000Z"), "kind": kind, "id": format!("{id}"),
                "sid": format!("s{sid}"), "repo_head_sha": "0".repeat(40), "v": v,
            });
            if let Some(writer) = writer {
                line["writer"] = json!(writer);
                line["n"] = json!(1);
            }
            let body = match kind {
                "state" => json!({"status": format!("word {word}"), "future_key": true}),
                "session" => json!({"event": "end", "how": "end", "started": "2026-01-01T00:00:00.000Z", "seconds": word, "commits": word % 2}),
                _ => json!({}),
            };
            let body = body.as_object().unwrap().clone();
            line.as_object_mut().unwrap().extend(body);
            line
        },
    )
}

type Identity = (String, Option<String>);

/// The line of each session that counts, as the rule says it: sort all, ends with commits behind the others, take the last.
fn slow(lines: &[Value], kind: &str) -> BTreeMap<Identity, Value> {
    let text = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
    let mut lines: Vec<&Value> = lines.iter().filter(|line| line["kind"] == kind).collect();
    lines.retain(|line| line["v"] == 1);
    lines.sort_by_key(|line| {
        let body =
            if kind == "state" { line["status"].to_string() } else { line["seconds"].to_string() };
        (line["commits"].as_u64(), text(line, "ts"), text(line, "id"), body)
    });
    let mut last = BTreeMap::new();
    for line in lines {
        last.insert((text(line, "sid").unwrap(), text(line, "writer")), line.clone());
    }
    last
}

fn replay(notes: &[(Oid, String)]) -> Vec<(Identity, RowSource, String, Option<u64>)> {
    let log = Events::of_notes(notes.iter().map(|(anchor, text)| (*anchor, text.as_bytes())));
    rows(&events::<State>(&log), &events::<SessionEnd>(&log))
        .into_iter()
        .map(|row| {
            (
                (row.sid, row.writer),
                row.source,
                row.state.status,
                row.end.and_then(|end| end.seconds).map(u64::from),
            )
        })
        .collect()
}

/// Clusters that do not grow together with any of the others.
const CLUSTERS: [&str; 12] = [
    "a",
    "é",
    "e\u{301}",
    "中",
    "👨\u{200d}👩\u{200d}👧\u{200d}👦",
    "🇩🇪",
    "👍🏽",
    "1\u{fe0f}\u{20e3}",
    "\u{1112}\u{1161}\u{11ab}",
    "क\u{94d}षि",
    "ก\u{e33}",
    "o\u{308}\u{323}",
];

fn clusters(most: usize) -> impl Strategy<Value = Vec<&'static str>> {
    prop::collection::vec(prop::sample::select(&CLUSTERS[..]), 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn replay_keeps_the_last_row(
        lines in prop::collection::vec(line(), 0..24),
        places in prop::collection::vec((0..24_usize, 0..4_usize), 0..40),
        shuffled in any::<prop::sample::Index>(),
    ) {
        // Every line somewhere, some of them several times, in any order.
        let mut notes: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (number, line) in lines.iter().enumerate() {
            notes.entry(number % 4).or_default().push(line.to_string());
        }
        for (number, place) in places {
            if let Some(line) = lines.get(number) {
                notes.entry(place).or_default().push(line.to_string());
            }
        }
        let mut annotations: Vec<(Oid, String)> = notes
            .into_iter()
            .map(|(place, mut lines)| {
                let middle = shuffled.index(lines.len());
                lines.rotate_left(middle);
                (id(place), lines.join("\n"))
            })
            .collect();
        let once = replay(&annotations);
        annotations.reverse();
        prop_assert_eq!(&once, &replay(&annotations));

        let states = slow(&lines, "state");
        // A session that wrote after its end goes on.
        let goes_on = |end: &Value| {
            let of = (end["sid"].as_str().unwrap().to_owned(), end["writer"].as_str().map(str::to_owned));
            states.get(&of).is_some_and(|state| state["ts"].as_str() > end["ts"].as_str())
        };
        let over: Vec<Value> = lines.iter().filter(|line| !goes_on(line)).cloned().collect();
        let ends = slow(&over, "session");
        let mut expected = BTreeMap::new();
        for who in states.keys().chain(ends.keys()) {
            let status = states.get(who).map(|line| line["status"].as_str().unwrap().to_owned());
            let seconds = ends.get(who).map(|line| line["seconds"].as_u64().unwrap());
            let source = match (&status, seconds) {
                (Some(_), Some(_)) => RowSource::Merged,
                (Some(_), None) => RowSource::Agent,
                (None, _) => RowSource::Auto,
            };
            expected.insert(who.clone(), (source, status.unwrap_or_default(), seconds));
        }
        prop_assert_eq!(once.len(), expected.len());
        let found: BTreeMap<_, _> = once.into_iter().map(|(who, source, status, seconds)| (who, (source, status, seconds))).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_text_is_clipped_at_clusters(text in clusters(30), most in 1..20_usize) {
        let clipped = clip(&text.concat(), most);
        if text.len() <= most {
            prop_assert_eq!(clipped, text.concat());
        } else {
            prop_assert_eq!(clipped, text[..most - 1].concat() + "…");
        }
    }

    #[test]
    fn what_is_clipped_fits_and_what_fits_is_left_alone(
        status in any::<String>(), tail in clusters(600), done in prop::collection::vec(clusters(200), 0..8),
    ) {
        let state = limits::tidy(State {
            status,
            handover: tail.concat(),
            done: done.iter().map(|item| item.concat()).collect(),
            ..State::default()
        });
        let too_long = done.iter().filter(|item| item.len() > limits::ITEM).count();
        let too_many = usize::from(state.done.len() > limits::ITEMS);
        let handover = usize::from(tail.len() > limits::HANDOVER);
        prop_assert_eq!(limits::over(&state).len(), too_long + too_many + handover);
        let clipped = limits::clipped(state);
        prop_assert_eq!(limits::over(&clipped), vec![]);
        prop_assert_eq!(limits::clipped(clipped.clone()), clipped);
    }
}
