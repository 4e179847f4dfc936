//! Where questions say what they depend on, `same` is flagged only when that changed.

use std::sync::OnceLock;

use git_sq_test_support::{Template, World};

/// A world that asks q1 (watches src/) and q2 (watches data/), both answered in s0.
fn watching() -> World {
    static MADE: OnceLock<Template> = OnceLock::new();
    World::copy_of(&MADE, make)
}

fn make() -> World {
    let world = World::new();
    world.write("src/a.rs", "0");
    world.ask_json(
        r#"{"id":"q1","q":"?","importance":3,"watch":["src/",":!src/gen/"],"require_evidence":false},
        {"id":"q2","q":"?","importance":2,"watch":["data/"]}"#,
    );
    world.sq_ok("record --sid s0 --same q1=a --same q2=b");
    world
}

/// Commits a change of that file and records a session that saw no change; gives whether it is flagged.
fn silent(world: &World, sid: &str, file: &str) -> bool {
    world.write(file, sid);
    world.commit(sid);
    world.sq_ok(&format!("record --sure --sid {sid} --same q1,q2"));
    world.found("about").contains(&sid.to_owned())
}

#[test]
fn same_is_flagged_only_where_what_is_watched_changed() {
    let world = watching();
    assert!(!silent(&world, "s1", "docs/x"));
    assert!(!silent(&world, "s2", "src/gen/x"));
    assert!(silent(&world, "s3", "src/a.rs"));
    let (original, code) = world.check(&["--original"]);
    assert_eq!((original["quiet"]["suspicious"].as_u64(), code), (Some(3), 1));
    assert_eq!(world.check(&[]).1, 0);
    // Exposure lasts until the question is derived.
    world.sq_ok("record --sid s4 q1=a --cite q1=src/a.rs:1 --same q2");
    world.change("src/a.rs", "1");
    world.sq_ok("record --sid s5 --same q2");
    assert!(silent(&world, "s6", "docs/y"));
    world.sq_ok("record --sid s7 q1=a --cite q1=src/a.rs:1 --same q2");
    assert!(!silent(&world, "s8", "docs/z"));
}

#[test]
fn a_first_derivation_of_a_version_is_no_silence() {
    let world = watching();
    let newer = world
        .read("standing_questions.json")
        .replace(r#""q1","q":"?","importance":3,"#, r#""q1","version":2,"q":"??","importance":3,"#);
    world.write("standing_questions.json", newer);
    world.write("src/a.rs", "2");
    world.commit("ask q1 anew");
    world.sq_ok("record --sid s1 --same q1=anew --same q2");
    let (check, _) = world.check(&[]);
    assert_eq!(check["looks"]["flagged"], 0, "{check}");
}

#[test]
fn the_brief_names_what_is_exposed() {
    let world = watching();
    world.write("src/a.rs", "3");
    world.commit("change");
    let brief = world.json("brief");
    assert_eq!(brief["questions"][0]["exposed"], true);
    assert_eq!(brief["questions"][1]["exposed"], false);
    assert_eq!(brief["since"]["files"], serde_json::json!(["src/a.rs"]));
}

#[test]
fn a_pathspec_that_is_none_is_unknown() {
    let world = World::new();
    world.ask_json(
        r#"{"id":"q1","q":"?","importance":3,"watch":[":(nonsense)x"],"require_evidence":false}"#,
    );
    world.sq_ok("record --same q1=x");
    let (check, code) = world.check(&[]);
    assert_eq!(code, 3, "{check}");
    assert_eq!(world.sq(&["question", "lint"]).code, 128);
    // Of probes, too.
    world.ask_json(
        r#"{"id":"q1","q":"?","importance":2,"watch":["src/"],"probe":{"files":{"paths":[":(attr:x)a"]}}}"#,
    );
    assert_has!(world.try_sq("question lint").stderr, "does not look at attributes");
}

#[test]
fn what_a_merged_branch_derived_is_remembered() {
    let world = watching();
    world.git_ok("switch --quiet -c side");
    world.commit("on the side");
    world.sq_ok("record --sid s1 --same q1");
    world.git_ok("switch --quiet main");
    world.commit("on main");
    world.sq_ok("record --sid s2 --same q2");
    world.git_ok("merge --quiet --no-ff -m merge side");
    assert!(silent(&world, "s3", "src/a.rs"));
}

#[test]
fn the_strip_shows_what_each_session_did_in_the_characters_of_the_locale() {
    let world = watching();
    silent(&world, "s1", "src/a.rs");
    world.sq_ok("record --sure --sid s2 --delta q2=another");
    let strip = |world: &World| {
        let check = world.try_sq("check").stdout;
        let table = check.lines().filter(|line| line.starts_with("  q"));
        let legend = check.lines().filter(|line| line.contains("not re-derived"));
        table.chain(legend).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(strip(&world), @"
    question  staleness  standing  sessions  last answered
    q1                1  outdated  ●!·       s1 (2026-01-01, Ada Example)
    q2                0  outdated  ●●!       s2 (2026-01-01, Ada Example)
    ");
    insta::assert_snapshot!(strip(&world.env("LC_ALL", "C")), @"
    question  staleness  standing  sessions  last answered
    q1                1  outdated  o!.       s1 (2026-01-01, Ada Example)
    q2                0  outdated  oo!       s2 (2026-01-01, Ada Example)
    ");
}

#[test]
fn each_pathspec_that_matches_nothing_is_named_by_the_lint() {
    let world = World::new();
    world.write("src/a.rs", "0");
    let ask = |watch: &str| {
        world.ask_json(&format!(r#"{{"id":"q1","q":"?","importance":2,"watch":[{watch}]}}"#));
    };
    ask(r#""src/","conf/",":!src/b.rs""#);
    let lint = || world.sq_ok("question lint");
    assert!(lint().contains("q1 watches conf/, which matches no file in HEAD"));
    // The gate speaks only of a question that watches no file at all.
    let check = || world.check(&[]).0.to_string();
    assert!(!check().contains("q1 watches"), "{}", check());
    ask(r#""conf/""#);
    assert!(check().contains("q1 watches conf/, which matches no file"));
    assert!(lint().contains("q1 watches conf/"));
    ask(r#""src/""#);
    assert!(!lint().contains("watches"));
}

#[test]
fn a_probe_of_an_untracked_file_is_named_by_the_lint() {
    let world = World::new();
    world.write(".gitignore", "build/\n");
    world.write("build/out.json", "{}");
    world.ask_json(
        r#"{"id":"q1","q":"?","importance":2,"probe":{"value":{"file":"build/out.json","pointer":"/a"}}},
        {"id":"q2","q":"?","importance":2,"probe":{"tree":"gone"}}"#,
    );
    let lint = world.sq_ok("question lint");
    assert_has!(
        lint,
        "q1 reads build/out.json, which git does not track: a probe sees only committed files\n"
    );
    assert_has!(lint, "q2 reads gone, which matches no file in HEAD\n");
}

#[test]
fn a_submodule_is_not_followed_and_outdates_nothing() {
    let world = World::new();
    world.ask_json(r#"{"id":"q1","q":"?","importance":2,"watch":["sub"]}"#);
    let take = |digit: &str| {
        let theirs = digit.repeat(40);
        world.git_ok(&format!("update-index --add --cacheinfo 160000,{theirs},sub"));
        world.git_ok("commit --quiet -m submodule");
    };
    take("1");
    world.sq_ok("record q1=one --sid s1");
    take("2");
    let told = r#"sub, which is a submodule, and not followed: `git sq probe '{"tree":"sub"}'` finds its commit"#;
    let check = world.try_sq("check").stdout;
    assert_has!(check, &format!("q1 watches {told}"));
    assert_eq!(world.sq_ok(r#"probe '{"tree":"sub"}'"#).trim(), "2".repeat(40));
    assert!(!check.contains("outdated"), "{check}");
    assert_has!(world.sq_ok("question lint"), &format!("q1 watches {told}"));
    let add = world.person("question add q2 Why? --watch sub/file", "").transcript();
    assert_has!(add, "sub/file is in the submodule sub, and not followed");
}
