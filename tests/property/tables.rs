//! Pure functions at tables of input.

use git_sq::{
    git::{Durability, places},
    metrics::{Outcome, Word, settle},
    question::{Places, parse},
};

/// Upper case agrees; `a` is the answerer's clone.
fn settled(words: &str, confirm: usize) -> (Outcome, bool) {
    let words = words.bytes().map(|word| Word {
        agrees: word.is_ascii_uppercase(),
        clone: usize::from(word.to_ascii_lowercase() - b'a'),
    });
    settle(&words.collect::<Vec<_>>(), 0, confirm)
}

#[test]
fn readers_settle_an_answer() {
    for (words, standing, is_flagged) in [
        ("", Outcome::Open, false),
        ("B", Outcome::Held, false),
        ("A", Outcome::Open, false),
        ("AA", Outcome::Held, false),
        ("AAb", Outcome::Disputed, false),
        ("Bcde", Outcome::Wrong, true),
        ("b", Outcome::Disputed, false),
        ("bc", Outcome::Disputed, false),
        ("bcd", Outcome::Wrong, true),
        ("bcD", Outcome::Disputed, false),
        ("bCD", Outcome::Held, true),
        // Whoever disputes it is no jury.
        ("bbbbb", Outcome::Wrong, false),
        ("bbbcd", Outcome::Wrong, false),
        ("bcbb", Outcome::Wrong, false),
        // Whoever gave it is none either.
        ("bAAAA", Outcome::Held, false),
        // Of one clone alone, all are heard.
        ("aaaaa", Outcome::Wrong, true),
        ("aAAAA", Outcome::Held, true),
        // The answerer's clone may admit it.
        ("baaaa", Outcome::Wrong, true),
    ] {
        assert_eq!(settled(words, 2), (standing, is_flagged), "{words}");
    }
    assert_eq!(settled("b", 0), (Outcome::Wrong, true));
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
