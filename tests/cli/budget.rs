//! What others push can be small and mean more than any machine has: it is not read, and is named.

use git_sq_test_support::{Ran, Team, World, original_line, refs, words};

/// A tree of 18 levels of folders, three in each, beside notes that belong into them: 387 million notes in 19 objects.
fn bomb(world: &World) -> String {
    let blob = world.blob(b"{}\n");
    let mut tree = world.tree(&[format!("100644 blob {blob}\t0000")]);
    for level in (0..18).rev() {
        let rest = "f".repeat(38 - 2 * level);
        let entries = ["00", "01", "02"].into_iter().flat_map(|name| {
            let folder = format!("040000 tree {tree}\t{name}");
            [folder, format!("100644 blob {blob}\t{name}{rest}")]
        });
        tree = world.tree(&entries.collect::<Vec<_>>());
    }
    tree
}

/// A team whose remote has a log that a tree makes up, on top of the one that was there.
fn team_with(tree: impl Fn(&World) -> String) -> (Team, String) {
    let mut team = Team::new();
    team.world.dir.clone_from(&team.clone);
    team.work(&team.clone, "s1");
    team.git_ok("push --quiet");
    team.settle(&team.clone);
    let good = team.git_ok_in(&team.remote, "rev-parse refs/notes/sq");
    let good = good.trim().to_owned();
    team.git_ok("fetch --quiet");
    let tree = tree(&team.world);
    let commit = ["commit-tree", "-m", "Notes", "-p", &good, &tree];
    let commit = team.world.git(&commit).ok();
    let refspec = format!("{}:refs/notes/sq", commit.trim());
    team.git(
        &team.clone,
        &["push", "--quiet", "--no-verify", "origin", &refspec],
    )
    .ok();
    team.git_ok("fetch --quiet");
    team.world.dir = team.world.root();
    (team, good)
}

/// Sees that nobody is stopped by what the remote has, and that all is well once that was set back.
#[track_caller]
fn stops_nobody((team, good): (Team, String), why: &str) {
    let sq = |line: &str| team.sq(&team.clone, &refs(&words(line)));
    let said = |ran: &Ran| {
        assert!(ran.stdout.contains(why), "{}", ran.transcript());
        assert!(ran.stdout.contains("refs/notes/remotes/origin/sq"));
    };
    let check = sq("check");
    assert_eq!(check.code, 3, "{}", check.transcript());
    said(&check);
    assert!(
        check.stdout.contains("1 session on"),
        "{}",
        check.transcript()
    );
    for line in [
        "log",
        "brief",
        "state show",
        "tension list",
        "doctor",
        "",
        "carry --dry-run",
    ] {
        let ran = sq(line);
        assert!(ran.code != 128, "{line}: {}", ran.transcript());
    }
    team.work(&team.clone, "s2");
    assert_eq!(team.lines(&team.clone).len(), 2);
    team.git_ok("push --quiet");
    team.settle(&team.clone);
    let sync = sq("sync");
    assert_eq!(sync.code, 128);
    assert!(
        sync.stderr.contains("than git sq reads"),
        "{}",
        sync.transcript()
    );
    // A clone that has nothing yet takes nothing of it.
    let other = team.join("other");
    team.work(&other, "s3");
    assert_eq!(team.lines(&other).len(), 1);
    // The remedy.
    let back = format!("update-ref refs/notes/sq {good}");
    team.git_ok_in(&team.remote, &back);
    sq("sync").ok();
    team.git_ok("fetch --quiet");
    assert_eq!(team.lines_on_remote().len(), 2);
    assert_eq!(sq("check").code, 0);
}

#[test]
fn folders_in_folders_stop_nobody() {
    stops_nobody(team_with(bomb), "more folders or notes than git sq reads");
}

#[test]
fn a_huge_note_stops_nobody() {
    let huge = |world: &World| {
        let blob = world.blob(&vec![b'\n'; (64 << 20) + 1]);
        world.tree(&[format!("100644 blob {blob}\t{}", "0".repeat(40))])
    };
    let (team, good) = team_with(huge);
    stops_nobody((team, good), "have more bytes or lines than git sq reads");
}

#[test]
fn a_million_lines_stop_nobody() {
    let many = |world: &World| {
        let lines: String = (0..1_000_001).map(|n| format!("{n}\n")).collect();
        let blob = world.blob(lines.as_bytes());
        world.tree(&[format!("100644 blob {blob}\t{}", "0".repeat(40))])
    };
    stops_nobody(
        team_with(many),
        "have more bytes or lines than git sq reads",
    );
}

#[test]
fn folders_in_folders_of_this_clone_are_named() {
    let world = World::asked();
    let commit = world
        .git(&["commit-tree", "-m", "Notes", &bomb(&world)])
        .ok();
    world.record("s1").ok();
    world.git_ok(&format!("update-ref refs/notes/sq {}", commit.trim()));
    let check = world.sq(&["check"]);
    assert_eq!(check.code, 3, "{}", check.transcript());
    assert!(
        check.stdout.contains("refs/notes/sq at "),
        "{}",
        check.transcript()
    );
    for line in ["log", "brief", "state show", "tension list", "doctor", ""] {
        let ran = world.try_sq(line);
        assert!(ran.code != 128, "{line}: {}", ran.transcript());
    }
    let before = world.git_ok("rev-parse refs/notes/sq");
    let refused = world.record("s2");
    assert_eq!(refused.code, 128, "{}", refused.transcript());
    assert_eq!(world.git_ok("rev-parse refs/notes/sq"), before);
    world.git_ok("update-ref refs/notes/sq refs/notes/sq@{1}");
    world.record("s2").ok();
    assert_eq!(world.lines().len(), 2);
}

#[test]
fn a_note_of_ten_thousand_commits_is_read_once() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let line = original_line("s1", "2026-01-01T00:00:00.000Z", &head);
    let filler = format!(
        "{{\"kind\":\"weather\",\"text\":\"{}\"}}\n",
        "x".repeat(60_000)
    );
    let text = line + "\n" + &filler.repeat(16);
    let blob = world.blob(text.as_bytes());
    let others = (0..10_000).map(|n| format!("100644 blob {blob}\t{n:040x}"));
    let mut entries: Vec<String> = others.collect();
    entries.push(format!("100644 blob {blob}\t{head}"));
    world.plant_tree(&entries);
    let check = world.sq(&["check"]);
    assert!(
        check.stdout.contains("1 session on"),
        "{}",
        check.transcript()
    );
    world.record("s2").ok();
    assert!(world.sq_ok("log").contains("s2"));
}

#[test]
fn a_line_that_is_too_long_is_unknown() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let line = original_line(&"s".repeat(70_000), "2026-01-01T00:00:00.000Z", &head);
    world.plant(&[(&head, line.as_bytes())]);
    let check = world.sq(&["check"]);
    assert_eq!(check.code, 3, "{}", check.transcript());
    assert!(
        check.stdout.contains("bytes, more than 65536"),
        "{}",
        check.transcript()
    );
}
