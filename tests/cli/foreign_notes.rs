//! Notes trees that no well-behaved program makes, and that git reads all the same.

use git_sq_test_support::{World, original_line};
use serde_json::Value;

/// A world with two commits, and a line for each.
fn two_lines() -> (World, [String; 2], [String; 2]) {
    let world = World::new();
    let first = world.ask(&["q1"]);
    let second = world.commit("Go on");
    let one = original_line("s01", "2026-01-01T00:00:00Z", &first);
    let two = original_line("s02", "2026-01-01T00:00:30Z", &second);
    (world, [first, second], [one, two])
}

fn blob_entry(world: &World, name: &str, text: &str) -> String {
    format!("100644 blob {}\t{name}", world.blob(text.as_bytes()))
}

#[track_caller]
fn sessions(world: &World) -> Value {
    let (report, code) = world.check(&[]);
    assert_eq!(code, 0, "{report}");
    report["sessions"].clone()
}

#[test]
fn notes_on_other_objects_than_commits() {
    let (world, [_, second], [_, two]) = two_lines();
    let tree = world.git_ok("rev-parse HEAD^{tree}");
    let blob = world.git_ok("rev-parse HEAD:standing_questions.json");
    let absent = "0123456789012345678901234567890123456789";
    let line = |sid| original_line(sid, "2026-01-01T00:00:00Z", absent) + "\n";
    let (on_tree, on_blob, on_absent) = (line("tree"), line("blob"), line("absent"));
    world.plant(&[
        (tree.trim(), on_tree.as_bytes()),
        (blob.trim(), on_blob.as_bytes()),
        (absent, on_absent.as_bytes()),
        (&second, two.as_bytes()),
    ]);
    let (report, code) = world.check(&[]);
    assert_eq!(code, 0, "{report}");
    assert_eq!(report["sessions"], 1);
    assert_eq!(report["elsewhere"], 3);
    world.record("s03").ok();
    assert_eq!(sessions(&world), 2);
    assert_eq!(world.note(tree.trim()), on_tree.as_bytes());
    assert_eq!(world.note(blob.trim()), on_blob.as_bytes());
    assert_eq!(world.note(absent), on_absent.as_bytes());
}

#[test]
fn what_is_no_note_is_passed_over_and_kept() {
    let (world, [first, second], [one, two]) = two_lines();
    let other = world.blob(b"text");
    let folder = world.tree(&[format!("100644 blob {other}\tfile")]);
    let other_head = &original_line("s09", "2026-01-01T00:00:00Z", &first);
    let odd = [
        format!("100644 blob {other}\tREADME"),
        format!(
            "120000 blob {}\t{}",
            world.blob(other_head.as_bytes()),
            first
        ),
        format!("160000 commit {second}\tsub"),
        format!("040000 tree {folder}\tnotes"),
        blob_entry(&world, &first[..39], &one),
        blob_entry(&world, &format!("{first}0"), &one),
    ];
    let note = blob_entry(&world, &second, &two);
    world.plant_tree(&[&odd[..], &[note]].concat());
    // What git takes for a note is the measure.
    let list = world.git_ok("notes --ref=sq list");
    assert_eq!(list.lines().count(), 1, "{list}");
    assert_eq!(sessions(&world), 1);
    world.record("s03").ok();
    assert_eq!(sessions(&world), 2);
    let after = world.git_ok("ls-tree refs/notes/sq");
    for entry in &odd {
        assert!(after.lines().any(|line| line == entry), "{entry}: {after}");
    }
    world.git_ok("fsck --strict");
}

#[test]
fn a_submodule_in_the_place_of_a_note() {
    let (world, [first, second], [_, two]) = two_lines();
    let note = blob_entry(&world, &second, &two);
    world.plant_tree(&[format!("160000 commit {second}\t{first}"), note]);
    assert_eq!(sessions(&world), 1);
    world.record("s03").ok();
    assert_eq!(sessions(&world), 2);
}

#[test]
fn one_object_flat_and_fanned_out() {
    let (world, [first, second], [one, two]) = two_lines();
    let fanned = world.tree(&[blob_entry(&world, &first[2..], &one)]);
    let again = original_line("s03", "2026-01-01T00:00:40Z", &first);
    world.plant_tree(&[
        blob_entry(&world, &first, &again),
        blob_entry(&world, &second, &two),
        format!("040000 tree {fanned}\t{}", &first[..2]),
    ]);
    let shown = world.git_ok(&format!("notes --ref=sq show {first}"));
    assert_eq!(
        shown.matches("\"sid\"").count(),
        2,
        "git reads both: {shown}"
    );
    assert_eq!(world.check(&[]).0["sessions"], 3);
    // The next write gives each a single note, also where another commit gets the line.
    let lines = world.lines();
    world.record("s04").ok();
    assert_eq!(world.check(&[]).0["sessions"], 4);
    assert_eq!(world.git_ok("notes --ref=sq list").lines().count(), 2);
    let now = world.lines();
    assert!(
        lines
            .iter()
            .all(|line| line.is_empty() || now.contains(line)),
        "{lines:#?} {now:#?}"
    );
    world.git_ok("fsck --strict");
}

#[test]
fn one_object_in_two_kinds_of_letters() {
    let (world, [first, second], [one, two]) = two_lines();
    let again = original_line("s03", "2026-01-01T00:00:40Z", &second);
    world.plant_tree(&[
        blob_entry(&world, &first, &one),
        blob_entry(&world, &second, &two),
        blob_entry(&world, &second.to_uppercase(), &again),
        format!("100644 blob {}\tREADME", world.blob(b"kept")),
    ]);
    assert_eq!(sessions(&world), 3);
    let lines = world.lines();
    world.record("s04").ok();
    assert_eq!(world.check(&[]).0["sessions"], 4);
    assert_eq!(world.git_ok("notes --ref=sq list").lines().count(), 2);
    assert!(world.git_ok("ls-tree refs/notes/sq").contains("README"));
    let now = world.lines();
    assert!(
        lines
            .iter()
            .all(|line| line.is_empty() || now.contains(line)),
        "{lines:#?} {now:#?}"
    );
}

#[test]
fn entries_out_of_order() {
    let (world, [first, second], [one, two]) = two_lines();
    let again = original_line("s03", "2026-01-01T00:00:40Z", &second);
    let upper = second.to_uppercase();
    let files = [
        ("zz", "kept"),
        (&first, &one),
        (&second, &two),
        (&upper, &again),
        ("README", "kept"),
    ];
    let mut tree = Vec::new();
    for (name, text) in files {
        tree.extend(format!("100644 {name}\0").bytes());
        let id = world.blob(text.as_bytes());
        let byte = |at| u8::from_str_radix(&id[at..at + 2], 16).unwrap();
        tree.extend((0..id.len()).step_by(2).map(byte));
    }
    let write = ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"];
    let tree = world.git_with_input(&write, &tree).ok();
    let commit = world.git_ok(&format!("commit-tree -m Notes {}", tree.trim()));
    world.git_ok(&format!("update-ref refs/notes/sq {}", commit.trim()));
    assert_eq!(sessions(&world), 3);
    world.record("s04").ok();
    assert_eq!(sessions(&world), 4);
    let now = world.git_ok("ls-tree --name-only refs/notes/sq");
    let names: Vec<&str> = now.lines().collect();
    assert!(names.is_sorted() && names.len() == 4, "{now}");
}

#[test]
fn deeper_fanout_than_needed() {
    let (world, [first, second], [one, two]) = two_lines();
    let folder = |hex: &str, line: &str| {
        let inner = world.tree(&[blob_entry(&world, &hex[4..], line)]);
        let outer = world.tree(&[format!("040000 tree {inner}\t{}", &hex[2..4])]);
        format!("040000 tree {outer}\t{}", &hex[..2])
    };
    world.plant_tree(&[folder(&first, &one), folder(&second, &two)]);
    assert_eq!(sessions(&world), 2);
    world.record("s03").ok();
    assert_eq!(sessions(&world), 3);
    assert_eq!(world.git_ok("notes --ref=sq list").lines().count(), 2);
}

#[test]
fn upper_case_hex() {
    let (world, [first, second], [one, two]) = two_lines();
    world.plant_tree(&[
        blob_entry(&world, &first.to_uppercase(), &one),
        blob_entry(&world, &second, &two),
    ]);
    let list = world.git_ok("notes --ref=sq list");
    assert_eq!(list.lines().count(), 2, "git reads both: {list}");
    assert_eq!(sessions(&world), 2);
    // Written to as well.
    world.git_ok(&format!("checkout --quiet {first}"));
    world.record("s03").ok();
    world.git_ok("checkout --quiet main");
    assert_eq!(sessions(&world), 3);
    assert_eq!(world.git_ok("notes --ref=sq list").lines().count(), 2);
}

#[test]
fn an_executable_note() {
    let (world, [first, _], [one, _]) = two_lines();
    let blob = world.blob(one.as_bytes());
    world.plant_tree(&[format!("100755 blob {blob}\t{first}")]);
    assert_eq!(world.git_ok("notes --ref=sq list").lines().count(), 1);
    assert_eq!(sessions(&world), 1);
}

#[test]
fn an_empty_log() {
    let world = World::asked();
    world.plant_tree(&[]);
    let (report, code) = world.check(&[]);
    assert_eq!(code, 1, "{report}");
    assert_eq!(report["findings"][0]["rule"], "no-sessions");
    world.record("s01").ok();
    assert_eq!(sessions(&world), 1);
}
