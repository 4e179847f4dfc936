//! Lines: their union, their order, and what a terminal sees of them.

use std::collections::BTreeSet;

use git_sq::{
    entry::{Body, Event, Ts, hardened_json},
    store::{Events, union},
    view::escape,
};
use jiff::Timestamp;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        Just(b"{\"ts\":\"2026-01-01T00:00:00.000Z\"}".to_vec()),
        Just(b"".to_vec()),
        Just(b"\r".to_vec()),
        prop::collection::vec(prop_oneof![Just(b'a'), Just(0_u8), Just(0xff_u8), Just(b' ')], 0..4),
    ];
    (prop::collection::vec(line, 0..6), any::<bool>()).prop_map(|(lines, ended)| {
        let mut text = lines.join(&b'\n');
        if ended {
            text.push(b'\n');
        }
        text
    })
}

fn set(texts: &[&[u8]]) -> BTreeSet<Vec<u8>> {
    texts
        .iter()
        .flat_map(|text| text.split(|&byte| byte == b'\n'))
        .filter(|line| !line.iter().all(u8::is_ascii_whitespace))
        .map(<[u8]>::to_vec)
        .collect()
}

/// A text with a piece replaced.
pub fn damaged(text: &'static str) -> impl Strategy<Value = Vec<u8>> {
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

const ENTRY: &str = r#"{"ts":"2026-11-21T20:46:01.123Z","kind":"rederive","id":"01J","sid":"s","repo_head_sha":"abcdef0","v":1,
"head":{"branch":"m","dirty":true},"results":[{"q_id":"q1","last_rederived_ts":"x","delta":true,"note":"é\u001b"}]}"#;

#[test]
fn the_undamaged_line_is_read() {
    assert!(matches!(Event::parse(ENTRY.as_bytes()), Ok(Event { body: Body::Rederive(_), .. })));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn union_is_the_set_of_lines(one in text(), two in text(), three in text()) {
        let both = |a: &[u8], b: &[u8]| union([a, b]);
        let merged = both(&one, &two);
        prop_assert_eq!(&merged, &both(&two, &one));
        prop_assert_eq!(both(&merged, &three), both(&one, &both(&two, &three)));
        prop_assert_eq!(both(&merged, &merged), merged.clone());
        let expected: Vec<u8> = set(&[&one, &two]).into_iter().flat_map(|mut line| { line.push(b'\n'); line }).collect();
        prop_assert_eq!(merged, expected);
    }

    #[test]
    fn sorting_lines_sorts_by_time(one in 0_i64..200_000_000_000, two in 0_i64..200_000_000_000) {
        let ts = |ms: i64| Ts::from(Timestamp::from_millisecond(ms * 1000 + ms % 997).unwrap());
        prop_assert_eq!(one.cmp(&two), ts(one).as_str().cmp(ts(two).as_str()));
        prop_assert_eq!(ts(one).as_str().len(), Ts::WIDTH);
        let parsed = Ts::parse(ts(one).as_str());
        prop_assert_eq!(parsed.as_ref(), Some(&ts(one)));
    }

    #[test]
    fn a_written_text_reads_back_and_steers_nothing(text in any::<String>()) {
        let written = String::from_utf8(hardened_json(&text)).unwrap();
        prop_assert_eq!(&serde_json::from_str::<String>(&written).unwrap(), &text);
        let steers = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
        prop_assert!(!written.contains(steers));
        prop_assert!(!escape(&text).contains(steers));
    }

    #[test]
    fn a_damaged_line_never_breaks_the_reader(line in damaged(ENTRY)) {
        let _ = Event::parse(&line);
    }
}

/// Whose lines they are, when they say that they were made, and on which commit they stand.
fn dated() -> impl Strategy<Value = Vec<(u8, i64, u8)>> {
    prop::collection::vec((0..4_u8, 0..20_i64, 0..3_u8), 0..12)
}

proptest! {
    #[test]
    fn no_line_counts_at_a_time_that_has_not_come(lines in dated(), moment in 0..20_i64) {
        let id = |commit: u8| format!("{commit:040x}").parse().unwrap();
        let line = |(sid, second, commit): &(u8, i64, u8)| {
            let ts = Ts::from_millis(second * 1000);
            let line = format!(
                r#"{{"ts":"{ts}","kind":"rederive","sid":"s{sid}","repo_head_sha":"abcdef0","results":[]}}"#
            );
            (id(*commit), line)
        };
        let lines: Vec<_> = lines.iter().map(line).collect();
        let log = Events::of_notes(lines.iter().map(|(commit, line)| (*commit, line.as_bytes())));
        let believed = log.believed(moment * 1000);
        let is_ahead = log.rows().iter().any(|row| row.millis > moment * 1000);
        prop_assert_eq!(believed.is_some(), is_ahead);
        let Some(believed) = believed else { return Ok(()) };
        prop_assert!(believed.rows().is_sorted_by_key(|row| row.millis));
        let key = |log: &Events, row: &git_sq::store::Row| (row.digest, log.anchor(row.anchor));
        let mut before: Vec<_> = log.rows().iter().map(|row| key(&log, row)).collect();
        let mut after: Vec<_> = believed.rows().iter().map(|row| key(&believed, row)).collect();
        before.sort_unstable();
        after.sort_unstable();
        prop_assert_eq!(before, after);
        for row in believed.rows() {
            prop_assert!(row.millis <= moment * 1000);
            let same = |other: &&git_sq::store::Row| other.digest == row.digest;
            prop_assert!(believed.rows().iter().filter(same).all(|other| other.millis == row.millis));
            let was = log.rows().iter().find(same).unwrap();
            prop_assert_eq!(row.is_ahead, was.millis > moment * 1000);
            prop_assert!(row.is_ahead || was.millis == row.millis);
        }
    }
}
