//! Pure functions at tables of input.

use git_sq::{
    git::{Durability, places},
    metrics::{Standing, Word, settle},
    question::{Places, parse},
};

/// Upper case agrees; `a` is the answerer's clone.
fn settled(words: &str, confirm: usize) -> (Standing, bool) {
    let words = words.bytes().map(|word| Word {
        agrees: word.is_ascii_uppercase(),
        clone: usize::from(word.to_ascii_lowercase() - b'a'),
    });
    settle(&words.collect::<Vec<_>>(), 0, confirm)
}

#[test]
fn readers_settle_an_answer() {
    for (words, standing, is_flagged) in [
        ("", Standing::Open, false),
        ("B", Standing::Held, false),
        ("A", Standing::Open, false),
        ("AA", Standing::Held, false),
        ("AAb", Standing::Disputed, false),
        ("Bcde", Standing::Wrong, true),
        ("b", Standing::Disputed, false),
        ("bc", Standing::Disputed, false),
        ("bcd", Standing::Wrong, true),
        ("bcD", Standing::Disputed, false),
        ("bCD", Standing::Held, true),
        // Whoever disputes it is no jury.
        ("bbbbb", Standing::Wrong, false),
        ("bbbcd", Standing::Wrong, false),
        ("bcbb", Standing::Wrong, false),
        // Whoever gave it is none either.
        ("bAAAA", Standing::Held, false),
        // Of one clone alone, all are heard.
        ("aaaaa", Standing::Wrong, true),
        ("aAAAA", Standing::Held, true),
        // The answerer's clone may admit it.
        ("baaaa", Standing::Wrong, true),
    ] {
        assert_eq!(settled(words, 2), (standing, is_flagged), "{words}");
    }
    assert_eq!(settled("b", 0), (Standing::Wrong, true));
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
