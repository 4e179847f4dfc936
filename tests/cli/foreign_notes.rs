//! Notes trees that no well-behaved program makes, and that git reads all the same.

use git_sq_test_support::{World, original_line};

/// A world with two commits, and a line for each; and another line of the second.
struct Notes {
    world: World,
    first: String,
    second: String,
    one: String,
    two: String,
    again: String,
}

fn notes() -> Notes {
    let world = World::new();
    let first = world.ask(&["q1"]);
    let second = world.commit("Go on");
    Notes {
        one: original_line("s01", "2026-01-01T00:00:00Z", &first),
        two: original_line("s02", "2026-01-01T00:00:30Z", &second),
        again: original_line("s03", "2026-01-01T00:00:40Z", &second),
        world,
        first,
        second,
    }
}

impl Notes {
    fn entry(&self, name: &str, text: &str) -> String {
        format!("100644 blob {}\t{name}", self.world.blob(text.as_bytes()))
    }

    /// A folder with one note in it.
    fn folder(&self, name: &str, entry: &str) -> String {
        let tree = self.world.tree(&[entry.to_owned()]);
        format!("040000 tree {tree}\t{name}")
    }

    /// So many sessions count; the next write gives each commit one note that git lists, and loses no line.
    #[track_caller]
    fn hold(&self, sessions: usize, notes: usize) {
        let world = &self.world;
        assert_eq!(world.check(&[]).0["sessions"], sessions);
        let lines = world.lines();
        world.record("s99").ok();
        assert_eq!(world.check(&[]).0["sessions"], sessions + 1);
        assert_eq!(world.git_ok("notes --ref=sq list").lines().count(), notes);
        let now = world.lines();
        let is_kept = |line: &String| line.is_empty() || now.contains(line);
        assert!(lines.iter().all(is_kept), "{lines:#?} {now:#?}");
        world.git_ok("fsck --strict");
    }
}

#[test]
fn notes_on_other_objects_than_commits() {
    let on = notes();
    let world = &on.world;
    let tree = world.git_ok("rev-parse HEAD^{tree}");
    let blob = world.git_ok("rev-parse HEAD:standing_questions.json");
    let absent = "0123456789012345678901234567890123456789";
    let line = original_line("other", "2026-01-01T00:00:00Z", absent) + "\n";
    let others = [tree.trim(), blob.trim(), absent];
    let planted = others.map(|object| (object, line.as_bytes()));
    world.plant(&[&planted[..], &[(&on.second, on.two.as_bytes())]].concat());
    assert_eq!(world.check(&[]).0["elsewhere"], 1);
    on.hold(1, 4);
    assert!(others.iter().all(|object| world.note(object) == line.as_bytes()));
}

#[test]
fn what_is_no_note_is_passed_over_and_kept() {
    let on = notes();
    let Notes { world, first, second, one, .. } = &on;
    let odd = [
        on.entry("README", "text"),
        on.entry(first, one).replace("100644", "120000"),
        format!("160000 commit {second}\tsub"),
        on.folder("notes", &on.entry("file", "text")),
        on.entry(&first[..39], one),
        on.entry(&format!("{first}0"), one),
    ];
    world.plant_tree(&[&odd[..], &[on.entry(second, &on.two)]].concat());
    // What git takes for a note is the measure.
    assert_eq!(world.git_ok("notes --ref=sq list").lines().count(), 1);
    on.hold(1, 1);
    let after = world.git_ok("ls-tree refs/notes/sq");
    for entry in &odd {
        assert!(after.lines().any(|line| line == entry), "{entry}: {after}");
    }
    // A submodule in the place of a note.
    let module = format!("160000 commit {second}\t{first}");
    world.plant_tree(&[module, on.entry(second, &on.two)]);
    assert_eq!(world.check(&[]).0["sessions"], 1);
    // A note that can be executed.
    world.plant_tree(&[on.entry(first, one).replace("100644", "100755")]);
    assert_eq!(world.check(&[]).0["sessions"], 1);
    // A log without a note.
    world.plant_tree(&[]);
    assert_eq!(world.verdict("").split(' ').nth(1), Some("no-sessions"));
    world.record("s01").ok();
    assert_eq!(world.check(&[]).0["sessions"], 1);
}

#[test]
fn one_object_flat_and_fanned_out() {
    let on = notes();
    let again = on.again.replace(&on.second, &on.first);
    on.world.plant_tree(&[
        on.entry(&on.first, &again),
        on.entry(&on.second, &on.two),
        on.folder(&on.first[..2], &on.entry(&on.first[2..], &on.one)),
    ]);
    let shown = on.world.git_ok(&format!("notes --ref=sq show {}", on.first));
    assert_eq!(shown.matches("\"sid\"").count(), 2, "git reads both: {shown}");
    on.hold(3, 2);
}

#[test]
fn one_object_in_two_kinds_of_letters() {
    let on = notes();
    on.world.plant_tree(&[
        on.entry(&on.first.to_uppercase(), &on.one),
        on.entry(&on.second, &on.two),
        on.entry(&on.second.to_uppercase(), &on.again),
    ]);
    on.hold(3, 2);
}

#[test]
fn entries_out_of_order() {
    let on = notes();
    let world = &on.world;
    let upper = on.second.to_uppercase();
    let files = [
        ("zz", "text"),
        (&on.first, &on.one),
        (&on.second, &on.two),
        (&upper, &on.again),
        ("README", "text"),
    ];
    let mut tree = Vec::new();
    for (name, text) in files {
        tree.extend(format!("100644 {name}\0").bytes());
        let id = world.blob(text.as_bytes());
        tree.extend(
            (0..id.len()).step_by(2).map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap()),
        );
    }
    let write = ["hash-object", "-t", "tree", "-w", "--stdin", "--literally"];
    let tree = world.git_with_input(&write, &tree).ok();
    let commit = world.git_ok(&format!("commit-tree -m Notes {tree}"));
    world.git_ok(&format!("update-ref refs/notes/sq {commit}"));
    assert_eq!(world.check(&[]).0["sessions"], 3);
    world.record("s04").ok();
    assert_eq!(world.check(&[]).0["sessions"], 4);
    let now = world.git_ok("ls-tree --name-only refs/notes/sq");
    let names: Vec<&str> = now.lines().collect();
    // The tree can't be edited: the new one has the notes.
    let mut notes = [&*on.first, &*on.second];
    notes.sort_unstable();
    assert_eq!(names, notes);
}

#[test]
fn deeper_fanout_than_needed() {
    let on = notes();
    let deep = |hex: &str, line: &str| {
        let inner = on.folder(&hex[2..4], &on.entry(&hex[4..], line));
        on.folder(&hex[..2], &inner)
    };
    on.world.plant_tree(&[deep(&on.first, &on.one), deep(&on.second, &on.two)]);
    on.hold(2, 2);
}
