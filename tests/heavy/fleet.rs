//! 200 healthy repositories and ten broken ones: right rows, in time.

use std::{fs, time::Instant};

use git_sq_test_support::fleet::{fleet, row};

#[test]
fn two_hundred_repositories_are_read_in_ten_seconds() {
    let (world, members) = fleet(200);
    let list = world.root().join("list");
    let lines = members.iter().map(|member| format!("{}\n", member.path.display()));
    fs::write(&list, lines.collect::<String>()).unwrap();
    let mut command = world.sq_command(&["fleet", "--no-cache", "--file", list.to_str().unwrap()]);
    let begin = Instant::now();
    let ran: git_sq_test_support::Ran = command.output().unwrap().into();
    let took = begin.elapsed();
    println!("{} repositories in {took:?}", members.len());
    assert_eq!(ran.code, 1, "{}", ran.transcript());
    for member in &members {
        assert!(row(&ran.stdout, &member.path).contains(member.says), "{}", ran.stdout);
    }
    assert!(took.as_secs() < 10, "{took:?}");
}
