//! `git sq demo`: both metrics fire, and the place that it made can be looked at.

use git_sq_test_support::World;

#[test]
fn both_metrics_fire() {
    let world = World::without_repo();
    let tmp = world.root().join("tmp");
    std::fs::create_dir(&tmp).unwrap();
    let world = world
        .env("TMPDIR", tmp.to_str().unwrap())
        .env("TMP", tmp.to_str().unwrap());
    // Its sessions are of May 2026, and a log can't end before its entries.
    world.pass(150 * 24 * 3600);
    let said = world.sq_ok("demo");
    let place = std::fs::read_dir(&tmp)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let said = said.replace(place.to_str().unwrap(), "[folder]");
    insta::assert_snapshot!(said);

    let there = world.at(place);
    let (check, code) = there.check(&[]);
    assert_eq!(code, 1);
    assert_eq!(check["quiet"]["longest_run"], 3);
    assert_eq!(there.lines().len(), 7);
    assert_eq!(there.git_ok("status --porcelain"), "");
    there.git_ok("fsck --strict");
}
