//! What people close stands in a tracked file beside the question store.

use std::{fs, path::Path};

use git_sq_test_support::{World, each, keyed};
use serde_json::{Value, json};

const FILE: &str = "standing_questions.closed.jsonl";

/// Three sessions say `same` whatever changed.
fn flagged() -> World {
    let world = World::new();
    world.write("standing_questions.json", keyed(&[r#","watch":["src/"]"#]));
    world.change("src/a.rs", "0\n");
    world.sq_ok("record --sid s0 q1=0 --cite q1=src/a.rs:1");
    lie(&world, &["s1", "s2", "s3"]);
    world
}

fn lie(world: &World, sids: &[&str]) {
    for sid in sids {
        world.change("src/a.rs", format!("{sid}\n"));
        world.sq_ok(&format!("record --sure --sid {sid} --same q1"));
    }
}

fn read(world: &World) -> String {
    world.read(FILE)
}

fn entries(world: &World, number: usize) -> Vec<String> {
    let log = world.json("log");
    let entries = each(&log["entries"]).take(number);
    entries.map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

fn errors(world: &World, args: &[&str]) -> Vec<String> {
    let (check, _) = world.check(args);
    let findings = each(&check["findings"]);
    let errors = findings.filter(|finding| finding["severity"] == "error");
    errors.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

/// In a pull request, too: with `--base` it counts, and is listed.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_proposal_closes_what_only_it_contains() {
    let world = flagged();
    let base = world.git_ok("rev-parse HEAD~3").trim().to_owned();
    assert_eq!(errors(&world, &["--base", &base]), ["flagged"]);
    world.person_ok("check --accept --because 'looked at all three'");
    let uncommitted = "standing_questions.closed.jsonl has closings that are not committed";
    assert_has!(world.try_sq("check").stdout, uncommitted);
    world.commit("Close them");
    assert!(!world.try_sq("check").stdout.contains(uncommitted));
    assert_eq!(errors(&world, &["--base", &base]), [""; 0]);
    let listed = world.check(&["--base", &base]).0["findings"].to_string();
    assert_has!(listed, "this branch closes look ");
    // What the base has is not for a proposal to close.
    let base = world.git_ok("rev-parse HEAD~1").trim().to_owned();
    assert_eq!(errors(&world, &["--base", &base]), ["flagged"]);
    let listed = world.check(&["--base", &base]).0["findings"].to_string();
    assert_has!(listed, "which counts only once it is merged");
    assert_eq!(errors(&world, &[]), [""; 0]);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn an_entry_is_closed_with_the_names_of_all_that_it_closes() {
    let world = World::asking(&[r#","watch":["src/"]"#, r#","watch":["src/"]"#]);
    for number in 0..4 {
        world.change("src/a.rs", format!("{number}\n"));
        world.sq_ok(&format!("record --sure --sid s{number} --same q1=a --same q2=b"));
    }
    assert_has!(world.person_ok("check --accept"), "  q1, q2 of session s3\n");
}

/// A store of the first format has no settings, and its file of closings is the same.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_run_is_closed_beside_a_store_of_the_first_format() {
    let world = World::asked();
    let store = fs::read(world.dir.join("standing_questions.json")).unwrap();
    for number in 0..4 {
        world.commit("work");
        world.sq_ok(&format!("record --sid s{number} --same q1=a"));
        world.pass(600);
    }
    assert_eq!(errors(&world, &[]), ["quiet-run"]);
    let last = world.json("log -n 1")["entries"][0]["id"].as_str().unwrap().to_owned();
    assert_has!(world.found("help")[0], format!("`git sq check --accept {last}`"));
    let said = world.person_ok(&format!("check --accept {last}"));
    insta::assert_snapshot!(said.replace(&last, "[last]"), @"
    standing_questions.closed.jsonl: closes
      run           [last]  3 sessions that report no change
    Commit it, with .gitattributes: only what HEAD has is closed.
    ");
    world.commit("Look into the quiet sessions");
    assert_eq!(errors(&world, &[]), [""; 0]);
    assert_eq!(fs::read(world.dir.join("standing_questions.json")).unwrap(), store);
    // What comes after it is another run.
    for number in 4..7 {
        assert_eq!(errors(&world, &[]), [""; 0]);
        world.commit("work");
        world.sq_ok(&format!("record --sid s{number} --same q1=a"));
        world.pass(600);
    }
    assert_eq!(errors(&world, &[]), ["quiet-run"]);
    // The name of a session that was closed closes nothing else.
    world.commit("work");
    world.sq_ok("record --sid s3 --same q1=a");
    assert_eq!(errors(&world, &[]), ["quiet-run"]);
}

/// Two who close at once: git merges the file by itself, in any order.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn two_people_who_close_do_not_conflict() {
    let world = flagged();
    let ids = entries(&world, 3);
    world.person_ok(&format!("check --accept {}", ids[2]));
    world.commit("one");
    world.git_ok("switch -q -c side");
    world.person_ok(&format!("check --accept {} --because mine", ids[0]));
    world.git_ok("commit -qam two");
    world.git_ok("switch -q main");
    world.person_ok(&format!("check --accept {} {}", ids[1], ids[0]));
    world.git_ok("commit -qam three");
    world.git_ok("merge -q -m merge side");
    assert_eq!(errors(&world, &[]), [""; 0]);
    assert_eq!(read(&world).lines().count(), 4);
    // The next one puts them in order, each once.
    lie(&world, &["s4"]);
    world.person_ok("check --accept");
    let closed: Vec<Value> =
        read(&world).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let closed: Vec<&Value> = closed.iter().map(|line| &line["closes"]["id"]).collect();
    assert_eq!(closed.len(), 4);
    assert!(closed.is_sorted_by_key(|id| id.as_str()));
    let attributes = world.read(".gitattributes");
    assert_eq!(attributes, format!("/{FILE} merge=union -filter\n"));
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn only_what_waits_can_be_closed() {
    let world = flagged();
    let said = world.person("check --accept s1 01JABCDEFGHJKMNPQRSTVWXYZ0", "");
    insta::assert_snapshot!(said.transcript(), @"
    --- stderr
    fatal: nothing with this id is waiting for a person: s1
    fatal: nothing with this id is waiting for a person: 01JABCDEFGHJKMNPQRSTVWXYZ0
    hint: nothing was changed; `git sq check` lists what waits
    --- exit 128
    ");
    assert!(!Path::new(&world.dir.join(FILE)).exists());
    insta::assert_snapshot!(world.try_sq("check --because x").stderr, @"
    error: the following required arguments were not provided:
      --accept [<ID>...]

    Usage: git sq check --accept [<ID>...] --because <TEXT>

    For more information, try 'git sq help check'.
    ");
    insta::assert_snapshot!(world.person("check --accept --because 'a\nb'", "").transcript(), @"
    --- stderr
    fatal: the reason has more than one line
    hint: nothing was changed
    --- exit 128
    ");
}

/// The values of a closing without their names.
const LIST: &str = r#"[{"kind":"run","id":"s1"},"Ann <a@example.org>","2026-01-01",null]"#;

#[test]
fn a_line_that_is_no_closing_is_named() {
    let world = flagged();
    let good =
        r#"{"closes":{"kind":"run","id":"s1"},"by":"Ann <a@example.org>","date":"2026-01-01"}"#;
    for bad in
        ["<<<<<<< HEAD", r#"{"closes":{"kind":"all","id":""},"by":"","date":""}"#, "{}", LIST]
    {
        world.write(FILE, format!("{good}\n\n{bad}\n"));
        world.commit("close");
        let said = world.try_sq("check").stderr.replace(&world.head()[..10], "[commit]");
        assert_has!(said, format!("invalid file [commit]:{FILE}"), format!("[commit]:{FILE}:3:1"));
        assert_has!(said, "each line is what `git sq check --accept` wrote");
    }
    world.change(FILE, format!("{good}\n\n"));
    assert_eq!(errors(&world, &[]), ["flagged"]);
}

/// In a subfolder, too.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn that_git_ignores_the_file_is_said() {
    let world = flagged();
    world.write(".gitignore", "*.jsonl\n");
    world.write("sub/file", "");
    let said = world.person_in(&world.dir.join("sub"), "check --accept").transcript();
    assert_has!(
        said,
        "Commit it with `git add -f`, since git ignores it, with .gitattributes: only"
    );
    world.git_ok(&format!("add -f {FILE} .gitattributes"));
    world.commit("close");
    assert_eq!(errors(&world, &[]), [""; 0]);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_file_that_nobody_could_read_is_not_written() {
    let world = flagged();
    let line =
        |n: usize| format!(r#"{{"closes":{{"kind":"run","id":"{n:090}"}},"by":"","date":""}}"#);
    let most = (1 << 20) / (line(0).len() + 1);
    let text: String = (0..most).map(|n| line(n) + "\n").collect();
    world.write(FILE, &text);
    world.commit("close");
    let said = world.person("check --accept", "").transcript();
    assert_has!(said, "would be longer than 1 MiB, and could not be read");
    assert_eq!(read(&world), text);
}

/// Another session of a branch continues the base's run, and its name closes only its own.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_proposal_closes_no_run_that_began_before_it() {
    let world = World::asked();
    let quiet = |sid: &str| {
        world.commit("work");
        world.sq_ok(&format!("record --sid {sid} --same q1=a"));
        world.pass(600);
    };
    ["s0", "s1", "s2", "s3"].into_iter().for_each(quiet);
    world.git_ok("switch -q -c topic");
    quiet("s4");
    world.person_ok("check --accept");
    world.commit("close");
    assert_eq!(errors(&world, &["--base", "main"]), ["quiet-run"]);
    assert_eq!(errors(&world, &[]), [""; 0]);
}

/// What is broken on the base can be fixed by a proposal.
#[test]
fn a_broken_file_on_the_base_closes_nothing() {
    let world = flagged();
    world.change(FILE, "<<<<<<< HEAD\n");
    world.git_ok("switch -q -c topic");
    world.git_ok(&format!("rm -q {FILE}"));
    world.commit("fix it");
    assert_eq!(errors(&world, &["--base", "main"]), ["flagged"]);
}

/// Some editors write one, and git ignores it in its own files.
#[test]
fn a_byte_order_mark_is_no_part_of_a_closing() {
    let world = flagged();
    let closings: String = entries(&world, 3)
        .iter()
        .map(|id| {
            let closes = json!({"kind": "look", "id": id});
            format!("{}\n", json!({"closes": closes, "by": "Ada", "date": "2026-01-02"}))
        })
        .collect();
    world.change(FILE, format!("\u{feff}{closings}"));
    assert_eq!(errors(&world, &[]), [""; 0]);
}
