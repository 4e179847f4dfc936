//! Answers of more than 1,000 bytes, of which a line keeps a digest and the beginning.

use git_sq_test_support::{Ran, World};
use serde_json::{Value, json};

#[cfg(unix)]
use crate::commands::approve;

/// A file that q1 watches, with these lines, and more keys of q1.
fn asking(lines: &[String], keys: &str) -> World {
    let world = World::new();
    world.write("src/a.rs", lines.join(" ") + "\n");
    let q1 = r#"{"id":"q1","q":"Which?","importance":2,"watch":["src/"],"severity":"blocking""#;
    world.ask_json(&format!("{q1}{keys}}}"));
    world
}

fn words(first: &str) -> Vec<String> {
    let words = (1..=90).map(|number| format!("licence-{number:02} MIT"));
    [first.to_owned()].into_iter().chain(words).collect()
}

fn answer(world: &World) -> Value {
    world.newest()["results"][0]["answer"].take()
}

fn record(world: &World, sid: &str, given: &str) -> Ran {
    let given = format!("q1={given}");
    world.sq(&["record", "--sid", sid, &given, "--cite", "q1=src/a.rs:1"])
}

#[test]
fn an_expectation_is_held_against_the_beginning() {
    for (shape, pattern, expected) in [
        ("text", "^MIT licence-01", "holds"),
        ("text", "MIT$", "fails"),
        ("list", r#"^\["MIT","licence-01"#, "holds"),
        ("list", "GPL", "fails"),
    ] {
        let (lines, pattern) = (words("MIT"), Value::from(pattern));
        let keys = format!(r#","shape":"{shape}","lines":"MIT","expect":{{"pattern":{pattern}}}"#);
        let world = asking(&lines, &keys);
        record(&world, "s1", &lines.join(if shape == "list" { ", " } else { " " })).ok();
        assert_eq!(world.standing("q1"), expected, "{shape} {pattern}");
    }
    let lines = words("MIT");
    let all = Value::from(lines.join(" "));
    let world = asking(&lines, &format!(r#","expect":{all}"#));
    record(&world, "s1", &lines.join(" ")).ok();
    assert_eq!(world.standing("q1"), "holds");
}

#[test]
fn the_beginning_is_kept_and_the_whole_is_compared() {
    let text = words("MIT").join(" ");
    let world = asking(&words("MIT"), r#","shape":"text","lines":"MIT""#);
    let said = record(&world, "s1", &format!("{text} é")).ok();
    assert_has!(said, "first q1: MIT licence-01 MIT licence-02");
    let kept = answer(&world);
    assert_eq!((&kept["bytes"], &kept["begins"]), (&json!(1358), &json!(text[..1000])));
    assert_has!(record(&world, "s2", &format!("{text} é")).ok(), "same  q1: MIT licence-01");
    world.change("src/a.rs", format!("{text} e\n"));
    let said = record(&world, "s3", &format!("{text} e")).ok();
    assert_has!(said, "DELTA q1: was MIT licence-01");
    assert!(!(said + &world.sq_ok("log")).contains("sha256"));
}

/// What older versions wrote.
#[test]
fn a_digest_alone_is_judged_as_ever() {
    let lines = words("MIT");
    let world = asking(&lines, r#","shape":"text","lines":"MIT","expect":{"pattern":"^MIT"}"#);
    record(&world, "s1", &lines.join(" ")).ok();
    let mut line = world.newest();
    let answer = &mut line["results"][0]["answer"];
    *answer = json!({"sha256": answer["sha256"]});
    world.plant(&[(&world.head(), line.to_string().as_bytes())]);
    assert_eq!(world.standing("q1"), "fails");
    assert_has!(record(&world, "s2", &lines.join(" ")).ok(), "same  q1: MIT");
    assert_eq!(world.standing("q1"), "holds");
}

#[test]
fn a_long_answer_that_is_not_shown_is_doubted() {
    for (shape, between) in [("text", " "), ("list", ", ")] {
        let world = asking(&words("MIT"), &format!(r#","shape":"{shape}","lines":"MIT""#));
        record(&world, "s1", &words("MIT").join(between)).ok();
        world.change("src/a.rs", words("MIT").join(" ") + " licence-91 MIT\n");
        let said = record(&world, "s2", &words("Invented").join(between)).stderr;
        assert_has!(said, "\" is not in src/a.rs:1\n");
    }
}

#[test]
fn many_long_answers_fit_in_one_line() {
    let world = World::new();
    for number in 0..100 {
        world.write(&format!("src/file-{number:03}"), "");
    }
    let asked = (1..=60).map(|number| {
        format!(r#"{{"id":"q{number}","q":"?","importance":2,"probe":{{"files":{{"paths":["src/"]}}}}}}"#)
    });
    world.ask_json(&asked.collect::<Vec<_>>().join(","));
    world.sq_ok("record --sid s1");
    assert_eq!(answer(&world)["begins"].as_array().unwrap().len(), 18);
    assert_has!(world.sq_ok("verify --answers"), "verified 60 recorded answers: all stand");
}

#[cfg(unix)]
#[test]
fn a_command_that_prints_much_fails_as_one_that_prints_little() {
    let world = World::new();
    let problems =
        |number: usize| (0..number).map(|one| format!("problem {one}\n")).collect::<String>();
    world.write("src/report", "no problems\n");
    let probe = json!({"run": ["sh", "-c", "cat src/rep*"], "take": "stdout"});
    world.ask_json(&json!({"id": "q1", "q": "?", "importance": 3, "watch": ["src/"], "probe": probe, "expect": {"pattern": "^no problems"}}).to_string());
    approve(&world);
    for (sid, text, expected) in [
        ("s1", "no problems\n".to_owned(), "holds"),
        ("s2", problems(5), "fails"),
        ("s3", problems(200), "fails"),
        ("s4", "no problems\n".to_owned() + &problems(200), "holds"),
    ] {
        world.change("src/report", format!("{text}{sid}\n"));
        world.sq_ok(&format!("record --sid {sid}"));
        assert_eq!(world.standing("q1"), expected, "{sid}");
    }
    assert_has!(world.sq_ok("verify --answers --run"), "all stand");
    // A beginning that is not that of the whole is no answer of the command.
    let mut line = world.newest();
    line["results"][0]["answer"]["begins"] = "problems".into();
    world.plant(&[(&world.head(), line.to_string().as_bytes())]);
    assert_has!(world.try_sq("verify --answers --run").transcript(), "it recorded problems… (");
}
