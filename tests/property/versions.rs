//! Versions and ranges as probes read them, against how they were written.

use std::cmp::Ordering;

use git_sq::{
    evidence::read_version,
    question::{Expect, TextKind},
};
use proptest::prelude::*;
use serde_json::{Value, json};

/// What a probe makes of a text that it reads as a version.
fn read(text: &str) -> Result<Value, String> {
    read_version(Some(TextKind::Version), None, json!(text))
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

/// The numbers and the identifiers of a pre-release.
type Semver = ([u32; 3], Vec<String>);

fn semver() -> impl Strategy<Value = Semver> {
    ([0..2_u32, 0..2, 0..12], prop::collection::vec("[0-9]|1[0-9]|[a-c]{1,2}", 0..4))
}

/// By <https://semver.org/#spec-item-11>, rule by rule.
fn precedence(one: &Semver, two: &Semver) -> Ordering {
    for place in 0..3 {
        if one.0[place] != two.0[place] {
            return one.0[place].cmp(&two.0[place]);
        }
    }
    match (one.1.is_empty(), two.1.is_empty()) {
        (true, false) => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        _ => {}
    }
    for (one, two) in one.1.iter().zip(&two.1) {
        let order = match (one.parse::<u32>(), two.parse::<u32>()) {
            (Ok(one), Ok(two)) => one.cmp(&two),
            (Ok(_), Err(_)) => Ordering::Less,
            (Err(_), Ok(_)) => Ordering::Greater,
            (Err(_), Err(_)) => one.cmp(two),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    one.1.len().cmp(&two.1.len())
}

fn written(([a, b, c], label): &Semver, sign: &str, build: &str) -> Value {
    let dash = if label.is_empty() { "" } else { "-" };
    json!(format!("{sign}{a}.{b}.{c}{dash}{}{build}", label.join(".")))
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

    #[test]
    fn a_version_increases_and_decreases_as_semver_says(
        (one, two) in (semver(), semver()),
        sign in prop::sample::select(vec!["", "v", "^", "~", ">=", ">= ", "="]),
        build in prop::sample::select(vec!["", "+7", "+b.9-a"]),
    ) {
        let (old, new) = (written(&one, sign, ""), written(&two, "", build));
        let order = precedence(&one, &two);
        for (expect, wanted) in [(Expect::Increase, Ordering::Less), (Expect::Decrease, Ordering::Greater)] {
            let allowed = expect.allows(None, &old, &new);
            prop_assert_eq!(allowed, Some(order == wanted), "{:?} {} {}", expect, old, new);
        }
    }
}
