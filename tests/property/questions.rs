//! Damaged question stores are read, or refused with a place in their text; changed ones say what was changed.

use git_sq::{
    question::{
        NewQuestion, NewVersion, Question, QuestionSet, Status, StoreEdit, StoreSchema, parse,
    },
    view::{Style, problems_text},
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
            let shown = problems_text(&error, Style::default());
            prop_assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
            // A quote of the line, or its place where it is too long for one.
            prop_assert!(shown.contains("╰──") || shown.contains("\n  store:"), "{shown}");
        }
    }

    #[test]
    fn a_changed_store_says_what_was_changed_and_nothing_else(
        text in damaged(STORE),
        wording in ".*\\S.*",
        reason in proptest::option::of(".*"),
    ) {
        let Ok(set) = parse("store", &text) else {
            return Ok(());
        };
        let text = String::from_utf8(text).unwrap();
        let edit = || StoreEdit::new(&text, &set).unwrap();
        let read = |edit: StoreEdit| parse("store", edit.finish().as_bytes()).unwrap();
        let mut added = edit();
        let new = NewQuestion {
            created: "2026-01-01".into(),
            id: "q0",
            text: &wording,
            keys: [("importance", Some(2.into())), ("evidence_hint", reason.clone().map(Into::into))]
                .into_iter()
                .filter_map(|(key, value)| Some((key, value?)))
                .collect(),
        };
        prop_assert_eq!(added.add(&new), Ok(()));
        let mut read_back = read(added);
        prop_assert_eq!(read_back.questions.pop().unwrap().text, wording.as_str());
        prop_assert_eq!(&read_back, &set);
        let Some(place) = set.questions.iter().position(|question| question.status == Status::Active) else {
            return Ok(());
        };
        let active = set.questions[place].clone();
        let mut reworded = edit();
        let newer = NewVersion {
            text: Some(&wording),
            created: "2026-01-01".into(),
            reason: reason.as_deref(),
            keys: Vec::new(),
            is_trial: false,
        };
        if let Ok(version) = reworded.add_version(&active.id.parse().unwrap(), &newer) {
            let mut expected = QuestionSet { schema: StoreSchema::V2, ..set.clone() };
            expected.questions[place].status = Status::Deprecated;
            let new = Question {
                version,
                text: wording,
                reason: reason.clone(),
                created: (set.schema == StoreSchema::V2).then(|| "2026-01-01".into()),
                ..active.clone()
            };
            expected.questions.insert(place + 1, new);
            prop_assert_eq!(read(reworded), expected);
        }
        let mut retired = edit();
        prop_assert_eq!(retired.retire(&[active.name()], reason.as_deref()), Ok(()));
        let mut expected = set.clone();
        let trials = expected.questions.iter_mut().filter(|one| one.status == Status::Trial);
        for one in trials.filter(|one| one.id == active.id) {
            one.status = Status::Retired;
            one.reason = reason.clone().or(one.reason.take());
        }
        expected.questions[place].status = Status::Retired;
        expected.questions[place].reason = reason.or(active.reason);
        let read_back = read(retired);
        expected.schema = read_back.schema;
        prop_assert_eq!(read_back, expected);
    }
}
