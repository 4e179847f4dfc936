//! `git sq check`: figures, findings and exit codes as users meet them.

use git_sq_test_support::{World, store};

/// A session a commit: an answer to q1, with or without a delta.
fn session(world: &World, sid: &str, delta: bool) {
    world.commit(sid);
    let answer = if delta { "--delta q1=changed" } else { "--same 'q1=the same'" };
    world.sq_ok(&format!("record --sid {sid} {answer}"));
}

/// Only an answer counts as asked.
#[test]
fn a_remote_that_was_never_asked_makes_it_unknown() {
    let world = World::asked();
    world.git_ok("clone --quiet --bare . ../up.git");
    world.git_ok("remote add origin ../away.git");
    let (check, code) = world.check(&[]);
    assert_eq!(code, 3, "{check}");
    assert_has!(check["unknown"][0].as_str().unwrap(), "git sq init");
    let said = world.sq_ok("init");
    assert_has!(said, "could not be reached", "`git sq sync origin` fetches its log later");
    session(&world, "s1", false);
    world.try_git("fetch --quiet");
    assert_eq!(world.check(&[]).1, 3, "a fetch that failed");
    std::fs::rename(world.root().join("up.git"), world.root().join("away.git")).unwrap();
    world.git_ok("fetch --quiet origin main");
    assert_eq!(world.check(&[]).1, 3, "a fetch of one branch");
    world.sq_ok("init");
    assert_eq!(world.check(&[]).1, 0);
    world.git_ok("remote rename origin up");
    assert_eq!(world.check(&[]).1, 3, "under its new name it was not asked");
}

#[test]
fn an_output_that_does_not_arrive_is_an_error() {
    if !std::path::Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full on this machine");
        return;
    }
    let world = World::asked();
    session(&world, "s1", false);
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = world.sq_command(&["export"]);
    let output = command.stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(128));
    assert!(String::from_utf8_lossy(&output.stderr).contains("could not write the output"));
}

#[test]
fn settings_of_one_run_are_heard() {
    let world = World::new();
    world.write("other.json", store(&["q7"]));
    world.ask(&["q1"]);
    let mut command = world.command("git");
    command.env("PATH", git_sq_test_support::path_with_program());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.args(["-c", "user.name=It's me", "-c", "user.email=me@example.org"]);
    command.args(["-c", "sq.questions=other.json", "sq", "record", "--same", "q7=x"]);
    assert!(command.status().unwrap().success());
    let author = world.git_ok("log -1 --format=%an refs/notes/sq");
    assert_eq!(author.trim(), "It's me");
}

#[test]
fn the_report_for_people() {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    world.sq_ok("record --sid s0 --same q2=two");
    for sid in ["s1", "s2", "s3", "s4", "s5", "s6"] {
        session(&world, sid, sid == "s2");
    }
    let ran = world.try_sq("check");
    insta::with_settings!({filters => vec![("at [0-9a-f]{10}", "at [commit]")]}, {
        insta::assert_snapshot!(ran.transcript().replace(&world.entry_of("s6"), "LAST"));
    });
}

#[test]
fn a_session_that_was_not_asked_a_question_did_not_leave_it_out() {
    let world = World::asked();
    world.record("s1").ok();
    world.ask(&["q1", "q2"]);
    world.record("s2").ok();
    let (check, _) = world.check(&[]);
    assert_eq!(check["staleness"][1]["recent"], serde_json::json!(["unasked", "none"]), "{check}");
    assert_has!(world.sq_ok("check"), "never answered   ·        never\n");
}

#[test]
fn a_question_may_have_its_own_limit() {
    let world = World::asking(&[r#","max_staleness":0"#, ""]);
    world.sq_ok("record --same q1=a --same q2=b");
    assert_eq!(world.verdict(""), "0");
    world.sq_ok("record --sid s2 --same q2");
    assert_eq!(world.verdict(""), "1 stale");
    assert_eq!(world.verdict("--staleness 9"), "1 stale");
}

#[test]
fn the_tips_store_counts_and_a_differing_copy_is_mentioned() {
    let world = World::new();
    let path = "standing_questions.json";
    world.commit("no store yet");
    world.write(path, store(&["q1"]));
    assert_has!(world.sq_ok("record --same q1=one"), "not committed yet");
    assert_eq!(world.verdict(""), "0 store-differs");
    world.commit("ask");
    assert_eq!(world.verdict(""), "0");
    world.write(path, store(&["q1", "q2"]));
    assert_eq!(world.verdict(""), "0 store-differs");
    assert_eq!(world.check(&[]).0["staleness"].as_array().unwrap().len(), 1);
    world.write(path, store(&["q1"]).replace('\n', "\r\n"));
    assert_eq!(world.verdict(""), "0", "line endings do not differ");
}

#[test]
fn another_tip_and_another_place_for_the_store() {
    let world = World::new();
    world.write("docs/ask.json", store(&["q1"]));
    world.git_ok("config sq.questions docs/ask.json");
    session(&world, "s1", false);
    session(&world, "s2", false);
    assert_eq!(world.check(&[]).0["sessions"], 2);
    let (check, _) = world.check(&["--tip", "HEAD~1"]);
    assert_eq!((&check["sessions"], &check["elsewhere"]), (&1.into(), &1.into()));
    assert_eq!(world.try_sq("check --tip nonsense").code, 128);
}

/// Completion in a shell writes it with a dot.
#[test]
fn the_place_of_the_store_is_read_as_git_writes_paths() {
    let world = World::new();
    world.write("docs/ask.json", store(&["q1"]));
    for path in ["./docs/ask.json", "docs//ask.json", "docs/./ask.json", ".//docs/ask.json"] {
        world.git_ok(&format!("config sq.questions {path}"));
        session(&world, "s1", false);
        world.write("docs/ask.json", store(&["q1", "q2"]));
        assert_eq!(world.verdict(""), "0 store-differs", "{path}: the committed one counts");
        world.write("docs/ask.json", store(&["q1"]));
        assert_eq!(world.verdict(""), "0", "{path}");
    }
}

#[test]
fn the_cache_changes_nothing_and_may_be_deleted() {
    let world = World::asked();
    session(&world, "s1", false);
    let first = world.try_sq("check").transcript();
    assert!(!first.contains("\n\n\n"), "{first}");
    let cache = world.dir.join(".git/sq/cache");
    let files = ["index", "snapshot"].map(|name| cache.join(name));
    assert_eq!(world.try_sq("check").transcript(), first);
    let whole = files.each_ref().map(|file| std::fs::read(file).unwrap());
    for damage in [
        |_: &[u8]| b"damaged".to_vec(),
        |whole: &[u8]| whole[..whole.len() - 1].to_vec(),
        |_: &[u8]| Vec::new(),
    ] {
        for (file, whole) in files.iter().zip(&whole) {
            std::fs::write(file, damage(whole)).unwrap();
        }
        assert_eq!(world.try_sq("check").transcript(), first);
        let mended = files.each_ref().map(|file| std::fs::read(file).unwrap());
        assert_eq!(mended, whole);
    }
    std::fs::remove_dir_all(&cache).unwrap();
    assert_eq!(world.try_sq("check --no-cache").transcript(), first);
    assert!(!cache.exists());
    session(&world, "s2", true);
    assert_ne!(world.try_sq("check").transcript(), first);
}

/// What is done about two findings may be the same; what each means is not.
#[test]
fn each_finding_names_its_own_rule() {
    let world = World::new();
    world.write("src/a.rs", "1\n");
    world.ask_json(
        r#"{"id":"q1","q":"one?","importance":3,"watch":["src/"]},{"id":"q2","q":"two?","importance":3}"#,
    );
    world.sq_ok("record --sid s1 q1=a --cite q1=src/a.rs:1");
    world.change("src/a.rs", "2\n");
    let text = world.try_sq("check").stdout;
    assert!(text.contains("[never]") && text.contains("[outdated]"), "{text}");
}
