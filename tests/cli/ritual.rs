//! The ritual from end to end.

use git_sq_test_support::World;

#[test]
fn a_session_is_recorded_and_measured() {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    let said = world
        .sq(&[
            "record", "--sid", "s01", "--same", "q1=one", "--same", "q2=two",
        ])
        .ok();
    assert!(said.contains("Recorded 2 answers"), "{said}");
    let (check, code) = world.check(&[]);
    assert_eq!(code, 0, "{check}");
    assert_eq!(check["sessions"], 1);
    assert_eq!(check["latest_sid"], "s01");
}
