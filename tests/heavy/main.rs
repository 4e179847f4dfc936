//! Against real git, at 10, 1,000 and 50,000 notes: what we write git reads, what git writes we read, and both come to
//! the same tree. And pushes over HTTP and beside hook managers, and coding agents. `cargo test --release --test heavy`

mod cheaters;
#[cfg(unix)]
mod fleet;
mod harnesses;
mod http;
mod managers;
#[cfg(unix)]
mod metrics;
mod model;
mod page;
mod scene;
mod table;
mod world;

use std::collections::BTreeSet;

use git_sq::{entry::Line, git::Oid, store};
use world::{Entries, World};

/// How many lines are handed to the store at once.
const BATCH: usize = 5_000;

#[test]
fn ten_notes() {
    prove(10);
}

#[test]
fn a_thousand_notes() {
    prove(1_000);
}

#[test]
fn fifty_thousand_notes() {
    prove(50_000);
}

fn prove(notes: usize) {
    let world = world::with_history(notes);
    let entries = Entries::on(&world::commits(&world));
    assert_eq!(entries.0.len(), notes);

    let lines: Vec<(Oid, Line)> = entries.lines();
    for batch in lines.chunks(BATCH) {
        store::append(&world::repo(&world), batch, "Notes added").unwrap();
    }
    git_reads_what_we_wrote(&world, &entries);
    let ours = world::tree(&world, store::LOCAL_REF);
    let exported = world.sq(&["export"]).ok();

    for name in [store::LOCAL_REF, store::KEPT_REF] {
        world.git(&["update-ref", "-d", name]).ok();
    }
    world::git_writes(&world, &entries);
    assert_eq!(ours, world::tree(&world, store::LOCAL_REF), "git writes another tree");
    // Cached values are keyed by the notes commit, and this is another one; still, nothing old may help.
    assert_eq!(exported, world.sq(&["export", "--no-cache"]).ok());
    we_read_what_git_wrote(&world, &entries);
    each_goes_on_where_the_other_stopped(&world, &entries);
}

fn git_reads_what_we_wrote(world: &World, entries: &Entries) {
    let notes = world.git(&["notes", "--ref=sq", "list"]).ok();
    let annotated = notes.lines().filter_map(|line| line.split(' ').nth(1));
    let commits = entries.0.iter().map(|(commit, _)| commit.as_str());
    assert_eq!(annotated.collect::<BTreeSet<_>>(), commits.collect());

    let shown = world.git(&["log", "--notes=sq", "--format=%N"]).ok();
    let mut shown: Vec<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
    shown.sort_unstable();
    assert_eq!(shown, entries.texts());

    for (commit, text) in entries.0.iter().step_by(entries.0.len().div_ceil(20)) {
        let show = world.git(&["notes", "--ref=sq", "show", commit]).ok();
        assert_eq!(show, format!("{text}\n"));
    }
    let fsck = world.git(&["fsck", "--strict", "--no-dangling", "--no-progress"]);
    assert_eq!(fsck.transcript(), "--- exit 0\n");
}

fn we_read_what_git_wrote(world: &World, entries: &Entries) {
    let exported = world.sq(&["export"]).ok();
    let mut exported: Vec<&str> = exported.lines().collect();
    exported.sort_unstable();
    assert_eq!(exported, entries.texts());
    let (check, code) = world.check(&["--no-cache"]);
    assert_eq!(check["sessions"], entries.0.len());
    assert_eq!(check["unknown"], serde_json::json!([]));
    assert_eq!(code, 0, "{}", check["findings"]);
}

/// Git edits a tree that we wrote, we one that git wrote, in turns; the same edits by git alone give the same tree.
fn each_goes_on_where_the_other_stopped(world: &World, entries: &Entries) {
    let start = world::tree(world, store::LOCAL_REF);
    let (commit, _) = entries.0.last().unwrap();
    let later = world::entry(entries.0.len(), commit);
    let line = Line::of(&later).unwrap();
    let text = String::from_utf8(line.as_bytes().to_vec()).unwrap();
    let lines = [(commit.parse().unwrap(), line)];
    store::append(&world::repo(world), &lines, "Notes added").unwrap();
    let show = world.git(&["notes", "--ref=sq", "show", commit]).ok();
    assert!(show.ends_with(&format!("{text}\n")), "{show}");
    assert_eq!(show.lines().count(), 2);

    let first = &entries.0[0].1;
    world.git(&["notes", "--ref=sq", "remove", commit]).ok();
    let last = &entries.0.last().unwrap().1;
    world.git(&["notes", "--ref=sq", "add", "-m", last, commit]).ok();
    assert_eq!(start, world::tree(world, store::LOCAL_REF));
    world.git(&["notes", "--ref=sq", "append", "-m", &text, &entries.0[0].0]).ok();
    let exported = world.sq(&["export"]).ok();
    for line in [&text, first] {
        assert!(exported.lines().any(|read| read == line), "{line} is not read");
    }
}
