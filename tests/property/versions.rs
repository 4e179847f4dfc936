//! Versions and ranges as probes read them, against how they were written.

use git_sq::{evidence::in_bytes, question::Probe};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a probe makes of a text that it reads as a version.
fn read(text: &str) -> Result<Value, String> {
    let probe = json!({"value": {"file": "a.json", "pointer": "/a", "as": "version"}});
    let probe: Probe = serde_json::from_value(probe).unwrap();
    in_bytes(&probe, json!({ "a": text }).to_string().as_bytes()).unwrap()
}

/// Its sign, whether it can be the lowest bound, and its numbers.
fn bound() -> impl Strategy<Value = (&'static str, bool, [u32; 3])> {
    let signs = prop::sample::select(vec![
        ("", true),
        ("v", true),
        (">=", true),
        (">= ", true),
        ("^", true),
        ("~", true),
        ("~> ", true),
        ("~=", true),
        ("==", true),
        ("<", false),
        ("<= ", false),
        ("!=", false),
    ]);
    (signs, [0..40_u32, 0..40, 0..40]).prop_map(|((sign, is_low), numbers)| (sign, is_low, numbers))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_range_is_read_as_its_lowest_bound(
        bounds in prop::collection::vec(bound(), 1..5),
        between in prop::sample::select(vec![" || ", "||", "|", ", ", ",", " ", " - "]),
    ) {
        let range = bounds.iter().map(|(sign, _, [a, b, c])| format!("{sign}{a}.{b}.{c}")).collect::<Vec<_>>().join(between);
        let expected = bounds.iter().filter(|(_, is_low, _)| *is_low).map(|(_, _, numbers)| numbers).min().map(|[a, b, c]| json!(format!("{a}.{b}.{c}")));
        prop_assert_eq!(read(&range).ok(), expected, "{}", range);
    }

    #[test]
    fn any_text_is_read_as_one_version_or_refused(text in "[<>=~^v ]{0,3}[0-9.]{0,12}[-+.x|, a-c0-9]{0,9}") {
        if let Ok(version) = read(&text) {
            let version = version.as_str().unwrap();
            prop_assert_eq!(read(version), Ok(json!(version)), "{}", text);
        }
    }
}
