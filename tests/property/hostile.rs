//! Whatever stands in a note or a question store: it is read or refused, and nothing breaks.

use git_sq::{
    entry::{Reading, read},
    question::{Settings, parse},
    report::{Style, problems_text},
    session::{EventLog, Ledger, Tension, TensionState},
    store::{Annotation, Log},
};
use jiff::Timestamp;
use proptest::prelude::*;

const STORE: &str = r#"{"_schema":"standing_questions/v2","_note":"n","settings":{"staleness":{"max":3},"quiet.max_run":1},
"questions":[{"id":"q1","q":"Whät?","importance":3,"watch":["src/"],"trigger":{"every":"7d"},"shape":{"enum":["a","b"]},
"probe":{"run":["cargo","test"]}},{"id":"q1","q":"?","importance":1,"version":2,"status":"trial"}]}"#;

const ENTRY: &str = r#"{"ts":"2026-11-21T20:46:01.123Z","kind":"rederive","id":"01J","sid":"s","repo_head_sha":"abcdef0","v":1,
"head":{"branch":"m","dirty":true},"results":[{"q_id":"q1","last_rederived_ts":"x","delta":true,"note":"é\u001b"}]}"#;

const OPENING: &str = r#"{"ts":"9999-12-28T20:46:01.123Z","kind":"tension.open","id":"01J","sid":"s","repo_head_sha":"abcdef0","v":1,"topic":"?","type":"gap","source":"é","curiosity":0.1,"intrusiveness":1e-9,"ttl":"9999d","cite":[{"path":"a","lines":[1,2],"blob":"x"},{"entry":"01K"}]}"#;

const CLOSING: &str = r#"{"ts":"0000-01-01T00:00:00.000Z","kind":"tension.close","id":"01K","sid":"s","repo_head_sha":"abcdef0","v":1,"tension":"01J","as":"resolved","note":"\u0000"}"#;

/// The tensions of a log with one note of these lines, at the end of time.
fn tensions(lines: &[&[u8]]) -> Vec<Tension> {
    let log = Log {
        annotations: vec![Annotation {
            anchor: "1".repeat(40).parse().unwrap(),
            text: lines.join(&b'\n'),
        }],
        ..Log::default()
    };
    let ledger = Ledger::of(&EventLog::of(&log));
    ledger.replay(Timestamp::MAX, &Settings::default().tension)
}

/// A text with a piece replaced.
fn damaged(text: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let junk = prop_oneof![
        any::<Vec<u8>>(),
        Just(b"null".to_vec()),
        Just(b"\"".to_vec()),
        Just(b"{".to_vec()),
        Just(b"-1e999".to_vec()),
        Just("\u{202e}".as_bytes().to_vec()),
    ];
    (0..text.len(), 0..20_usize, junk).prop_map(move |(start, length, junk)| {
        let end = (start + length).min(text.len());
        [&text.as_bytes()[..start], &junk, &text.as_bytes()[end..]].concat()
    })
}

#[test]
fn the_undamaged_texts_are_read() {
    assert_eq!(parse("store", STORE.as_bytes()).unwrap().questions.len(), 2);
    assert!(matches!(read(ENTRY.as_bytes()), Reading::Rederive(_)));
    let both = tensions(&[OPENING.as_bytes(), CLOSING.as_bytes()]);
    assert_eq!(both[0].state, TensionState::Resolved);
    assert_eq!(
        tensions(&[OPENING.as_bytes()])[0].state,
        TensionState::Expired
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_store_is_read_or_refused_at_a_place(text in damaged(STORE)) {
        if let Err(error) = parse("store", &text) {
            prop_assert!(!error.problems.is_empty());
            for problem in &error.problems {
                prop_assert!(problem.span.start <= problem.span.end);
                prop_assert!(problem.span.end <= text.len().max(1));
            }
            let shown = problems_text(&error, Style { colour: false });
            prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
            for problem in &error.problems {
                prop_assert!(shown.contains("╰──") || shown.contains("  store:"), "{problem:?} {shown}");
            }
        }
    }

    #[test]
    fn a_damaged_tension_never_breaks_the_replay(opening in damaged(OPENING), closing in damaged(CLOSING)) {
        for one in tensions(&[&opening, &closing, OPENING.as_bytes()]) {
            prop_assert!((0.0..=1.0).contains(&one.score.get()));
        }
    }

    #[test]
    fn a_damaged_line_never_breaks_the_reader(line in damaged(ENTRY)) {
        let _ = read(&line);
    }
}
