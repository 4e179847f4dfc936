//! Files of sessions that hold none, names of agents that are none, and sessions that undo forgets.

use std::{fs, path::PathBuf};

use git_sq_test_support::{Ran, World};

use crate::sessions::{current, entries, files, world};

/// A session, a broken file beside its own, and a folder of such a name.
fn beside_broken_ones() -> (World, [PathBuf; 2]) {
    let world = World::new();
    world.ask(&["q1"]);
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    let folder = world.dir.join(".git/sq/sessions");
    let broken = [folder.join("aaaa.jsonl"), folder.join("bbbb.jsonl")];
    fs::write(&broken[0], "\u{1b}[2J garbage\n").unwrap();
    fs::create_dir(&broken[1]).unwrap();
    (world, broken)
}

#[test]
fn a_broken_file_stops_nobody() {
    let (world, broken) = beside_broken_ones();
    for args in [
        &["session", "current"][..],
        &["session", "beat"],
        &["record", "--same", "q1=x"],
        &["state", "set", "--next", "x"],
        &[
            "tension",
            "open",
            "Why does it do so?",
            "--type",
            "unknown",
            "--source",
            "a test",
            "--curiosity",
            "0.5",
            "--intrusiveness",
            "0.5",
        ],
        &["session", "start", "--sid", "s2"],
        &["session", "end"],
        &["session", "end"],
        &["session", "sweep"],
    ] {
        let ran = world.sq(args);
        assert_eq!(ran.code, 0, "{args:?} {}", ran.transcript());
        for path in &broken {
            let warning = format!("warning: {} does not hold a session: ", path.display());
            let times = ran.stderr.matches(&warning).count();
            assert_eq!(times, 1, "{args:?} {}", ran.stderr);
        }
        assert!(
            ran.stderr.contains("hint: it is passed over; delete it\n"),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(entries(&world, "rederive")[0]["sid"], "s1");
    assert!(broken.iter().all(|path| path.exists()));
}

#[test]
fn a_start_takes_the_place_of_its_own_broken_file() {
    for is_folder in [false, true] {
        let world = world();
        world.sq(&["session", "start", "--sid", "s1"]).ok();
        let file = files(&world.dir.join(".git/sq/sessions")).remove(0);
        fs::remove_file(&file).unwrap();
        if is_folder {
            fs::create_dir(&file).unwrap();
            fs::write(file.join("x"), "x").unwrap();
        } else {
            fs::write(&file, "").unwrap();
        }
        assert_eq!(world.sq(&["session", "current"]).code, 1);
        let ran = world.sq(&["session", "start", "--sid", "s1"]);
        assert!(
            ran.stdout.starts_with("Session s1 began"),
            "{}",
            ran.transcript()
        );
        assert_eq!(current(&world)["sid"], "s1");
        let quiet = world.sq(&["session", "beat"]);
        assert_eq!(quiet.transcript(), "--- exit 0\n");
    }
}

#[test]
fn a_name_of_an_agent_is_one() {
    let world = world();
    let long = "ä".repeat(129);
    let why = [
        ("", "is empty, and a name is not"),
        (" \t", "is empty, and a name is not"),
        ("a\tb", "has a control character, and a name has none"),
        (
            "a\u{1b}[31mb",
            "has a control character, and a name has none",
        ),
        (&long, "has 129 characters, and a name has at most 128"),
    ];
    for (name, why) in why {
        let ran = world.sq(&["state", "set", "--next", "x", "--agent", name]);
        assert_eq!(
            ran.transcript(),
            format!(
                "--- stderr\nfatal: --agent {why}\nhint: nothing was written; a name is 1 to 128 characters, and may have blanks\n--- exit 128\n"
            )
        );
    }
    let with = |variable: &str, value: &str, args: &[&str]| -> Ran {
        let mut command = world.sq_command(args);
        command.env(variable, value).output().unwrap().into()
    };
    for variable in ["SQ_AGENT", "SQ_MODEL", "SQ_HARNESS"] {
        for (name, why) in &why[2..] {
            for args in [
                &["state", "set", "--next", "x"][..],
                &["session", "start"],
                &["state", "show"],
            ] {
                let ran = with(variable, name, args);
                if args[1] == "show" && variable != "SQ_AGENT" {
                    assert_eq!(ran.code, 0, "{}", ran.transcript());
                    continue;
                }
                assert_eq!(
                    ran.transcript(),
                    format!(
                        "--- stderr\nfatal: {variable} {why}\nhint: unset it, or set it to a name of 1 to 128 characters; blanks are allowed\n--- exit 128\n"
                    )
                );
            }
        }
        // Empty is as good as not set.
        with(variable, "", &["state", "set", "--next", "x"]).ok();
        // What has nothing to do with names goes on.
        with(variable, "a\tb", &["state", "alerts"]).ok();
    }
    assert_eq!(world.sq(&["session", "current"]).code, 1);
    let longest = "ä".repeat(128);
    for name in ["Ada of the night shift", &longest] {
        world
            .sq(&["state", "set", "--next", "x", "--agent", name])
            .ok();
        with("SQ_AGENT", name, &["state", "set", "--next", "x"]).ok();
    }
    let states = entries(&world, "state");
    let named = states
        .iter()
        .filter(|state| state["agent"]["name"] == longest);
    assert_eq!(named.count(), 2);
}

#[cfg(unix)]
#[test]
fn a_pipe_keeps_nobody_waiting() {
    let world = world();
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    let pipe = world.dir.join(".git/sq/sessions/aaaa.jsonl");
    let made = world.command("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let ran = world.sq(&["session", "current"]);
    assert_eq!(
        ran.transcript(),
        format!(
            "s1\n--- stderr\nwarning: {} does not hold a session: it is not a regular file\nhint: it is passed over; delete it\n--- exit 0\n",
            pipe.display()
        )
    );
}

#[test]
fn a_number_that_has_no_next_one_is_no_trouble() {
    let world = world();
    world.sq(&["session", "start", "--sid", "s1"]).ok();
    let file = files(&world.dir.join(".git/sq/sessions")).remove(0);
    let text = fs::read_to_string(&file).unwrap();
    let greatest = format!("\"current\":{}", u64::MAX);
    fs::write(&file, text.replace("\"current\":1", &greatest)).unwrap();
    for sid in ["s2", "s1"] {
        let ran = world.sq(&["session", "start", "--sid", sid]);
        assert_eq!(ran.code, 0, "{}", ran.transcript());
    }
    // What began last comes last.
    assert_eq!(current(&world)["sid"], "s2");
}

#[test]
fn a_name_of_a_session_has_as_many_characters_as_it_says() {
    let world = world();
    let longest = "ä".repeat(128);
    world.sq(&["session", "start", "--sid", &longest]).ok();
    assert_eq!(current(&world)["sid"], longest);
    let ran = world.sq(&["session", "start", "--sid", &(longest + "ä")]);
    assert_eq!(ran.code, 128);
    assert!(
        ran.stderr
            .ends_with("hint: nothing was written; use 1 to 128 characters without blanks\n"),
        "{}",
        ran.stderr
    );
}
