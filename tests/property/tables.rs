//! Pure functions at tables of input.

use git_sq::{
    git::{Durability, places},
    metrics::{Outcome, settle},
    question::{Places, parse},
};

/// Of looks of others, `a` agrees with the answer and `d` does not; a correction begins with `!`.
#[test]
fn others_settle_an_answer() {
    for (looks, outcome) in [
        ("", Outcome::Open),
        ("a", Outcome::Held),
        ("d", Outcome::Disputed),
        ("ad", Outcome::Disputed),
        ("ada", Outcome::Held),
        ("dad", Outcome::Wrong),
        ("!", Outcome::Disputed),
        ("!a", Outcome::Disputed),
        ("!aa", Outcome::Held),
        ("!ad", Outcome::Disputed),
        ("!dd", Outcome::Wrong),
        // The side that is confirmed first is right.
        ("!ddaaa", Outcome::Wrong),
        ("!aaddd", Outcome::Held),
    ] {
        let agrees: Vec<bool> =
            looks.bytes().filter(|look| *look != b'!').map(|look| look == b'a').collect();
        assert_eq!(settle(looks.starts_with('!'), &agrees), outcome, "{looks}");
    }
}

#[test]
fn a_question_is_found_on_its_line() {
    let text = r#"{"_schema": "standing_questions/v2",
"questions": [{"id": "q1", "q": "one,\n two?", "importance": 3},

  {"id": "q2", "q": "?", "importance": 1, "status": "deprecated"}, {
   "id": "q2", "version": 2, "q": "??", "importance": 1},
  {"id": "q2", "version": 3, "q": "???", "importance": 1, "status": "trial"}
]}"#;
    let set = parse("", text.as_bytes()).unwrap();
    let places = Places::of(text, &set);
    let lines = ["q1", "q2", "q2@1", "q2@3", "q3", "s1 to s4"].map(|name| places.line(name));
    let expected = [Some(2), Some(4), Some(4), Some(6), None, None];
    assert_eq!(lines, expected);
}

#[test]
fn fsync_is_read_as_git_reads_it() {
    for (value, objects, refs) in [
        (None, false, false),
        (Some("all"), true, true),
        (Some("committed,-reference"), true, false),
        (Some("loose-object"), true, false),
        (Some("reference"), false, true),
        (Some("none"), false, false),
        (Some("all,-loose-object"), false, true),
    ] {
        let durability = Durability::from_config(value);
        assert_eq!(durability, Durability { objects, refs }, "{value:?}");
    }
}

#[test]
fn many_alike_lines_take_no_longer() {
    let found = places(&vec![""; 100_000], &vec![""; 300_000]);
    assert_eq!(found.len(), 200_001);
}
