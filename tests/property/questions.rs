//! Damaged question stores are read, or refused with a place in their text.

use git_sq::{
    question::parse,
    report::{Style, problems_text},
};
use proptest::prelude::*;

use crate::lines::damaged;

const STORE: &str = r#"{"_schema":"standing_questions/v2","_note":"n","settings":{"staleness":{"max":3},"quiet.max_run":1},
"questions":[{"id":"q1","q":"Whät?","importance":3,"watch":["src/"],"trigger":{"every":"7d"},"shape":{"enum":["a","b"]},
"probe":{"run":["cargo","test"]}},{"id":"q1","q":"?","importance":1,"version":2,"status":"trial"}]}"#;

#[test]
fn the_undamaged_store_is_read() {
    assert_eq!(parse("store", STORE.as_bytes()).unwrap().questions.len(), 2);
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
            let shown = problems_text(&error, Style { colour: false, unicode: false });
            prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
            // A quote of the line, or its place where it is too long for one.
            prop_assert!(shown.contains("╰──") || shown.contains("\n  store:"), "{shown}");
        }
    }
}
