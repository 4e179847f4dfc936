//! Which commit `git sq carry` takes for the home of an entry, and which it does not.

use git_sq_test_support::{Ran, World, each};
use serde_json::{Value, json};

use super::carry::{
    carry, delete_topic, goes, goes_nowhere, lines, moves, squash, squashed, without_ids,
};
use super::rewrites::{hooked, session};

#[test]
fn a_stacked_branch_takes_nothing_from_the_one_below() {
    let world = hooked();
    world.git_ok("switch --quiet -c A");
    let a = session(&world, "a");
    world.git_ok("switch --quiet -c B");
    session(&world, "b");
    world.git_ok("switch --quiet main");
    world.change("m.txt", "m\n");
    world.git_ok("rebase --quiet --onto main A B");
    assert_eq!(carry(&world, &[])["on_branches"], json!(1));
    assert_eq!(moves(&carry(&world, &[&a])), []);
    world.git_ok("branch --quiet -D A");
    goes_nowhere(&world, &a);
}

#[test]
fn a_commit_that_a_rebase_dropped_follows_nothing() {
    for has_hook in [true, false] {
        let world = hooked().env("GIT_SEQUENCE_EDITOR", "sed -i -e '/Session x/d'");
        if !has_hook {
            std::fs::remove_file(world.dir.join(".git/hooks/post-rewrite")).unwrap();
        }
        world.git_ok("switch --quiet -c topic");
        let dropped = session(&world, "x");
        session(&world, "y");
        world.git_ok("rebase --quiet -i main");
        assert!(!world.dir.join("x.txt").exists());
        goes_nowhere(&world, &dropped);
        // Neither when the rest of the branch is merged.
        world.git_ok("switch --quiet main");
        world.change("m.txt", "m\n");
        squash(&world);
        delete_topic(&world);
        goes_nowhere(&world, &dropped);
    }
}

#[test]
fn a_commit_that_changes_nothing_is_no_home() {
    let world = World::asked();
    world.git_ok("switch --quiet -c topic");
    world.change("tried", "tried\n");
    world.git_ok("revert --no-edit HEAD");
    let reverted = world.head();
    world.record("s01").ok();
    world.git_ok("switch --quiet main");
    delete_topic(&world);
    world.commit("Nothing at all");
    goes_nowhere(&world, &reverted);
    // Nor is one that brings back what the branch left as it was.
    world.change("there", "there\n");
    world.git_ok("revert --no-edit HEAD");
    goes_nowhere(&world, &reverted);
}

#[test]
fn a_commit_that_is_older_than_the_entry_is_no_home() {
    let world = World::asked();
    let file = |text: &str| world.change("file", text);
    file("one\n");
    file("two\n");
    file("one\n");
    let dropped = file("two\n");
    world.record("s01").ok();
    world.git_ok("reset --quiet --hard HEAD~1");
    goes_nowhere(&world, &dropped);
    let again = file("two\n");
    let report = carry(&world, &[]);
    goes(&report, &dropped, &again, "tree");
}

/// As `git filter-branch` and `git filter-repo` make it: the dates stay.
#[test]
fn a_default_branch_with_other_authors_keeps_its_entries() {
    let world = World::asked();
    world.change("tried", "tried\n");
    world.record("s01").ok();
    let old = world.head();
    let date = world.git_ok("show --no-patch --format=%cI");
    let mut amend = world.command("git");
    amend.args(["commit", "--quiet", "--amend", "--no-edit", "--author", "Bo <bo@example.org>"]);
    assert!(amend.env("GIT_COMMITTER_DATE", date.trim()).status().unwrap().success());
    goes(&carry(&world, &[&old]), &old, &world.head(), "tree");
}

#[test]
fn the_same_change_twice_is_ambiguous() {
    let (world, topic, first) = squashed();
    let pr = format!("{first}~1..HEAD");
    world.git_ok(&format!("revert --no-edit {first}"));
    world.git_ok(&format!("cherry-pick {first}"));
    let second = world.head();
    let report = carry(&world, &[]);
    let row = each(&report["orphaned"]).find(|row| row["commit"] == json!(topic[2]));
    let mut both = [first.as_str(), &second];
    both.sort_unstable();
    assert_eq!(row.unwrap()["candidates"], json!(both), "{report}");
    assert_eq!(moves(&report), [], "{report}");
    // So it is in a pull request, where the rest may be of other ones.
    let ran = world.sq(&["carry", "--pr", &pr]);
    insta::assert_snapshot!(without_ids(&ran), @r"
    orphaned: [commit]: 1 entry, ambiguous: [commit], [commit]
      `git sq carry --onto REV COMMIT` puts the entries of COMMIT on REV
    not carried: 2 entries of other pull requests, or without a match
    Nothing to carry.
    --- exit 1
    ");
    // It does not go with the rest, but by name.
    let report = carry(&world, &["--onto", &second]);
    assert_eq!(moves(&report).len(), 2, "{report}");
    assert!(!moves(&report).iter().any(|(from, ..)| *from == topic[2]));
    let report = carry(&world, &["--onto", &second, &topic[2]]);
    goes(&report, &topic[2], &second, "onto");
}

#[test]
fn a_user_s_diff_settings_change_no_patch_id() {
    let world = World::new();
    let text = lines(&[]).repeat(3);
    world.write("old name.txt", &text);
    world.write("h\u{e9}.txt", "one\n");
    world.write(".gitattributes", "*.txt diff=words\n");
    world.write("slide", "1\n2\na\n\nb\n3\n4\n");
    world.write("seen.txt", "d\ne\na\nd\nc\nb\ne\n");
    world.write("picture", [0_u8, 1, 2]);
    world.ask(&["q1"]);
    world.git_ok("switch --quiet -c topic");
    world.git_ok("mv 'old name.txt' 'a name.txt'");
    world.write("a name.txt", text.replacen("line 7\n", "seven\n", 1));
    world.write("picture", [0_u8, 1, 3]);
    world.write("h\u{e9}.txt", "two\n");
    // An insertion that slides, and an edit that algorithms see differently.
    world.write("slide", "1\n2\na\n\nb\na\n\nb\n3\n4\n");
    world.write("seen.txt", "a\nc\na\na\na\ne\na\n");
    world.commit("A rename, an edit and a picture");
    let recorded = |ran: Ran| {
        ran.ok();
        let line: Value = serde_json::from_str(&world.lines().pop().unwrap()).unwrap();
        line["head"]["patch_id"].as_str().unwrap().to_owned()
    };
    // What git says where nothing is configured.
    let diff = ["diff", "-U0", "--full-index", "--no-ext-diff", "--no-textconv", "main..HEAD"];
    let diff = world.git(&diff).ok();
    let plain = world
        .git_with_input(&["patch-id", "--stable"], diff.as_bytes())
        .ok()
        .split(' ')
        .next()
        .unwrap()
        .to_owned();
    assert_eq!(recorded(world.record("s01")), plain);
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.renames", "copies"),
        ("diff.renameLimit", "1"),
        ("diff.algorithm", "patience"),
        ("diff.indentHeuristic", "false"),
        ("diff.context", "7"),
        ("diff.interHunkContext", "9"),
        ("diff.orderFile", "order"),
        ("diff.external", "false"),
        ("diff.words.textconv", "false"),
        ("diff.words.algorithm", "histogram"),
        ("diff.submodule", "log"),
        ("core.abbrev", "5"),
        ("color.diff", "always"),
        ("diff.suppressBlankEmpty", "true"),
        ("core.quotePath", "false"),
    ] {
        world.git_ok(&format!("config {key} {value}"));
    }
    world.write("order", "picture\n");
    assert_eq!(recorded(world.record("s02")), plain);
}

#[test]
fn a_commit_is_named_as_git_names_it() {
    let world = World::asked();
    world.git_ok("switch --quiet --create topic");
    world.change("a", "1");
    world.sq_ok("record --sid s1 q1=1");
    world.git_ok("switch --quiet main");
    world.change("b", "1");
    world.git_ok("cherry-pick topic");
    assert_has!(world.sq_ok("carry topic"), "Carried 1 entry.");
    assert_has!(world.try_sq("carry HEAD~1").exits(128).stderr, "no commit \"HEAD~1\" has entries");
}
