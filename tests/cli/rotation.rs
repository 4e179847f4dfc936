//! What the brief asks for, session after session, and that whoever answers exactly that hears nothing from the gate.

use std::collections::{BTreeMap, BTreeSet};

use git_sq_test_support::{World, each};
use serde_json::{Value, json};

const WATCHED: [&str; 6] = ["q2", "q3", "q4", "q5", "q6", "q8"];

/// q1 says nothing of what it depends on, q7 has a probe, q8 is asked on change, and the others watch a file each.
fn world() -> World {
    let world = World::new();
    let mut questions = vec![
        json!({"id": "q1", "q": "How many commits?", "importance": 2}),
        json!({"id": "q7", "q": "TODOs?", "importance": 1, "probe": {"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}}}),
    ];
    for (number, id) in (0..).zip(WATCHED) {
        let mut question = json!({"id": id, "q": "?", "importance": 1 + number % 3,
            "watch": [format!("src/{id}")]});
        match id {
            "q3" => question["shape"] = json!({"enum": ["even", "odd"]}),
            "q4" => question["max_staleness"] = json!(3),
            "q8" => question["trigger"] = json!("on-change"),
            _ => {}
        }
        questions.push(question);
        world.write(&format!("src/{id}"), "even\n");
    }
    let questions: Vec<String> = questions.iter().map(Value::to_string).collect();
    world.ask_json(&questions.join(","));
    world
}

/// The questions that the brief asks for, and those that it says were answered in this session.
fn brief(world: &World) -> (BTreeSet<String>, BTreeSet<String>) {
    let brief = world.json("brief");
    let names = |is_it: &dyn Fn(&Value) -> bool| {
        each(&brief["questions"])
            .filter(|row| row["probed"] == false && is_it(row))
            .map(|row| row["q_id"].as_str().unwrap().to_owned())
            .collect()
    };
    let due = names(&|row| row["is_due"] == true);
    (due, names(&|row| row["is_answered"] == true))
}

/// Answers these questions from the files as they are now, and gives what is left to answer after that.
fn answer(
    world: &World,
    asked: &BTreeSet<String>,
    last: &mut BTreeMap<String, String>,
) -> BTreeSet<String> {
    let mut line = "record".to_owned();
    for id in asked {
        let text = match &**id {
            "q1" => world.git_ok("rev-list --count HEAD").trim().to_owned(),
            _ => std::fs::read_to_string(world.dir.join("src").join(id)).unwrap(),
        };
        let text = text.trim().to_owned();
        line += &match last.get(id) {
            _ if id == "q3" => format!(" {id}={text}"),
            Some(last) if *last != text => format!(" --delta {id}={text}"),
            _ => format!(" --same {id}={text}"),
        };
        if id != "q1" {
            line += &format!(" --cite {id}=src/{id}:1");
        }
        last.insert(id.clone(), text);
    }
    let said = world.sq_ok(&line);
    let left = said.lines().find_map(|line| line.strip_prefix("Still to answer in this session: "));
    left.map(|left| left.trim_end_matches('.').split(", ").map(str::to_owned))
        .map(Iterator::collect)
        .unwrap_or_default()
}

#[test]
fn whoever_answers_exactly_what_the_brief_asks_hears_nothing_from_the_gate() {
    let world = world();
    let none = BTreeSet::new();
    let nothing: [String; 0] = [];
    let mut last = BTreeMap::new();
    let mut asked_in_all = 0;
    for session in 0..12 {
        let change = |number: usize| {
            let id = WATCHED[number % WATCHED.len()];
            let text = ["even\n", "odd\n"][number / WATCHED.len() % 2];
            world.write(&format!("src/{id}"), text);
            world.commit(&format!("change {id}"));
        };
        // Every third session begins where nothing changed.
        if session % 3 > 0 {
            change(session * 5);
        }
        world.sq_ok("session start");
        let (mut asked, answered) = brief(&world);
        assert_eq!(answered, none);
        assert!(asked.contains("q1"), "{session}: {asked:?}");
        asked_in_all += asked.len();
        if session % 5 == 4 {
            change(session * 7);
        }
        let left = answer(&world, &asked, &mut last);
        if session % 5 == 4 {
            answer(&world, &left, &mut last);
            asked.extend(left);
        } else {
            assert_eq!(left, none, "{session}");
        }
        // After a resume or a compaction.
        assert_eq!(brief(&world), (none.clone(), asked), "{session}");
        assert_eq!(world.found("rule"), nothing, "{session}");
        if session % 2 == 1 {
            change(session * 11);
            let rest = world.found("rule").into_iter().filter(|rule| rule != "outdated");
            assert_eq!(rest.count(), 0, "{session}");
        }
        world.sq_ok("session end");
    }
    // All seven in the first session, and of these about half later on.
    assert!((25..50).contains(&asked_in_all), "{asked_in_all}");
    let all = world.json("brief --all");
    let all = all["questions"].as_array().unwrap();
    assert!(all.iter().all(|question| question["is_due"] == true));
}

#[test]
fn a_brief_says_what_it_did_not_ask_and_how_an_answer_is_given() {
    let world = world();
    let (asked, _) = brief(&world);
    answer(&world, &asked, &mut BTreeMap::new());
    let again = world.sq_ok("brief --format markdown");
    assert_has!(again, "already answered in this session: q4, q8, q1, q3, q6, q2, q5\n");
    assert_has!(again, "No questions to answer.");
    world.sq_ok("session end");
    let brief = world.sq_ok("brief --format markdown");
    for part in [
        "q3    ?\n      answer: one of: even, odd; watches src/q3\n",
        "q4    ?\n      cite the lines that show it; watches src/q4\n",
        "## Not due in this session\n\n```text\n3 more are due within 2 sessions: q6, q2, q5\nq8\n```\n",
        "To an answer in words (q4, q1), add --same q4 if it is the last one again, or --delta 'q4=what changed'.",
    ] {
        assert_has!(brief, part);
    }
}

#[test]
fn a_session_that_is_asked_nothing_owes_nothing() {
    let world = World::new();
    world.write("src/a", "1\n");
    world.ask_json(
        r#"{"id": "q1", "q": "?", "importance": 3, "watch": ["src/"], "trigger": "on-change"}"#,
    );
    world.sq_ok("record q1=1 --cite q1=src/a:1");
    world.sq_ok("session end");
    for session in 1..4 {
        world.sq_ok("session start");
        assert_has!(world.sq_ok("brief"), "No questions to answer.");
        world.change("docs/a", session.to_string());
        world.sq_ok("session end");
        assert_eq!(world.found("rule"), [""; 0]);
    }
}

#[test]
fn two_branches_keep_every_question_fresh_after_a_merge() {
    let world = world();
    let mut last = BTreeMap::new();
    answer(&world, &brief(&world).0, &mut last);
    world.sq_ok("session end");
    for branch in ["one", "two"] {
        world.git_ok(&format!("switch --quiet -c {branch} main"));
        for session in 0..3 {
            world.change(branch, session.to_string());
            answer(&world, &brief(&world).0, &mut last);
            world.sq_ok("session end");
        }
    }
    world.git_ok("merge --quiet -m merge one");
    assert_eq!(world.found("rule"), [""; 0]);
}
