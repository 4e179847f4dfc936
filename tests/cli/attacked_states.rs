//! What an attacker found about states and the lines that sessions are made of.

use std::{process::Stdio, thread};

use git_sq_test_support::World;

fn asked() -> World {
    let world = World::new();
    world.ask(&["q1"]);
    world
}

fn row(world: &World) -> serde_json::Value {
    let rows = world.sq(&["state", "show", "--format", "json"]).json();
    rows["rows"][0].clone()
}

#[test]
fn states_that_are_set_at_once_keep_every_field() {
    let world = asked();
    for round in 0..3 {
        let sid = format!("s{round}");
        let fields = ["--status", "--handover", "--next", "--blocked"];
        let running: Vec<_> = fields
            .iter()
            .map(|field| {
                let args = ["state", "set", "--sid", &sid, field, "said"];
                let mut command = world.sq_command(&args);
                let child = command.stdout(Stdio::null()).stderr(Stdio::null());
                child.spawn().unwrap()
            })
            .collect();
        let ended = running
            .into_iter()
            .map(|mut child| thread::spawn(move || child.wait().unwrap().success()));
        let ended: Vec<_> = ended.collect();
        assert!(ended.into_iter().all(|child| child.join().unwrap()));
        let row = row(&world);
        assert_eq!((&row["sid"], &row["status"]), (&sid.into(), &"said".into()));
        assert_eq!(row["handover"], "said", "{row}");
        assert_eq!(
            (row["next"].to_string(), row["blocked"].to_string()),
            ("[\"said\"]".into(), "[\"said\"]".into())
        );
    }
}

#[test]
fn what_is_said_last_counts_though_the_clock_went_back() {
    let world = asked();
    world
        .sq(&["state", "set", "--sid", "s1", "--status", "first"])
        .ok();
    world.pass(-7200);
    world
        .sq(&["state", "set", "--sid", "s1", "--status", "second"])
        .ok();
    assert_eq!(row(&world)["status"], "second");
}

#[test]
fn a_row_that_says_nothing_pushes_no_handover_out() {
    let world = asked();
    world
        .sq(&["state", "set", "--sid", "s1", "--handover", "do not deploy"])
        .ok();
    for sid in ["s2", "s3"] {
        world
            .sq(&["state", "set", "--sid", sid, "--status", ""])
            .ok();
    }
    assert_eq!(row(&world)["handover"], "do not deploy");
    assert!(world.sq(&["brief"]).ok().contains("do not deploy"));
}

#[test]
fn a_handover_of_any_script_is_shown_whole_in_the_brief() {
    let world = World::new();
    let questions: Vec<String> = (1..=15)
        .map(|n| {
            let text = "why ".repeat(100);
            format!("{{\"id\":\"q{n}\",\"q\":\"{text}\",\"importance\":2}}")
        })
        .collect();
    let store = format!(
        "{{\"_schema\":\"standing_questions/v1\",\"questions\":[{}]}}",
        questions.join(",")
    );
    world.write("standing_questions.json", store);
    world.commit("Ask");
    let handover = "நி".repeat(495) + "LAST!";
    world.sq(&["state", "set", "--handover", &handover]).ok();
    let brief = world.sq(&["brief"]).ok();
    assert!(brief.contains(&handover), "{brief}");
    assert!(brief.chars().count() < 8000);
}

#[test]
fn lines_about_sessions_that_can_t_be_read_are_unknown() {
    let world = asked();
    world.record("s1").ok();
    assert_eq!(world.check(&[]).1, 0);
    let note = world.note(&world.head());
    let line = |kind: &str, ts: &str, more: &str| {
        format!(
            "{{\"ts\":\"{ts}\",\"kind\":\"{kind}\",\"id\":\"01\",\"sid\":\"s\",\"repo_head_sha\":\"x\",\"v\":1{more}}}\n"
        )
    };
    let now = "2026-01-01T00:00:00.000Z";
    for bad in [
        line(
            "tension.open",
            now,
            ",\"topic\":\"t\",\"type\":\"gap\",\"source\":\"s\",\"curiosity\":\"0.5\",\"intrusiveness\":0.1",
        ),
        line("state", now, ",\"status\":5"),
        line("state", "yesterday", ""),
        line("session", now, ""),
    ] {
        let text = [note.clone(), bad.clone().into_bytes()].concat();
        world.plant(&[(&world.head(), &text)]);
        let (report, code) = world.check(&["--no-cache"]);
        assert_eq!(code, 3, "{bad}{report}");
    }
}

#[test]
fn settings_of_diff_do_not_change_what_became_of_a_citation() {
    let world = asked();
    let lines = |changed: &[usize]| -> String {
        let line = |n: usize| {
            if changed.contains(&n) {
                format!("other {n}\n")
            } else {
                format!("{n}\n")
            }
        };
        (1..=40).map(line).collect()
    };
    world.write("f.txt", lines(&[]));
    world.commit("One");
    world
        .sq(&[
            "state",
            "set",
            "--sid",
            "s1",
            "--done",
            "it works, see f.txt:20-22",
        ])
        .ok();
    world.write("f.txt", lines(&[18, 24]));
    world.commit("Two");
    let fate = |world: &World| {
        world
            .sq(&["state", "show"])
            .ok()
            .contains("f.txt:20-22 holds")
    };
    assert!(fate(&world));
    world.git(&["config", "diff.interHunkContext", "9"]).ok();
    assert!(fate(&world));
    let world = world.env("GIT_DIFF_OPTS", "-u9");
    assert!(fate(&world));
}
