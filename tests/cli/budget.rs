//! Notes and lines that are too large are not read, and are named.

use git_sq_test_support::{Team, World, original_line};

#[test]
fn a_huge_note_stops_nobody() {
    let mut team = Team::new();
    team.world.dir.clone_from(&team.clone);
    team.publish("s1");
    let blob = team.world.blob(&vec![b'x'; (64 << 20) + 1]);
    let tree = team.world.tree(&[format!("100644 blob {blob}\t{}", team.world.head())]);
    let commit = team.world.git(&["commit-tree", "-m", "Notes", &tree]).ok();
    let refspec = format!("+{}:refs/notes/sq", commit.trim());
    team.world
        .git(&["push", "--quiet", "--no-verify", &team.remote.to_string_lossy(), &refspec])
        .ok();
    team.git_ok("fetch --quiet");
    let head = team.world.head();
    team.world.dir = team.world.root();
    let check = team.try_sq_in(&team.clone, "check").exits(3);
    let why =
        format!("the note on {} is missing, damaged or larger than git sq reads", &head[..10]);
    assert_has!(check.stdout, why);
    team.work(&team.clone, "s2");
    assert_eq!(team.lines(&team.clone).len(), 2);
    // A clone that has nothing yet can record, too.
    let other = team.join("other");
    team.work(&other, "s3");
    let lines = team.lines(&other);
    assert!(lines.iter().any(|line| line.contains("\"s3\"")), "{lines:?}");
}

#[test]
fn a_note_of_ten_thousand_commits_is_read_once() {
    let world = World::new();
    let head = world.ask(&["q1"]);
    let line = original_line("s1", "2026-01-01T00:00:00.000Z", &head);
    let filler = format!("{{\"kind\":\"weather\",\"text\":\"{}\"}}\n", "x".repeat(60_000));
    let text = line + "\n" + &filler.repeat(16);
    let blob = world.blob(text.as_bytes());
    let mut entries: Vec<String> =
        (0..10_000).map(|n| format!("100644 blob {blob}\t{n:040x}")).collect();
    entries.push(format!("100644 blob {blob}\t{head}"));
    world.plant_tree(&entries);
    let check = world.try_sq("check");
    assert_has!(check.stdout, "1 session on");
    world.record("s2").ok();
    assert!(world.sq_ok("log").contains("s2"));
}
