//! Commits whose author, committer or date no well-behaved program writes: git reads them, and so do all commands.

use git_sq_test_support::{Ran, World};

use crate::odd_limits::within;

const COMMANDS: &[&str] = &[
    "brief",
    "record --sid s2 --same q1",
    "check",
    "verify",
    "verify --log",
    "log",
    "status",
    "stats",
    "show HEAD",
    "facts",
    "report",
    "carry",
    "question list",
    "show q1",
    "show standing_questions.json",
    "triage",
    "fleet .",
    "state",
    "question history q1",
    "doctor",
    "export",
];

/// Runs it with little memory.
fn sq(world: &World, line: &str) -> Ran {
    within(world, &world.dir, &format!("git sq {line}"))
}

/// A history with an entry, whose middle and last commits have these lines.
fn world(by: &str) -> World {
    let world = World::answered("s1");
    for name in ["middle", "last"] {
        world.write(name, "text\n");
        world.commit(name);
        let commit = world.git_ok("cat-file commit HEAD");
        let kept: String = commit
            .split_inclusive('\n')
            .filter(|line| !["author ", "committer "].iter().any(|key| line.starts_with(key)))
            .collect();
        let odd = kept.replacen("\n\n", &format!("\n{by}\n"), 1);
        let args = ["hash-object", "-t", "commit", "-w", "--stdin", "--literally"];
        let id = world.git_with_input(&args, odd.as_bytes()).ok();
        world.git_ok(&format!("reset --quiet --hard {}", id.trim()));
    }
    world.commit("after");
    world
}

#[track_caller]
fn is_read(by: &str) {
    let world = world(by);
    for line in COMMANDS {
        let ran = sq(&world, line);
        let text = ran.transcript();
        assert!(matches!(ran.code, 0 | 1), "{by:?}: git sq {line}: {text}");
        for word in [" is missing", "could not", "can't be read"] {
            assert!(!text.contains(word), "{word}: {by:?}: git sq {line}: {text}");
        }
    }
    world.git_ok("checkout --quiet HEAD~1");
    for line in COMMANDS {
        let ran = sq(&world, line);
        assert!(matches!(ran.code, 0 | 1), "{by:?}: git sq {line}: {}", ran.transcript());
    }
}

/// The lines of a commit by somebody at a time.
fn at(time: &str) -> String {
    format!("author Ada <ada@example.org> {time}\ncommitter Ada <ada@example.org> {time}\n")
}

#[test]
fn a_zone_that_cannot_be_read_does_not_count() {
    for zone in ["-40643156", "+9999", "+99999999999999999999", "x", "+0", ""] {
        is_read(&at(&format!("4733510400 {zone}")));
    }
}

#[test]
fn a_time_that_cannot_be_read_is_the_earliest() {
    for time in ["99999999999999999999999", "-9223372036854775808", "9223372036854775807", "x", ""]
    {
        is_read(&at(&format!("{time} +0000")));
    }
}

#[test]
fn an_author_without_an_address_is_somebody() {
    for by in ["Ada 1767225600 +0000", "Ada <", "Ada > <", "", "<<>> 1767225600 +0000"] {
        is_read(&format!("author {by}\ncommitter {by}\n"));
    }
}

#[test]
fn a_commit_without_an_author_is_by_nobody() {
    is_read("committer Ada <ada@example.org> 1767225600 +0000\n");
    is_read("author Ada <ada@example.org> 1767225600 +0000\n");
    is_read("");
}

/// Nothing is missing, so that nothing has to be fetched.
#[test]
fn a_commit_that_is_too_large_is_called_that() {
    let world = World::answered("s1");
    let args = ["commit-tree", "-p", "HEAD", "HEAD^{tree}"];
    let large = world.git_with_input(&args, "message\n".repeat(9 << 20).as_bytes()).ok();
    world.git_ok(&format!("reset --quiet --hard {}", large.trim()));
    world.change("after", "text\n");
    for line in COMMANDS {
        let ran = sq(&world, line);
        let text = ran.transcript();
        assert!(matches!(ran.code, 0 | 3 | 128), "git sq {line}: {text}");
        assert!(!text.contains("is missing"), "git sq {line}: {text}");
    }
    let check = sq(&world, "check");
    let unknown = format!("the commit {} has more than 64 MiB", large.trim());
    assert_has!(check.transcript(), unknown);
    assert_eq!(check.code, 3);
}
