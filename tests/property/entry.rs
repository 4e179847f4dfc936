//! Entries and their parts: what is read, what is written, and what is refused.

use git_sq::entry::{
    Body, Cited, Event, Line, MAX_LINE, TooLong, Ts, abbreviates, clip, fitting, harden,
    hardened_json, hide, is_share, new_sid, short_sid,
};

#[test]
fn three_forms_are_read_and_nothing_else() {
    for (text, expected) in [
        ("src/a.rs:12", "src/a.rs:12"),
        ("src/a.rs:12-20", "src/a.rs:12-20"),
        ("./src/a.rs:12", "src/a.rs:12"),
        ("a b:c.rs:7-7", "a b:c.rs:7"),
        ("\"a b:c.rs\":7-7", "a b:c.rs:7"),
        ("01M7ZXRVN3A0K7Q5W8YB6CDE2F", "01M7ZXRVN3A0K7Q5W8YB6CDE2F"),
    ] {
        let cited = Cited::parse(text).unwrap();
        assert_eq!(cited.to_string(), expected);
    }
    let wrong = "|:3|a.rs|a.rs:|\"\":3|a.rs:0|a.rs:9-3|a.rs:+3|a.rs:3-|a.rs:x|a.rs:99999999999";
    let ids = ["01M7ZXRVN3A0K7Q5W8YB6CDE2", "01M7ZXRVN3A0K7Q5W8YB6CDEIL"];
    for text in wrong.split('|').chain(ids) {
        assert_eq!(Cited::parse(text), None, "{text}");
    }
}

fn found(sentence: &str) -> Vec<String> {
    Cited::find_in(sentence).iter().map(ToString::to_string).collect()
}

#[test]
fn a_sentence_is_searched() {
    let found = found(
        "CRLF is handled (src/parse.rs:40-62), see `.github/ci.yml:3` and src/parse.rs:40-62. At 12:30!",
    );
    // A time reads as a citation; that no file has that name shows when it is looked up.
    assert_eq!(found, ["src/parse.rs:40-62", ".github/ci.yml:3", "12:30"]);
}

#[test]
fn punctuation_stands_around_a_citation() {
    for around in ["`?`", "'?'", "\"?\"", "(?),", "[?]:", "{?};", "<?>", "(`?`)."] {
        let text = around.replace('?', "src/a.rs:12");
        assert_eq!(found(&text), ["src/a.rs:12"], "{text}");
    }
}

#[test]
fn a_path_in_quotes_may_be_any() {
    for (text, expected) in [
        ("\"a b.rs\":3-4.", "a b.rs:3-4"),
        ("(\"a b.rs\":3)", "a b.rs:3"),
        ("see `\"(app) [id]/a.rs\":3`", "(app) [id]/a.rs:3"),
        ("he said \"no\" of 5\" in \"a b\":3", "a b:3"),
        ("\"open \"a b\":3", "a b:3"),
    ] {
        assert_eq!(found(text), [expected], "{text}");
    }
    assert_eq!(found("\"a b\":1, c:2 \"a b\":1 \"d\":3"), ["a b:1", "c:2", "d:3"]);
    for text in "\"a b\":|a\":x|\":3|\"\":3|\"a\": 3|\"a b\":4-2".split('|') {
        assert_eq!(found(text), [] as [&str; 0], "{text}");
    }
}

fn parse(line: &str) -> Event<'_> {
    Event::parse(line.as_bytes()).unwrap()
}

#[test]
fn an_entry_that_is_written_is_read() {
    let line = r#"{"ts":"2026-11-21T20:46:01.123Z","kind":"rederive","id":"01A","sid":"s","repo_head_sha":"abcdef0","v":1,"tool":"t","agent":{"name":"a"},"by":{"name":"A","email":"a@b"},"writer":"w","n":2,"prev":"00","seen":{"root":"r","tip":"t"},"head":{"branch":"main","tree":"t","commits":["c"]},"results":[{"q_id":"q1","q":"What?","last_rederived_ts":"2026-11-21T20:46:01.123Z","delta":true,"note":"n","q_version":2,"answer":41},{"q_id":"q2","delta":false,"repeats":[1]}]}"#;
    let event = parse(line);
    assert_eq!(hardened_json(&event), line.as_bytes());
    let line = r#"{"ts":"2026-11-21T20:46:01.123Z","kind":"state","id":"01A","sid":"s","repo_head_sha":"abcdef0","v":1,"tool":"t","status":"fine","done":["a"]}"#;
    assert_eq!(hardened_json(&parse(line)), line.as_bytes());
}

#[test]
fn lines_of_the_original_scripts_are_read() {
    let event = parse(
        r#"{"ts":"2026-05-04T09:12:00Z","kind":"rederive","sid":"s","repo_head_sha":"abcdef0","results":[{"q_id":"q1","delta":false}]}"#,
    );
    assert_eq!(event.envelope.ts.as_str(), "2026-05-04T09:12:00.000Z");
    assert_eq!((&*event.envelope.id, event.envelope.v), ("", 1));
}

#[test]
fn what_is_not_known_is_kept() {
    for (line, newer) in [
        (r#"{"kind":"weather","ts":7}"#, false),
        (r#"{"kind":"rederive","v":2,"id":"x","results":"others"}"#, true),
        (
            r#"{"ts":"2026-05-04T09:12:00Z","kind":"state","sid":"s","repo_head_sha":"a","v":3,"status":9}"#,
            true,
        ),
    ] {
        let event = parse(line);
        assert_eq!(event.body, Body::Unknown(line.as_bytes()));
        assert_eq!(event.is_newer(), newer, "{line}");
    }
}

#[test]
fn what_cannot_be_read_says_why() {
    let why = |line: &[u8]| Event::parse(line).unwrap_err();
    assert!(why(b"\xff").contains("utf-8"));
    assert!(why(b"reviewed by Bob").contains("expected value"));
    assert!(why(br#"{"kind":"rederive"}"#).contains("missing field `ts`"));
    assert!(why(br#"{"ts":"x","kind":"rederive"}"#).contains("is not a time"));
    let line = br#"{"ts":"2026-05-04T09:12:00Z","kind":"rederive","sid":"s","repo_head_sha":"a"}"#;
    assert!(why(line).contains("missing field `results`"));
}

/// Why a text is not one of at most 280 characters.
fn misfit(text: &str) -> String {
    let mut reasons = Vec::new();
    fitting("text", text, 280, &mut reasons);
    reasons.concat()
}

#[test]
fn characters_are_those_that_people_see() {
    for character in ["a", "é", "e\u{301}", "漢", "நி", "👨‍👩‍👧‍👦", "🇳🇿", "ก็"]
    {
        let at = |count: usize| misfit(&character.repeat(count));
        assert_eq!(at(279), "", "{character}");
        assert_eq!(at(280), "", "{character}");
        let long = "the text has 281 characters (limit 280)";
        assert_eq!(at(281), long, "{character}");
    }
    let tower = "a".to_owned() + &"\u{301}".repeat(5000);
    assert_eq!(misfit(&tower), "the text has 313 characters (limit 280)");
    assert_eq!(misfit(" \u{3000}"), "the text is empty");
    assert_eq!(misfit("a\u{2028}b"), "the text has more than one line");
}

#[test]
fn a_text_is_clipped_between_characters() {
    assert_eq!(clip("abc", 3), "abc");
    assert_eq!(clip("abcd", 3), "ab…");
    let family = "👨\u{200d}👩\u{200d}👧";
    assert_eq!(clip(&family.repeat(4), 3), family.repeat(2) + "…");
}

#[test]
fn what_steers_a_terminal_is_escaped_and_reads_back() {
    let text = "a\u{1b}[31m\u{9b}\u{7f}\u{202e}\u{2028}\u{2066}é😀\n";
    let bytes = hardened_json(&text);
    let written = str::from_utf8(&bytes).unwrap();
    assert_eq!(written, "\"a\\u001b[31m\\u009b\\u007f\\u202e\\u2028\\u2066é😀\\n\"");
    assert_eq!(serde_json::from_str::<String>(written).unwrap(), text);
}

#[test]
fn what_nobody_sees_is_escaped_and_reads_back() {
    let text = "a\u{e0041}❤\u{fe0f}\u{200d}\u{ad}é😀";
    let written = String::from_utf8(hardened_json(&text)).unwrap();
    let expected = "\"a\\udb40\\udc41❤\\ufe0f\\u200d\\u00adé😀\"";
    assert_eq!(written, expected);
    assert_eq!(harden(&format!("\t\"{text}\"\r")), expected);
    assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
}

#[test]
fn a_line_has_a_bound() {
    let fits = "x".repeat(MAX_LINE - 2);
    assert!(Line::of(&fits).is_ok());
    assert_eq!(Line::of(&(fits + "x")), Err(TooLong(MAX_LINE + 1)));
}

#[test]
fn no_text_stays_whatever_the_kind() {
    let envelope =
        r#""ts":"2026-11-21T20:46:01.123Z","id":"01A","sid":"s","repo_head_sha":"a","tool":"t""#;
    for body in [
        r#""kind":"rederive","results":[{"q_id":"q1","delta":true,"note":"TEXT","answer":"TEXT","evidence":{"cites":["TEXT"]}}],"more":"TEXT""#,
        r#""kind":"state","status":"TEXT","handover":"TEXT","done":["TEXT"],"doing":["TEXT"],"blocked":["TEXT"],"next":["TEXT"],"cites":[{"item":1,"cite":{"entry":"TEXT"}}]"#,
        r#""kind":"session","event":"end","how":"end","started":"2026-11-21T20:46:01.123Z","branch":"TEXT","last_subject":"TEXT","beats":1"#,
        r#""kind":"tension.open","topic":"TEXT","type":"gap","source":"TEXT","curiosity":1,"intrusiveness":0,"cite":[{"entry":"TEXT"}]"#,
        r#""kind":"tension.close","tension":"01B","as":"resolved","note":"TEXT","cite":[{"entry":"TEXT"}]"#,
        r#""kind":"verdict","entry":"01B","q_id":"q1","q_version":1,"verdict":"error","note":"TEXT""#,
        r#""kind":"second","entry":"01B","q_id":"q1","q_version":1,"agrees":true,"answer":["TEXT"],"note":"TEXT","evidence":{"cites":[{"path":"TEXT"}]}"#,
        r#""kind":"weather","report":"TEXT""#,
        r#""kind":"state","v":2,"status":["TEXT"]"#,
    ] {
        let line = format!("{{{envelope},{body}}}");
        let hidden = String::from_utf8(hide(line.as_bytes(), "redacted by A: why")).unwrap();
        assert!(hidden.contains("redacted by A: why"), "{hidden}");
        assert!(!hidden.contains("TEXT"), "{hidden}");
        let read = |text: &str| {
            let event = Event::parse(text.as_bytes()).unwrap();
            (event.envelope.kind, event.envelope.v)
        };
        assert_eq!(read(&hidden), read(&line), "{hidden}");
    }
}

#[test]
fn made_names_are_abbreviated_and_no_others() {
    let made = new_sid();
    assert_eq!(short_sid(&made).len(), 8, "{made}");
    assert_ne!(made, new_sid());
    for (sid, short) in [
        ("kqzvwmxtkqzvwmxt", "kqzvwmxt"),
        ("3f9a61c2-d07b-4e15-9a61-c2d07b4e15aa", "3f9a61c2"),
        ("01a2031f-e141-7b13-afc5-5bc913ea2b5e", "01a2031f-e141"),
        ("20261122T093000-YZ4D", "20261122T093000-YZ4D"),
        ("release-2026", "release-2026"),
        ("ääää-ää-ää-ää-ääääää", "ääää-ää-ää-ää-ääääää"),
    ] {
        assert_eq!(short_sid(sid), short);
    }
    assert!(abbreviates("kqzv", "kqzvwmxtkqzvwmxt"));
    assert!(!abbreviates("kqz", "kqzvwmxtkqzvwmxt"));
    assert!(abbreviates("zvwmxtkq", "kqzvwmxtkqzvwmxt"));
    assert!(!abbreviates("zvwmxtk", "kqzvwmxtkqzvwmxt"));
    assert!(!abbreviates("kqzvwmxtkqzvwmxt", "kqzvwmxtkqzvwmxt"));
    assert!(!abbreviates("rele", "release-2026"));
}

#[test]
fn a_share_is_a_number_that_has_an_order() {
    for (value, good) in [
        (0.0, true),
        (-0.0, true),
        (1.0, true),
        (f64::MIN_POSITIVE, true),
        (-0.1, false),
        (1.000_000_1, false),
        (f64::NAN, false),
        (f64::INFINITY, false),
    ] {
        assert_eq!(is_share(value), good, "{value}");
    }
}

#[test]
fn every_time_has_one_width() {
    for (text, want) in [
        ("2026-05-04T09:12:00Z", Some("2026-05-04T09:12:00.000Z")),
        ("2026-05-04T09:12:00.5+02:00", Some("2026-05-04T07:12:00.500Z")),
        ("2026-05-04T09:12:00.1239999Z", Some("2026-05-04T09:12:00.123Z")),
        ("2026-02-30T00:00:00.000Z", None),
        ("2026-05-04T09:12:00", None),
        ("yesterday", None),
        ("-000001-01-01T00:00:00Z", None),
        ("0000-01-01T00:00:00Z", Some("0000-01-01T00:00:00.000Z")),
        ("9999-12-31T23:59:59-23:00", None),
    ] {
        let ts = Ts::parse(text);
        assert_eq!(ts.as_ref().map(Ts::as_str), want, "{text}");
        assert_eq!(ts.map(|ts| Ts::from_millis(ts.as_millis())), ts);
    }
}
