//! `git sq carry` where a home looks right and is wrong, and what it leaves to whoever asks for it.

use git_sq_test_support::World;
use serde_json::{Value, json};

use super::{
    carry::{Main, branched, carry, expected, forget, move_main, moves, squash, topic},
    rewrites::{hooked, session},
};

/// A repository with a store and nothing else.
fn asked() -> World {
    let world = World::new();
    world.ask(&["q1"]);
    world
}

fn switch(world: &World, args: &[&str]) {
    world.git(&[&["switch", "--quiet"], args].concat()).ok();
}

/// Makes a file what it is told and commits it.
fn change(world: &World, path: &str, text: &str) -> String {
    world.write(path, text);
    world.commit(path)
}

/// A branch `topic` with an entry on its end, left for main.
fn aside(world: &World, path: &str, text: &str) -> String {
    switch(world, &["-c", "topic"]);
    let commit = change(world, path, text);
    world.record("s01").ok();
    switch(world, &["main"]);
    commit
}

/// What no branch has goes nowhere, and that is said.
#[track_caller]
fn goes_nowhere(world: &World, anchor: &str) {
    let report = carry(world, &[]);
    assert_eq!(moves(&report), [], "{report}");
    let rows = report["homeless"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["anchor"] == anchor), "{report}");
}

#[test]
fn a_stacked_branch_takes_nothing_from_the_one_below() {
    let world = hooked();
    switch(&world, &["-c", "A"]);
    let a = session(&world, "a");
    switch(&world, &["-c", "B"]);
    session(&world, "b");
    switch(&world, &["main"]);
    change(&world, "m.txt", "m\n");
    world
        .git(&["rebase", "--quiet", "--onto", "main", "A", "B"])
        .ok();
    let report = carry(&world, &[]);
    assert_eq!(moves(&report), [], "{report}");
    assert_eq!(report["on_branches"], json!(1), "{report}");
    assert_eq!(moves(&carry(&world, &[&a])), []);
    world.git(&["branch", "--quiet", "-D", "A"]).ok();
    goes_nowhere(&world, &a);
}

/// A topic of two sessions, the first of which a rebase drops.
fn dropped(world: &World) -> [String; 2] {
    switch(world, &["-c", "topic"]);
    let olds = ["x", "y"].map(|sid| session(world, sid));
    world.git(&["rebase", "--quiet", "-i", "main"]).ok();
    olds
}

#[test]
fn a_commit_that_a_rebase_dropped_follows_nothing() {
    let world = hooked().env("GIT_SEQUENCE_EDITOR", "sed -i -e '/Session x/d'");
    let [x, _] = dropped(&world);
    assert!(!world.dir.join("x.txt").exists());
    goes_nowhere(&world, &x);
    // Neither when the rest of the branch is merged.
    switch(&world, &["main"]);
    change(&world, "m.txt", "m\n");
    squash(&world);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let report = carry(&world, &[]);
    assert_eq!(moves(&report).len(), 1, "{report}");
    goes_nowhere(&world, &x);
}

#[test]
fn what_no_hook_saw_dropped_follows_nothing_either() {
    let world = hooked().env("GIT_SEQUENCE_EDITOR", "sed -i -e '/Session x/d'");
    std::fs::remove_file(world.dir.join(".git/hooks/post-rewrite")).unwrap();
    let [x, y] = dropped(&world);
    for _ in 0..2 {
        goes_nowhere(&world, &x);
        goes_nowhere(&world, &y);
    }
}

#[test]
fn a_rebased_branch_that_was_squashed_takes_its_own_along() {
    let world = hooked();
    world.write("x.txt", "theirs\n");
    world.commit("In the way");
    switch(&world, &["-c", "topic"]);
    let olds = ["x", "y"].map(|sid| session(&world, sid));
    switch(&world, &["main"]);
    change(&world, "x.txt", "changed\n");
    switch(&world, &["topic"]);
    assert_ne!(world.git(&["rebase", "--quiet", "main"]).code, 0);
    world.write("x.txt", "resolved\n");
    world.git(&["add", "."]).ok();
    world.git(&["rebase", "--continue"]).ok();
    let [x, y] = ["topic~1", "topic"].map(|rev| world.git(&["rev-parse", rev]).ok());
    switch(&world, &["main"]);
    change(&world, "m.txt", "m\n");
    let squashed = squash(&world);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let report = carry(&world, &[]);
    let homes = moves(&report);
    assert_eq!(homes.len(), 2, "{report}");
    assert!(homes.iter().all(|(_, to, _)| *to == squashed), "{report}");
    assert!(!homes.iter().any(|(from, ..)| olds.contains(from)));
    for (from, ..) in &homes {
        assert!([x.trim(), y.trim()].contains(&from.as_str()), "{report}");
    }
}

#[test]
fn what_a_branch_still_has_is_carried_when_it_is_asked_for() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Elsewhere);
    let base = world.head();
    let squashed = squash(&world);
    let ran = world.sq(&["carry"]);
    assert_eq!(
        ran.transcript(),
        "3 entries are on branches of their own\nNothing to carry.\n--- exit 0\n"
    );
    let named = carry(&world, &["-n", &topic[2]]);
    let home = expected(&[(&topic[2], &squashed, "patch-id")]);
    assert_eq!(moves(&named), home, "{named}");
    let pr = format!("{base}..{squashed}");
    assert_eq!(moves(&carry(&world, &["-n", "--pr", &pr])).len(), 3);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    assert_eq!(moves(&carry(&world, &[])).len(), 3);
    // A cherry-pick: the original is still there.
    let picked = aside(&world, "picked.txt", "picked\n");
    change(&world, "before.txt", "before\n");
    world.git(&["cherry-pick", &picked]).ok();
    assert_eq!(moves(&carry(&world, &[])), []);
}

#[test]
fn the_same_line_elsewhere_is_another_change() {
    let world = asked();
    let text = "[dev]\nname = 1\nport = 1\n\n\n[prod]\nname = 2\nport = 2\n";
    change(&world, "config", text);
    let old = aside(
        &world,
        "config",
        &text.replace("1\n\n", "1\ndebug = true\n\n"),
    );
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    change(&world, "other", "other\n");
    change(&world, "config", &(text.to_owned() + "debug = true\n"));
    goes_nowhere(&world, &old);
}

#[test]
fn the_same_words_indented_otherwise_are_another_change() {
    let world = asked();
    let text = "def f(x):\n    if x:\n        g()\n";
    change(&world, "f.py", text);
    let old = aside(&world, "f.py", &(text.to_owned() + "        return 1\n"));
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    change(&world, "other", "other\n");
    change(&world, "f.py", &(text.to_owned() + "    return 1\n"));
    goes_nowhere(&world, &old);
}

#[test]
fn a_commit_that_changes_nothing_is_no_home() {
    let world = asked();
    let tried = aside(&world, "tried", "tried\n");
    switch(&world, &["topic"]);
    world.git(&["revert", "--no-edit", &tried]).ok();
    world.record("s02").ok();
    let reverted = world.head();
    switch(&world, &["main"]);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    world.commit("Nothing at all");
    goes_nowhere(&world, &reverted);
    // Nor is one that brings back what the branch left as it was.
    change(&world, "there", "there\n");
    world.git(&["revert", "--no-edit", "HEAD"]).ok();
    goes_nowhere(&world, &reverted);
}

#[test]
fn a_commit_that_is_older_than_the_entry_is_no_home() {
    let world = asked();
    let file = |text: &str| change(&world, "file", text);
    file("one\n");
    let two = file("two\n");
    file("one\n");
    let dropped = file("two\n");
    assert_ne!(two, dropped);
    world.record("s01").ok();
    world.git(&["reset", "--quiet", "--hard", "HEAD~1"]).ok();
    forgotten(&world);
    goes_nowhere(&world, &dropped);
    // What came after it may be its home.
    let again = file("two\n");
    let report = carry(&world, &[]);
    assert_eq!(moves(&report), expected(&[(&dropped, &again, "tree")]));
}

/// Clears away what no branch has.
fn forgotten(world: &World) {
    world.git(&["branch", "--quiet", "topic"]).ok();
    forget(world);
}

#[test]
fn main_s_own_later_entries_are_not_carried_back_to_a_pull_request() {
    let world = asked();
    let base = change(&world, "file", "one\n");
    let merged = change(&world, "file", "two\n");
    change(&world, "file", "one\n");
    let later = change(&world, "file", "two\n");
    world.record("s01").ok();
    let pr = format!("{base}..{merged}");
    let ran = world.sq(&["carry", "--format", "json", "--pr", &pr]);
    let report = ran.json();
    assert_eq!(moves(&report), [], "{report}");
    assert_eq!((ran.code, &report["on_branches"]), (0, &json!(0)));
    assert!(!world.note(&later).is_empty());
}

#[test]
fn a_replaced_commit_is_what_it_was_when_the_entry_was_made() {
    let world = asked();
    let old = aside(&world, "a", "a\n");
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let other = change(&world, "b", "b\n");
    world.git(&["replace", &old, &other]).ok();
    goes_nowhere(&world, &old);
}

#[test]
fn a_branch_that_was_just_made_has_merged_nothing() {
    let world = branched();
    move_main(&world, Main::Elsewhere);
    squash(&world);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let pr = format!("{}..HEAD", "0".repeat(40));
    let ran = world.sq(&["carry", "--pr", &pr]);
    assert_eq!(
        ran.transcript(),
        "the branch was just made: no pull request was merged into it\nNothing to carry.\n--- exit 0\n"
    );
    let report = carry(&world, &["--pr", &pr]);
    assert_eq!(report["tip"], json!(world.head()), "{report}");
}

#[test]
fn entries_of_other_pull_requests_are_counted() {
    let world = branched();
    move_main(&world, Main::Elsewhere);
    let base = world.head();
    squash(&world);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    aside(&world, "other pull request", "open\n");
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let ran = world.sq(&["carry", "--pr", &format!("{base}..HEAD")]);
    assert_eq!(ran.code, 0, "{}", ran.transcript());
    let says = "1 entry of other branches matches none of these commits\nCarried 3 entries.\n";
    assert!(ran.stdout.ends_with(says), "{}", ran.transcript());
    assert!(!ran.stdout.contains("no home"), "{}", ran.transcript());
    // Without --pr it is homeless.
    let report: Value = carry(&world, &[]);
    assert_eq!(report["homeless"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["unmatched"], json!(0), "{report}");
}

#[test]
fn what_is_ambiguous_in_a_pull_request_is_a_finding() {
    let world = branched();
    move_main(&world, Main::Elsewhere);
    let base = world.head();
    let first = squash(&world);
    world.git(&["revert", "--no-edit", &first]).ok();
    world.git(&["cherry-pick", &first]).ok();
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    let ran = world.sq(&["carry", "--pr", &format!("{base}..HEAD")]);
    assert_eq!(ran.code, 1, "{}", ran.transcript());
    assert!(ran.stdout.contains("these match alike"));
}
