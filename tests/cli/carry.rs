//! `git sq carry`: entries of rewritten commits find their home, and only where that is certain.

use std::sync::OnceLock;

use git_sq_test_support::{Ran, Template, World, each};
use serde_json::{Value, json};

use super::rewrites::{hooked, session};

const AMEND: &str = "commit --quiet --amend -m Better";

/// A repository with a store, some files, and a branch of three sessions off main.
fn branched() -> World {
    static MADE: OnceLock<Template> = OnceLock::new();
    World::copy_of(&MADE, || {
        let world = World::new();
        world.write("near.txt", lines(&[]));
        world.ask(&["q1"]);
        world.record("s00").ok();
        world.git_ok("switch --quiet -c topic");
        for (number, sid) in (1..).zip(["s01", "s02", "s03"]) {
            world.write("near.txt", lines(&[(2, sid)]));
            world.change(&format!("{sid}.txt"), format!("{number}\n"));
            world.record(sid).ok();
        }
        world
    })
}

/// The same with main moved elsewhere, the branch squashed into it and deleted; and the squash.
pub fn squashed() -> (World, Vec<String>, String) {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Elsewhere);
    let squashed = squash(&world);
    delete_topic(&world);
    (world, topic, squashed)
}

/// Twelve lines of text, some of them changed.
pub fn lines(changed: &[(usize, &str)]) -> String {
    (1..=12)
        .map(|number| {
            changed
                .iter()
                .find(|(changed, _)| *changed == number)
                .map_or_else(|| format!("line {number}\n"), |(_, text)| format!("{text}\n"))
        })
        .collect()
}

/// How main moves before the merge.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Main {
    Unmoved,
    Elsewhere,
    /// In lines so near to the branch's that a patch with context differs.
    Nearby,
    /// The very file: every patch differs, and git still merges.
    Renamed,
}

fn move_main(world: &World, how: Main) {
    world.git_ok("switch --quiet main");
    match how {
        Main::Unmoved => return,
        Main::Elsewhere => world.write("other.txt", "other\n"),
        Main::Nearby => world.write("near.txt", lines(&[(4, "moved")])),
        Main::Renamed => drop(world.git_ok("mv near.txt moved.txt")),
    }
    world.commit("Main moves");
}

pub fn squash(world: &World) -> String {
    world.git_ok("merge --quiet --squash topic");
    let squashed = world.commit("Squashed");
    world.change("later.txt", "later\n");
    world.commit("Nothing at all");
    squashed
}

pub fn delete_topic(world: &World) {
    world.git_ok("branch --quiet -D topic");
}

/// A branch of one commit with an entry, deleted again.
fn thrown_away(world: &World, path: &str, text: &str) -> String {
    world.git_ok("switch --quiet -c topic");
    let commit = world.change(path, text);
    world.record("s01").ok();
    world.git_ok("switch --quiet main");
    delete_topic(world);
    commit
}

/// Clears away whatever no branch has.
fn clear_away(world: &World) {
    world.git_ok("reflog expire --expire=now --all");
    world.git_ok("gc --prune=now --quiet");
}

fn topic(world: &World) -> Vec<String> {
    world.git_ok("rev-list --reverse main..topic").lines().map(str::to_owned).collect()
}

pub fn carry(world: &World, args: &[&str]) -> Value {
    world.json(&format!("carry {}", args.join(" ")))
}

/// From, to and rule of all that was carried.
pub fn moves(report: &Value) -> Vec<(&str, &str, &str)> {
    each(&report["carried"])
        .map(|row| ["from", "to", "rule"].map(|key| row[key].as_str().unwrap()))
        .map(|[from, to, rule]| (from, to, rule))
        .collect()
}

/// The three sessions of a squashed branch: the last one finds the home, and the others follow it.
fn three<'a>(
    topic: &'a [String],
    home: &'a str,
    rule: &'a str,
) -> Vec<(&'a str, &'a str, &'a str)> {
    let mut followers = [topic[0].as_str(), &topic[1]];
    followers.sort_unstable();
    let followers = followers.map(|from| (from, home, "branch"));
    [&[(topic[2].as_str(), home, rule)], &followers[..]].concat()
}

/// The entries of one commit go to another one, and no others.
#[track_caller]
pub fn goes(report: &Value, from: &str, to: &str, rule: &str) {
    assert_eq!(moves(report), [(from, to, rule)], "{report}");
}

/// Nothing goes anywhere, and that the entries of `commit` are orphaned is reported.
#[track_caller]
pub fn goes_nowhere(world: &World, commit: &str) {
    let report = carry(world, &[]);
    assert_eq!(moves(&report), [], "{report}");
    let rows = report["orphaned"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["commit"] == commit), "{report}");
}

/// All sessions count, and to carry again changes nothing.
#[track_caller]
fn nothing_is_left(world: &World, sessions: usize) {
    assert_eq!(world.check(&[]).0["sessions"], json!(sessions));
    let log = world.git_ok("rev-parse refs/notes/sq");
    let again = world.try_sq("carry");
    assert_eq!(again.transcript(), "Nothing to carry.\n--- exit 0\n");
    assert_eq!(world.git_ok("rev-parse refs/notes/sq"), log);
}

/// What was printed, without the ids of commits.
pub fn without_ids(ran: &Ran) -> String {
    ran.transcript()
        .split_inclusive([' ', '\n', ':', ','])
        .map(|word| {
            let id = word.trim_end_matches([' ', '\n', ':', ',']);
            let is_id = id.len() == 10 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
            word.replace(if is_id { id } else { "\0" }, "[commit]")
        })
        .collect()
}

#[test]
fn a_squash_merge_whatever_main_did() {
    for (how, rule, branch) in [
        (Main::Unmoved, "tree", "kept"),
        (Main::Unmoved, "tree", "cleared away"),
        (Main::Elsewhere, "patch-id", "deleted"),
        (Main::Nearby, "patch-id", "kept"),
        (Main::Nearby, "patch-id", "cleared away"),
    ] {
        let world = branched();
        let topic = topic(&world);
        move_main(&world, how);
        let pr = format!("{}..main", world.head());
        let home = squash(&world);
        if branch != "kept" {
            delete_topic(&world);
        }
        if branch == "cleared away" {
            clear_away(&world);
            assert_ne!(world.git(&["cat-file", "-e", &topic[2]]).code, 0);
        }
        assert_eq!(world.check(&[]).0["sessions"], json!(1));
        let before = world.lines();
        let args = ["--pr", &pr];
        let report = carry(&world, if branch == "kept" { &args } else { &[] });
        let expected = three(&topic, &home, rule);
        assert_eq!(moves(&report), expected, "{how:?} {branch}");
        let after = world.lines();
        assert!(before.iter().all(|line| after.contains(line)));
        nothing_is_left(&world, 4);
    }
}

#[test]
fn a_rebase_merge_finds_the_home_of_each_commit() {
    for is_cleared in [false, true] {
        let world = branched();
        let topic = topic(&world);
        move_main(&world, Main::Elsewhere);
        // As a forge does it: new commits, and no hook.
        world.git_ok("cherry-pick main..topic");
        let merged = world.git_ok("rev-list --reverse -3 main");
        delete_topic(&world);
        if is_cleared {
            clear_away(&world);
        }
        let report = carry(&world, &[]);
        let mut wanted: Vec<_> = topic
            .iter()
            .zip(merged.lines())
            .map(|(from, to)| (from.as_str(), to, "patch-id"))
            .collect();
        wanted.sort_unstable();
        assert_eq!(moves(&report), wanted, "{report}");
        nothing_is_left(&world, 4);
    }
}

#[test]
fn a_branch_that_was_rebased_and_then_squashed() {
    let world = hooked();
    world.git_ok("switch --quiet -c topic");
    for sid in ["s01", "s02"] {
        session(&world, sid);
    }
    move_main(&world, Main::Elsewhere);
    world.git_ok("rebase --quiet main topic");
    world.git_ok("switch --quiet main");
    world.change("more.txt", "more\n");
    let home = squash(&world);
    delete_topic(&world);
    let report = carry(&world, &[]);
    let found = moves(&report);
    // Once, although the hook had copied them.
    assert_eq!(found.len(), 2, "{report}");
    assert!(found.iter().all(|(_, to, _)| *to == home), "{report}");
    nothing_is_left(&world, 3);
}

#[test]
fn without_a_match_somebody_can_name_the_home() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Renamed);
    let home = squash(&world);
    delete_topic(&world);
    let ran = world.try_sq("carry");
    insta::assert_snapshot!(without_ids(&ran), @r"
    orphaned: [commit]: 1 entry, no match
    orphaned: [commit]: 1 entry, no match
    orphaned: [commit]: 1 entry, no match
      `git sq carry --onto REV COMMIT` puts the entries of COMMIT on REV
    Nothing to carry.
    --- exit 1
    ");
    clear_away(&world);
    let says =
        format!("{}: 1 entry, no match, and the commit is not in this clone\n", &topic[0][..10]);
    assert_has!(world.try_sq("carry").stdout, says);
    // One of them, abbreviated; then the rest at once, which does not follow what a person decided.
    let report = carry(&world, &["--onto", &home, &topic[2][..6].to_uppercase()]);
    goes(&report, &topic[2], &home, "onto");
    let report = carry(&world, &["--onto", "HEAD~2"]);
    let mut rest: Vec<_> =
        topic[..2].iter().map(|from| (from.as_str(), home.as_str(), "onto")).collect();
    rest.sort_unstable();
    assert_eq!(moves(&report), rest, "{report}");
    nothing_is_left(&world, 4);
}

#[test]
fn a_line_of_the_log_tells_what_was_carried() {
    let world = World::asked();
    let old = thrown_away(&world, "a.txt", "a\n");
    let report = carry(&world, &["--onto", "main"]);
    let note = String::from_utf8(world.note("main")).unwrap();
    let [told] = note
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|line| line["kind"] == "carry")
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    assert_eq!(told.as_object().unwrap().len(), 15, "{note}");
    assert_eq!(told["from"], json!(old));
    assert_eq!(told["to"], json!(world.head()));
    assert_eq!(told["rule"], json!("onto"));
    assert_eq!(told["entries"], report["carried"][0]["entries"]);
    let copied = told["entries"][0].as_str().unwrap();
    assert_has!(note, format!("\"kind\":\"rederive\",\"id\":\"{copied}\""));
    assert_eq!(world.check(&[]).0["other_kinds"], json!(1));
}

#[test]
fn what_a_branch_has_stays_there_unless_it_is_named() {
    let world = branched();
    let topic = topic(&world);
    move_main(&world, Main::Elsewhere);
    let home = squash(&world);
    let ran = world.try_sq("carry");
    insta::assert_snapshot!(ran.transcript(), @r"
    not carried: 3 entries on other branches
      `git sq carry COMMIT...` copies those on commits that a squash or a rebase replaced
    Nothing to carry.
    --- exit 0
    ");
    let named = carry(&world, &["-n", &topic[2]]);
    goes(&named, &topic[2], &home, "patch-id");
    // HEAD of a linked worktree keeps its entries too, and so does a remote's branch.
    world.git_ok("worktree add --quiet --detach ../tree topic");
    delete_topic(&world);
    assert_eq!(carry(&world, &["-n"])["on_branches"], json!(3));
    world.git_ok("worktree remove ../tree");
    assert_eq!(moves(&carry(&world, &["-n"])).len(), 3);
    let remote = format!("update-ref refs/remotes/origin/topic {}", topic[2]);
    world.git_ok(&remote);
    assert_eq!(carry(&world, &["-n"])["on_branches"], json!(3));
}

#[test]
fn an_entry_with_a_copy_on_a_branch_is_not_orphaned() {
    let world = branched();
    let old = world.head();
    world.git_ok(AMEND);
    let pair = format!("{old} {}\n", world.head());
    let hook = ["hook", "post-rewrite", "amend"];
    world.sq_with_input(&hook, &pair).ok();
    world.git_ok("switch --quiet main");
    let report = carry(&world, &[]);
    assert_eq!(report["on_branches"], json!(3), "{report}");
    assert_eq!(report["orphaned"], json!([]), "{report}");
}

#[test]
fn ci_after_a_merge_looks_at_that_merge_alone() {
    let (world, topic, home) = squashed();
    let pr = format!("{home}~1..{home}");
    thrown_away(&world, "other pull request", "open\n");
    world.git_ok("clone --quiet --bare --no-local . ../origin.git");
    world.git_ok("push --quiet ../origin.git refs/notes/sq:refs/notes/sq");
    // In a clone of the merged branch alone.
    let origin = world.root().join("origin.git");
    let ran = world.sq_in(&origin, &["carry", "--format", "json", "--pr", &pr]);
    let report = ran.json();
    assert_eq!((ran.code, &report["tip"]), (0, &json!(home)), "{report}");
    assert_eq!(moves(&report), three(&topic, &home, "patch-id"), "{report}");
    assert_eq!(report["unmatched"], json!(1), "{report}");
    // Outside of the range there is no home; a branch that was just created has merged nothing.
    let elsewhere = format!("{home}..main");
    assert_eq!(moves(&carry(&world, &["--pr", &elsewhere])), []);
    let created = format!("{}..main", "0".repeat(40));
    let ran = world.sq(&["carry", "--pr", &created]);
    assert_eq!(ran.transcript(), "Nothing to carry.\n--- exit 0\n");
}

#[test]
fn a_dry_run_leaves_everything_as_it_was() {
    let (world, ..) = squashed();
    let state = |world: &World| {
        let objects = world.git_ok("count-objects -v");
        let refs = world.git_ok("for-each-ref");
        (objects, refs)
    };
    std::fs::remove_dir_all(world.dir.join(".git/sq")).unwrap();
    let before = state(&world);
    let ran = world.try_sq("carry -n");
    insta::assert_snapshot!(without_ids(&ran), @r"
    [commit] -> [commit]  patch-id  1 entry
    [commit] -> [commit]  branch    1 entry
    [commit] -> [commit]  branch    1 entry
    Would carry 3 entries.
    --- exit 0
    ");
    assert_eq!(state(&world), before);
    assert!(!world.dir.join(".git/sq").exists());
    let carried = world.sq_ok("carry");
    assert!(carried.ends_with("Carried 3 entries.\n"), "{carried}");
}

#[test]
fn hostile_lines_are_carried_as_they_are_and_steer_nothing() {
    let world = World::asked();
    let old = world.change("a.txt", "a\n");
    let commits = vec!["\\u001b[2J"; 5000].join("\",\"");
    let odd = format!(
        "not json \u{1b}[2J\n{{\"ts\":\"2026-01-01T00:00:00.000Z\",\"kind\":\"\u{202e}\",\"id\":\"\\u001b[31m\u{202e}\",\"head\":{{\"tree\":\"HEAD\",\"base\":\"--help\",\"patch_id\":\"x\",\"commits\":[\"{commits}\"]}}}}\n",
    );
    world.plant(&[(&old, odd.as_bytes())]);
    world.git_ok(AMEND);
    let ran = world.try_sq("carry");
    insta::assert_snapshot!(without_ids(&ran), @r"
    [commit] -> [commit]  tree  2 entries
    Carried 2 entries.
    --- exit 0
    ");
    let note = world.note("HEAD");
    let (copies, carried): (Vec<&[u8]>, Vec<&[u8]>) = note
        .split(|&byte| byte == b'\n')
        .partition(|line| !line.windows(14).any(|part| part == b"\"kind\":\"carry\""));
    assert!(odd.lines().all(|line| copies.contains(&line.as_bytes())));
    assert_eq!(carried.len(), 1);
    let carried = str::from_utf8(carried[0]).unwrap();
    assert!(!carried.contains(['\u{1b}', '\u{202e}']), "{carried}");
}

#[test]
fn what_lies_beyond_a_cut_is_unknown() {
    let world = branched();
    world.git_ok("switch --quiet main");
    world.git_ok("merge --quiet topic");
    let shallow = world.cloned("--depth=1", "shallow");
    let fetch = ["fetch", "--quiet", "origin", "refs/notes/sq:refs/notes/sq"];
    world.git_in(&shallow, &fetch).ok();
    let ran = world.sq_in(&shallow, &["carry"]);
    insta::assert_snapshot!(ran.transcript(), @"
    unknown: could not find the new commits of 3 entries: the history is cut off here; `git fetch --unshallow` gets the rest, in CI a checkout with fetch-depth: 0
    Nothing to carry.
    --- exit 3
    ");
}

#[track_caller]
fn is_unknown(ran: &Ran, what: &str) {
    assert_eq!(ran.code, 3, "{}", ran.transcript());
    assert_has!(ran.stdout, what);
}

#[test]
fn what_can_t_be_read_is_unknown() {
    // What a commit of the history changed.
    let (world, _, home) = squashed();
    world.lose(world.git_ok(&format!("rev-parse {home}~1:near.txt")).trim());
    is_unknown(&world.try_sq("carry"), "could not find the new commits of 3 entries");
    // A note.
    let (world, topic, _) = squashed();
    world.lose(world.git_ok(&format!("notes --ref=sq list {}", topic[0])).trim());
    let ran = world.try_sq("carry");
    is_unknown(&ran, "the note on ");
    assert_has!(ran.stdout, "Carried 2 entries.\n");
    // The log of a remote.
    let world = World::asked();
    world.git_ok("remote add origin ../origin");
    is_unknown(&world.try_sq("carry"), "origin may have a log");
}

/// After the last session somebody did what a review asked for: the squash has more than any entry saw.
#[test]
fn a_squash_of_commits_after_the_last_entry() {
    for is_known in [true, false] {
        let world = branched();
        world.change("review.txt", "as the review asks\n");
        move_main(&world, Main::Elsewhere);
        let squashed = squash(&world);
        delete_topic(&world);
        if !is_known {
            clear_away(&world);
        }
        let report = carry(&world, &[]);
        let moved = moves(&report);
        assert_eq!(moved.len(), if is_known { 3 } else { 0 }, "{report}");
        assert!(moved.iter().all(|(_, to, rule)| *to == squashed && *rule == "branch"), "{report}");
    }
}

#[test]
fn who_carries_entries_begins_no_session() {
    let (world, ..) = squashed();
    carry(&world, &[]);
    assert_eq!(world.try_sq("session current").code, 1);
}
