//! Sessions whose HEAD was moved: to another branch, back, off every branch, or away from a commit that is gone.

use git_sq_test_support::World;
use serde_json::{Value, json};

use crate::sessions::{HOUR, entries, world};

fn start(world: &World, sid: &str) {
    world.sq(&["session", "start", "--sid", sid]).ok();
}

fn checkout(world: &World, args: &[&str]) {
    world.git(&[&["checkout", "--quiet"], args].concat()).ok();
}

/// The end that a sweep gives, three hours later, to the only session that was not swept up yet.
fn swept(world: &World) -> Value {
    world.pass(3 * HOUR);
    let before = entries(world, "session").len();
    world.sq(&["session", "sweep"]).ok();
    let mut ends = entries(world, "session");
    assert_eq!(ends.len(), before + 1, "{ends:?}");
    ends.pop().unwrap()
}

/// What an end says of its work: how many commits, where it is and what came last.
fn work(end: &Value) -> (Option<u64>, &str, Option<&str>) {
    let of = |key: &str| end.get(key).and_then(Value::as_str);
    let commits = end.get("commits").and_then(Value::as_u64);
    let commit = of("repo_head_sha").unwrap();
    (commits, commit, of("last_subject"))
}

#[test]
fn a_checkout_of_another_branch_takes_nothing_from_it() {
    let world = world();
    checkout(&world, &["-b", "topic"]);
    start(&world, "s1");
    world.commit("One");
    let mine = world.commit("Two");
    world.sq(&["session", "beat"]).ok();
    checkout(&world, &["main"]);
    world.commit("Somebody's on main");
    let end = swept(&world);
    assert_eq!(work(&end), (Some(2), mine.as_str(), Some("Two")));
    assert_eq!(end["branch"], "topic");
    assert!(!world.note(&mine).is_empty());
}

#[test]
fn a_checkout_of_another_branch_gives_it_nothing() {
    let world = world();
    let began = world.head();
    checkout(&world, &["-b", "topic"]);
    world.commit("One");
    world.commit("Two");
    checkout(&world, &["main"]);
    start(&world, "s1");
    checkout(&world, &["topic"]);
    let end = swept(&world);
    assert_eq!(work(&end), (Some(0), began.as_str(), None));
    assert_eq!(end["branch"], "main");
}

#[test]
fn a_branch_that_it_began_is_its_own() {
    let world = world();
    start(&world, "s1");
    world.commit("On main still");
    checkout(&world, &["-b", "topic"]);
    world.commit("One");
    let mine = world.commit("Two");
    let end = swept(&world);
    assert_eq!(work(&end), (Some(3), mine.as_str(), Some("Two")));
    assert_eq!(end["branch"], "topic");
}

#[test]
fn a_branch_that_is_no_more_leaves_the_number_unknown() {
    let world = world();
    checkout(&world, &["-b", "topic"]);
    let began = world.head();
    start(&world, "s1");
    world.commit("One");
    checkout(&world, &["main"]);
    world.git(&["branch", "--quiet", "-D", "topic"]).ok();
    world.commit("On main");
    assert_eq!(work(&swept(&world)), (None, began.as_str(), None));
}

#[test]
fn what_left_on_another_branch_is_looked_for_on_its_own() {
    let world = world();
    checkout(&world, &["-b", "topic"]);
    start(&world, "s1");
    let mine = world.commit("Mine");
    checkout(&world, &["main"]);
    start(&world, "s2");
    checkout(&world, &["topic"]);
    world.commit("Not mine");
    world.pass(HOUR + HOUR / 2);
    world.sq(&["session", "beat"]).ok();
    world.pass(HOUR);
    world.sq(&["session", "sweep"]).ok();
    let ends = entries(&world, "session");
    assert_eq!((ends.len(), &ends[0]["sid"]), (1, &json!("s1")));
    assert_eq!(work(&ends[0]), (Some(1), mine.as_str(), Some("Mine")));
}

#[test]
fn a_reset_behind_the_start_leaves_the_entry_there() {
    let world = world();
    let began = world.commit("Two");
    start(&world, "s1");
    world.git(&["reset", "--quiet", "--hard", "HEAD~1"]).ok();
    let end = swept(&world);
    assert_eq!(work(&end), (Some(0), began.as_str(), None));
    assert!(!world.note(&began).is_empty());
}

#[test]
fn a_reset_of_its_own_commit_leaves_the_others() {
    let world = world();
    start(&world, "s1");
    let mine = world.commit("One");
    world.commit("Two");
    world.git(&["reset", "--quiet", "--hard", "HEAD~1"]).ok();
    let end = swept(&world);
    assert_eq!(work(&end), (Some(1), mine.as_str(), Some("One")));
}

#[test]
fn a_rewritten_branch_has_the_entry_at_its_end() {
    let world = world();
    world.commit("Two");
    checkout(&world, &["-b", "other", "HEAD~1"]);
    let other = world.commit("Made before the start");
    checkout(&world, &["main"]);
    start(&world, "s1");
    world.git(&["reset", "--quiet", "--hard", "other"]).ok();
    assert_eq!(work(&swept(&world)), (Some(0), other.as_str(), None));
}

#[test]
fn a_detached_head_is_followed_as_long_as_it_is_detached() {
    let world = world();
    checkout(&world, &["--detach"]);
    start(&world, "s1");
    let mine = world.commit("Mine");
    let end = swept(&world);
    assert_eq!(work(&end), (Some(1), mine.as_str(), Some("Mine")));
    assert_eq!(end.get("branch"), None);
}

#[test]
fn a_detached_head_that_was_left_is_known_by_the_session_s_entries() {
    for says_something in [true, false] {
        let world = world();
        let began = world.head();
        checkout(&world, &["--detach"]);
        start(&world, "s1");
        let mine = world.commit("Mine");
        if says_something {
            world.sq(&["state", "set", "--next", "go on"]).ok();
        }
        world.commit("Said nothing here");
        checkout(&world, &["main"]);
        world.commit("On main");
        let expected = if says_something {
            (Some(1), mine.as_str(), Some("Mine"))
        } else {
            (Some(0), began.as_str(), None)
        };
        assert_eq!(work(&swept(&world)), expected);
    }
}

/// A session that began on a commit which is not in the repository any more.
fn with_a_pruned_start() -> World {
    let world = world();
    world.commit("Two");
    world.commit("Three");
    start(&world, "s1");
    world.git(&["reset", "--quiet", "--hard", "HEAD~1"]).ok();
    world.commit("Mine");
    world
        .git(&["reflog", "expire", "--expire=now", "--all"])
        .ok();
    world.git(&["gc", "--quiet", "--prune=now"]).ok();
    world
}

#[test]
fn without_the_start_commit_the_number_is_unknown() {
    let world = with_a_pruned_start();
    let said = world.sq(&["session", "end"]).ok();
    assert!(
        said.contains("on main, an unknown number of commits, 0 beats"),
        "{said}"
    );
    let ends = entries(&world, "session");
    let head = world.head();
    assert_eq!(work(&ends[0]), (None, head.as_str(), None));

    let world = with_a_pruned_start();
    let head = world.head();
    assert_eq!(work(&swept(&world)), (None, head.as_str(), None));
}

#[test]
fn an_end_on_a_branch_without_a_commit_is_written_where_it_began() {
    let world = world();
    let began = world.head();
    start(&world, "s1");
    world.sq(&["session", "beat", "--context", "0.5"]).ok();
    checkout(&world, &["--orphan", "fresh"]);
    let said = world.sq(&["session", "end"]).ok();
    assert_eq!(
        said,
        "Ended s1: 3 minutes on fresh, an unknown number of commits, 1 beat, context at most 50 %.\n"
    );
    let end = &entries(&world, "session")[0];
    assert_eq!(work(end), (None, began.as_str(), None));
    assert_eq!((end.get("head"), &end["how"]), (None, &json!("end")));
    assert_eq!(world.sq(&["session", "current"]).code, 1);
}
