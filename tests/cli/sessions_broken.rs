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
            ran.stderr
                .contains("hint: it is passed over; delete it, or run `git sq doctor --fix`\n"),
            "{}",
            ran.stderr
        );
    }
    assert_eq!(entries(&world, "rederive")[0]["sid"], "s1");
    assert!(broken.iter().all(|path| path.exists()));
}

#[test]
fn doctor_moves_broken_files_aside() {
    let (world, broken) = beside_broken_ones();
    let said = world.sq(&["doctor"]).stdout;
    for path in &broken {
        let problem = format!("warning: {} does not hold a session", path.display());
        assert!(said.contains(&problem), "{said}");
    }
    let found = world.sq(&["doctor", "--format", "json"]).json();
    let of_sessions = |found: &serde_json::Value| {
        let problems = found["problems"].as_array().unwrap();
        let ours = problems.iter().filter(|p| p["rule"] == "broken-session");
        ours.cloned().collect::<Vec<_>>()
    };
    assert_eq!(of_sessions(&found).len(), 2, "{found}");
    assert_eq!(of_sessions(&found)[0]["command"], "git sq doctor --fix");
    world.sq(&["doctor", "--fix"]);
    let found = world.sq(&["doctor", "--format", "json"]).json();
    assert_eq!(of_sessions(&found).len(), 0, "{found}");
    assert!(broken.iter().all(|path| !path.exists()));
    assert_eq!(current(&world)["sid"], "s1");
    let quiet = world.sq(&["session", "beat"]);
    assert_eq!(quiet.transcript(), "--- exit 0\n");
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
fn undo_names_the_sessions_that_it_forgets() {
    let world = world();
    world.sq(&["init"]).ok();
    let side = world.beside();
    world.sq(&["session", "start", "--sid", "s2"]).ok();
    world
        .sq_in(&side, &["session", "start", "--sid", "s1"])
        .ok();
    let forgets = |verb: &str| {
        format!(
            "state:  {verb} 2 sessions that have not ended: s1, s2; `git sq session sweep --all` before would have given them a row\n"
        )
    };
    let said = world.sq(&["init", "--undo", "--dry-run"]).ok();
    assert!(said.contains(&forgets("would forget")), "{said}");
    assert!(said.ends_with("Nothing was done (--dry-run).\n"), "{said}");
    assert_eq!(current(&world)["sid"], "s2");
    let said = world.sq(&["init", "--undo"]).ok();
    assert!(said.contains(&forgets("forgot")), "{said}");
    let said = world.sq(&["init", "--undo"]).ok();
    assert!(!said.contains("forgot"), "{said}");
}

#[test]
fn a_dry_run_of_undo_says_all_that_undo_would() {
    let world = World::new();
    world.commit("Begin");
    world.git(&["clone", "--quiet", ".", "../clone"]).ok();
    let clone = world.root().join("clone");
    let world = world.at(clone);
    world.sq(&["init"]).ok();
    let before = fs::read_to_string(world.dir.join(".git/config")).unwrap();
    let foretold = world.sq(&["init", "--undo", "--dry-run"]).ok();
    assert_eq!(
        fs::read_to_string(world.dir.join(".git/config")).unwrap(),
        before
    );
    assert!(world.dir.join("context/standing_questions.json").exists());
    assert!(world.dir.join(".git/hooks/pre-push").exists());
    let done = world.sq(&["init", "--undo"]).ok();
    let told = done
        .replace(": took ", ": would take ")
        .replace(":   took ", ":   would take ")
        .replace(": removed ", ": would remove ")
        .replace(":  removed ", ":  would remove ");
    assert_eq!(foretold, told + "Nothing was done (--dry-run).\n");
    assert!(!world.dir.join(".git/hooks/pre-push").exists());
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
            "s1\n--- stderr\nwarning: {} does not hold a session: it is not a regular file\nhint: it is passed over; delete it, or run `git sq doctor --fix`\n--- exit 0\n",
            pipe.display()
        )
    );
    world.sq(&["doctor", "--fix"]);
    assert!(!pipe.exists());
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

#[test]
fn doctor_names_a_grace_time_that_is_none() {
    let world = world();
    world.git(&["config", "sq.grace", "soon"]).ok();
    let said = world.sq(&["doctor"]).stdout;
    let problem = "warning: sq.grace is \"soon\", which is not a length of time: no session can be started or swept up\n";
    assert!(said.contains(problem), "{said}");
    let found = world.sq(&["doctor", "--format", "json"]).json();
    let mut problems = found["problems"].as_array().unwrap().iter();
    let problem = problems.find(|p| p["rule"] == "bad-grace").unwrap();
    assert_eq!(problem["command"], "git config sq.grace 2h");
    assert_eq!(problem["why"], "no session can be started or swept up");
}
