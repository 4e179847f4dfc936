//! Citations, as `state set` and `tension` take them and look them up.

use git_sq_test_support::{World, each, event_line};
use serde_json::json;

use crate::{
    states::rows,
    tensions::{OPEN, open},
};

#[test]
fn an_empty_file_has_no_line_to_cite() {
    let world = World::new();
    world.write("empty", "");
    world.write("blank", " \n\n");
    world.change("one", "x\n");
    let ran = world.try_sq(&format!("{OPEN} --cite empty:1")).exits(128);
    let why = "fatal: \"empty:1\" can't be cited: the file is empty\n";
    assert!(ran.stderr.starts_with(why), "{}", ran.transcript());
    let ran = world.try_sq(&format!("{OPEN} --cite blank:1-2"));
    assert_has!(ran.stderr, "\"blank:1-2\" can't be cited: nothing stands there");
    world.sq_ok(&format!("{OPEN} --cite one:1"));
    let said = world.sq_ok("state set --done 'see empty:1'");
    let why = "not cited: empty:1 (done 1): the file is empty\n";
    assert!(said.starts_with(why), "{said}");
}

#[test]
fn a_path_with_blanks_is_cited_in_quotes() {
    let world = World::new();
    for path in ["a b.txt", "(app) [x]/y.ts", "src/a.rs"] {
        world.write(path, "one\ntwo\n");
    }
    world.commit("One");
    let done = [
        "wrote \"a b.txt\":1-2, and `src/a.rs:2`.",
        "not \"a c.txt\":1",
        "(\"(app) [x]/y.ts\":1): done",
    ]
    .iter()
    .flat_map(|item| ["--done", item]);
    let args: Vec<&str> = ["state", "set"].into_iter().chain(done).collect();
    let said = world.sq(&args).ok();
    let expected = "cited: a b.txt:1-2 (done 1)
cited: src/a.rs:2 (done 1)
not cited: a c.txt:1 (done 2): no such file; cite what is committed, by its path from the root of the repository
cited: (app) [x]/y.ts:1 (done 3)
";
    assert!(said.starts_with(expected), "{said}");
    assert_has!(world.sq_ok("state show"), "- (app) [x]/y.ts:1 stands\n");
    // As an option takes it, with and without the quotes.
    for (topic, cite) in [("Quoted", "\"a b.txt\":1"), ("Bare", "a b.txt:1")] {
        let row = open(&world, topic, "0.5", "0.5", &format!("--cite '{cite}'"));
        assert_eq!(row["cite"][0]["cite"], "a b.txt:1");
    }
}

#[test]
fn cited_lines_are_looked_for_as_one_block() {
    let world = World::new();
    world.change("a.txt", b"one\ntwo\nthree\xff\n");
    let blob = world.git_ok("rev-parse HEAD:a.txt");
    // The last four can't be: there are no such lines, or no such blob.
    let cites = [
        ([1, 2], blob.trim()),
        ([3, 3], blob.trim()),
        ([3, 4], blob.trim()),
        ([0, 1], blob.trim()),
        ([2, 1], blob.trim()),
        ([1, 1], &"1".repeat(40)),
    ]
    .map(
        |(lines, blob)| json!({"item": 1, "cite": {"path": "a.txt", "lines": lines, "blob": blob}}),
    );
    let body = json!({"done": ["x"], "cites": cites});
    let line = event_line(&world.head(), "state", "1", &body);
    world.plant_lines(&[line]);
    let fates = || {
        let row = &rows(&world, "")[0];
        each(&row["cites"])
            .map(|cite| format!("{} {}", cite["fate"], cite["line"]).replace('"', ""))
            .collect::<Vec<_>>()
    };
    let unknown = ["unknown null"; 4];
    assert_eq!(fates(), [&["stands 1", "stands 3"], &unknown[..]].concat());
    world.change("a.txt", b"zero\none\nnew\ntwo\nthree\xff\n");
    let expected = [&["changed null", "stands 5"], &unknown[..]].concat();
    assert_eq!(fates(), expected);
    world.git_ok("rm --quiet a.txt");
    world.commit("Three");
    assert_eq!(fates(), ["gone null"; 6]);
}

#[test]
fn settings_of_diff_do_not_change_what_became_of_a_citation() {
    let world = World::asked();
    let lines = |changed: &[usize]| -> String {
        (1..=40)
            .map(|n| if changed.contains(&n) { format!("other {n}\n") } else { format!("{n}\n") })
            .collect()
    };
    world.change("f.txt", lines(&[]));
    world.sq_ok("state set --sid s1 --done 'it works, see f.txt:20-22'");
    world.change("f.txt", lines(&[18, 24]));
    let fate = |world: &World| world.sq_ok("state show").contains("f.txt:20-22 stands");
    assert!(fate(&world));
    world.git_ok("config diff.interHunkContext 9");
    assert!(fate(&world));
    let world = world.env("GIT_DIFF_OPTS", "-u9");
    assert!(fate(&world));
}
