//! `git sq init`: what it sets, what it says, and that it can be taken back.

use git_sq_test_support::World;

fn with_remotes() -> World {
    let world = World::new();
    world.commit("one");
    world
        .git(&["clone", "--quiet", "--bare", ".", "../up.git"])
        .ok();
    world.git(&["remote", "add", "origin", "../up.git"]).ok();
    world.git(&["remote", "add", "fork", "../up.git"]).ok();
    world
}

#[test]
fn it_says_each_thing_that_it_does() {
    let world = with_remotes();
    insta::assert_snapshot!(world.sq(&["init"]).transcript());
    assert_eq!(
        world.git(&["config", "notes.displayRef"]).ok(),
        "refs/notes/sq*\n"
    );
    assert_eq!(world.git(&["config", "remote.origin.sq"]).ok(), "true\n");
    assert_eq!(world.git(&["config", "remote.fork.sq"]).code, 1);
    insta::assert_snapshot!("again", world.sq(&["init"]).transcript());
}

#[test]
fn a_dry_run_does_nothing() {
    let world = with_remotes();
    let before = std::fs::read(world.dir.join(".git/config")).unwrap();
    insta::assert_snapshot!(world.sq(&["init", "--dry-run"]).transcript());
    assert_eq!(
        std::fs::read(world.dir.join(".git/config")).unwrap(),
        before
    );
    assert!(!world.dir.join(".git/sq").exists());
    assert!(!world.dir.join("context").exists());
}

#[test]
fn undo_takes_it_back() {
    let world = with_remotes();
    let before = std::fs::read_to_string(world.dir.join(".git/config")).unwrap();
    world.sq(&["init"]).ok();
    insta::assert_snapshot!(world.sq(&["init", "--undo"]).transcript());
    assert_eq!(
        std::fs::read_to_string(world.dir.join(".git/config")).unwrap(),
        before
    );
    assert!(!world.dir.join(".git/sq").exists());
    assert!(!world.dir.join("context").exists());
    world.sq(&["init", "--undo"]).ok();
}

#[test]
fn undo_leaves_what_a_person_touched() {
    let world = World::new();
    world.commit("one");
    world
        .git(&["config", "notes.displayRef", "refs/notes/commits"])
        .ok();
    world.sq(&["init", "--set", "library"]).ok();
    world.write("context/standing_questions.json", "{}");
    let said = world.sq(&["init", "--undo"]).ok();
    assert!(said.contains("was edited since, so it stays"), "{said}");
    assert_eq!(
        world.git(&["config", "--get-all", "notes.displayRef"]).ok(),
        "refs/notes/commits\n"
    );

    let world = World::new();
    world.commit("one");
    world.sq(&["init"]).ok();
    world.commit("ask");
    world.sq(&["record", "--same", "q1=x"]).ok();
    world.sq(&["init", "--undo"]).ok();
    assert!(world.dir.join("context/standing_questions.json").exists());
    assert_eq!(world.lines().len(), 1);
}

#[test]
fn what_covers_already_is_left_alone() {
    let world = World::new();
    world.commit("one");
    world
        .git(&["config", "notes.displayRef", "refs/notes/*"])
        .ok();
    let said = world.sq(&["init"]).ok();
    assert!(!said.contains("displayRef"), "{said}");
    let world = World::new();
    world.commit("one");
    world.sq(&["init", "--no-display"]).ok();
    assert_eq!(world.git(&["config", "notes.displayRef"]).code, 1);
}

#[test]
fn a_teams_log_is_there_after_init() {
    let one = with_remotes();
    one.sq(&["init"]).ok();
    one.commit("ask");
    one.sq(&["record", "--same", "q1=x"]).ok();
    one.git(&["push", "--quiet", "origin", "main", "refs/notes/sq"])
        .ok();
    one.git(&["clone", "--quiet", "../up.git", "../two"]).ok();
    let two = one.root().join("two");
    let one = one.at(two);
    let said = one.sq(&["init"]).ok();
    assert!(said.contains("origin was asked and gave its log"), "{said}");
    assert_eq!(one.check(&[]).1, 0);
    assert!(one.git(&["log", "-1"]).ok().contains("Notes (sq):"));
}

#[test]
fn a_dry_run_of_undo_says_all_that_undo_would() {
    let world = World::new();
    world.commit("Begin");
    world.git(&["clone", "--quiet", ".", "../clone"]).ok();
    let clone = world.root().join("clone");
    let world = world.at(clone);
    world.sq(&["init"]).ok();
    let before = std::fs::read_to_string(world.dir.join(".git/config")).unwrap();
    let foretold = world.sq(&["init", "--undo", "--dry-run"]).ok();
    assert_eq!(
        std::fs::read_to_string(world.dir.join(".git/config")).unwrap(),
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
fn every_seed_set_can_be_planted() {
    for set in ["generic", "library", "web", "ml"] {
        let world = World::new();
        world.sq(&["init", "--set", set]).ok();
        let said = world.sq(&["question", "lint"]).ok();
        assert!(said.contains("12 questions, 12 active"), "{set}: {said}");
    }
}
