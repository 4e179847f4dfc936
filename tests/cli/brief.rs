//! `git sq brief`: its order, its limit, and whatever others may have written into it.

use git_sq_test_support::{World, each, event_line};
use serde_json::{Value, json};

use crate::states::{set, world};

/// The brief as text and as markdown; both are under the limit and end with what to do.
fn briefs(world: &World) -> [String; 2] {
    ["text", "markdown"].map(|format| {
        let brief = world.sq_ok(&format!("brief --format {format}"));
        let length = brief.len();
        assert!(length < 8000, "{length}\n{brief}");
        assert_has!(brief, "Tell the user what changed", "Before you stop: git sq");
        brief
    })
}

/// The lines of markdown that no fence holds.
fn outside_fences(markdown: &str) -> Vec<&str> {
    let mut fence = None;
    let mut outside = Vec::new();
    for line in markdown.lines() {
        match fence {
            Some(ticks) if line == ticks => fence = None,
            Some(_) => {}
            None if line.starts_with("```") => fence = line.strip_suffix("text"),
            None => outside.push(line),
        }
    }
    assert_eq!(fence, None, "{markdown}");
    outside
}

/// A store whose questions have these importances and a text of this kind.
fn ask(world: &World, importances: &[u8], text: &str) {
    let questions = (1..).zip(importances).map(|(n, importance)| {
        json!({"id": format!("q{n}"), "q": format!("Question {n}? {text}"), "importance": importance,
            "evidence_hint": text})
    });
    let store =
        json!({"_schema": "standing_questions/v1", "questions": questions.collect::<Vec<_>>()});
    world.change("standing_questions.json", store.to_string());
}

#[test]
fn a_brief_has_a_limit_and_says_what_it_left_out() {
    let world = World::new();
    let importances: Vec<u8> = (1..=15).map(|n| 1 + n % 3).collect();
    ask(&world, &importances, &"and so on ".repeat(30));
    let note = "n".repeat(900);
    for (sid, option) in [("s1", "--same"), ("s2", "--delta")] {
        let answer = format!("q1={note}");
        world.sq_ok(&format!("record --sid {sid} {option} '{answer}'"));
        let (status, end) = ("s".repeat(280), "h".repeat(490));
        let mut fields = format!("--sid {sid} --status {status} --handover '{sid}: {end}'");
        for name in ["done", "doing", "blocked", "next"] {
            fields += &format!(" --{name} '{sid} {name} {}'", "word ".repeat(26)).repeat(5);
        }
        set(&world, &fields).ok();
    }
    for n in 0..40 {
        world.write(&format!("a/rather/long/path/to/a/file/{n}"), "x");
    }
    world.commit("Many files");
    for [brief, end] in briefs(&world).map(|brief| [brief, "h".repeat(490)]) {
        let place = |text: &str| brief.find(text).unwrap_or_else(|| panic!("{text}\n{brief}"));
        // The last row's handover whole, what changed, then all that is due every session, come before all else.
        let places = [2, 5, 8, 11, 14].map(|n| place(&format!("Question {n}?")));
        assert!(places.is_sorted() && places[0] > place("What changed\n"));
        let handover = place(&format!("s2: {end}"));
        let others = place("Question 4?");
        assert!(handover < place("What changed\n") && places[4] < others, "{brief}");
        for title in ["Deltas of the last", "the session before stopped"] {
            assert!(others < place(title), "{title}\n{brief}");
        }
        for command in ["git sq state show", "git sq question list", "git diff --stat "] {
            place(&format!(" left out, see: {command}"));
        }
    }
    let whole = world.json("brief");
    assert_eq!(whole["questions"].as_array().unwrap().len(), 15);
    assert_eq!(whole["states"].as_array().unwrap().len(), 2);
}

#[test]
fn planted_text_pushes_no_question_out_and_breaks_no_fence() {
    // 14 KB that a terminal would obey, and that a short fence could not hold.
    let huge = ("`".repeat(100) + "\u{1b}[2J long ").repeat(120);
    let world = World::new();
    ask(&world, &[3, 3, 2, 1], &huge);
    world.change(&format!("{}/x", "`".repeat(200)), "x");
    let head = world.head();
    let line = |kind: &str, id: &str, body: Value| event_line(&head, kind, id, &body);
    let topic = json!({"topic": huge, "type": "gap", "source": huge, "curiosity": 0.9,
        "intrusiveness": 0.9, "ttl": huge});
    let end = json!({"event": "end", "how": "sweep", "started": "2026-01-01T00:00:00.000Z",
        "branch": huge});
    let delta =
        json!({"results": [{"q_id": "q1", "last_rederived_ts": "x", "delta": true, "note": huge}]});
    let others = [
        line("rederive", "1", delta),
        line("session", "2", end),
        line("tension.open", "3", topic.clone()),
        line("tension.open", &huge, topic),
    ];
    for body in [
        json!({"status": huge}),
        json!({"handover": huge}),
        json!({"status": "s", "sid": huge}),
        json!({"status": "s", "agent": {"name": huge}}),
        json!({"status": "s", "head": {"branch": huge}}),
        json!({"next": vec![&huge[..50]; 1000]}),
        json!({"done": ["x"], "cites": [{"item": 1, "cite": {"entry": huge}}]}),
    ] {
        let note = others.concat() + &line("state", "4", body);
        world.plant(&[(&head, note.as_bytes())]);
        let [text, markdown] = briefs(&world);
        for brief in [&text, &markdown] {
            for n in 1..=4 {
                assert_has!(brief, format!("Question {n}?"));
            }
            for title in ["last session stopped", "Top tensions", "Deltas of"] {
                assert!(brief.contains(title), "{title}\n{brief}");
            }
        }
        let steers = |c: char| c.is_control() && c != '\n';
        assert!(!text.contains(steers) && !markdown.contains(steers));
        for line in outside_fences(&markdown) {
            assert!(!line.contains("long") && !line.contains('`'), "{line}");
        }
    }
    for args in [&["tension", "list"][..], &["tension", "next"], &["check"]] {
        let text = world.sq(args).stdout;
        let is_short = |line: &str| line.chars().count() < 2000;
        assert!(text.lines().all(is_short), "{text}");
    }
}

#[test]
fn the_brief_shows_this_agent_s_rows_and_never_swept_ones() {
    let world = world();
    for (agent, sid) in [("ada", "s1"), ("bob", "s2"), ("ada", "s3"), ("ada", "s4")] {
        set(&world, &format!("--sid {sid} --agent {agent} --handover x")).ok();
    }
    world.sq_ok("session start --sid s5");
    world.sq_ok("session start --sid s6");
    let brief = |agent: Option<&str>| {
        let env: Vec<_> = agent.map(|agent| ("SQ_AGENT", agent)).into_iter().collect();
        let brief = world.sq_env("brief --format json", &env).json();
        each(&brief["states"])
            .map(|row| row["sid"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(brief(Some("ada")), "s4 s3");
    assert_eq!(brief(Some("bob")), "s2");
    assert_eq!(brief(Some("eve")), "");
    assert_eq!(brief(None), "s4 s3");
}

#[test]
fn a_handover_of_any_script_is_shown_whole_in_the_brief() {
    let world = World::new();
    ask(&world, &[2; 15], &"why ".repeat(50));
    let handover = "நி".repeat(495) + "LAST!";
    world.sq_ok(&format!("state set --handover '{handover}'"));
    assert_has!(world.sq_ok("brief"), handover);
}

#[test]
fn a_question_is_stale_beyond_its_limit() {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    for sid in ["s1", "s2", "s3", "s4"] {
        world.record(sid);
    }
    let standing = || {
        let brief = world.json("brief");
        let mut rows = each(&brief["questions"]);
        let row = rows.find(|row| row["q_id"] == "q2").unwrap();
        row["standing"].as_str().unwrap().to_owned()
    };
    world.record("s5");
    assert_eq!(standing(), "fresh");
    assert!(world.sq_ok("brief").contains("[5 sessions ago]"));
    world.record("s6");
    assert_eq!(standing(), "stale");
    assert!(world.sq_ok("brief").contains("[6 sessions ago, stale]"));
    assert!(world.sq_ok("status").contains("stale: q2\n"));
    world.sq_ok("question reword q2 'And now?'");
    world.commit("Ask in other words");
    world.sq_ok("record --sid s7 --same q2=c");
    for number in 8..14 {
        world.record(&format!("s{number}"));
    }
    assert_has!(world.try_sq("check").stdout, "\nnot clean: q2@2 stale; ");
}

#[test]
fn facts_that_take_long_are_left_to_git_sq_check() {
    let world = World::new();
    for file in 0..8 {
        let words = "words of no account\n".repeat(20_000);
        world.write(&format!("src/{file}"), words);
    }
    let questions = (0..400).map(|number| {
        format!(r#"{{"id":"q{number}","q":"?","importance":2,"probe":{{"grep":{{"pattern":"[a-z]+ {number}$","paths":["src/"],"take":"count"}}}}}}"#)
    });
    let questions: Vec<String> = questions.collect();
    let questions = questions.join(",");
    world.change(
        "standing_questions.json",
        format!(r#"{{"_schema":"standing_questions/v2","questions":[{questions}]}}"#),
    );
    let brief = world.json("brief");
    let left = each(&brief["questions"])
        .filter(|row| {
            let news = row["news"].as_str();
            news.is_some_and(|news| news.starts_with("it could not be derived so far"))
                && row["standing"].is_null()
        })
        .count();
    assert!((1..400).contains(&left), "{left}");
}
