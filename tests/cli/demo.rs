//! `git sq demo`: both metrics fire, and the place that it made can be looked at.

use git_sq_test_support::World;

#[test]
fn both_metrics_fire() {
    let world = World::without_repo();
    let tmp = world.root().join("tmp");
    std::fs::create_dir(&tmp).unwrap();
    let folder = tmp.to_str().unwrap();
    let world = world.env("TMPDIR", folder).env("TMP", folder);
    // Its sessions are of May 2026, and a log can't end before its entries.
    world.pass(150 * 24 * 3600);
    let said = world.sq_ok("demo");
    let place = std::fs::read_dir(&tmp).unwrap().next().unwrap().unwrap().path();
    insta::assert_snapshot!(said.replace(place.to_str().unwrap(), "[folder]"));
    let there = world.at(place);
    assert!(there.verdict("").starts_with("1 "));
    assert_eq!(there.lines().len(), 7);
    assert_eq!(there.git_ok("status --porcelain"), "");
    there.git_ok("fsck --strict");
}
