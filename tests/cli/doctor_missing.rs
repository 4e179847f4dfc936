//! Refs of ours over objects that are gone: git's own commands fail there, and doctor says what to do.

use std::{collections::BTreeSet, fs};

use git_sq_test_support::Team;

const TRACKED: &str = "refs/notes/remotes/origin/sq";

/// A clone with a line that the remote has not, and all lines of the remote.
fn two() -> Team {
    let team = Team::new();
    team.publish("ours");
    let other = team.join("other");
    team.work(&other, "theirs");
    team.push_from(&other);
    team.git_ok("pull --quiet");
    team.sq_ok("sync");
    team.git_ok("config sq.pushTimeout 0");
    team.work(&team.clone, "private");
    team
}

fn says(team: &Team, line: &str) -> String {
    let place = team.git_ok("for-each-ref --format=%(refname) refs/sq/push/*/seen");
    let place = place.trim().trim_end_matches("/seen").to_owned();
    let said = team.try_sq_in(&team.clone, line).transcript();
    if place.is_empty() { said } else { said.replace(&place, "[place]") }
}

fn lines(team: &Team) -> BTreeSet<String> {
    let all = [team.lines(&team.clone), team.lines_on_remote()];
    all.into_iter().flatten().collect()
}

/// Git has everything, and doctor finds nothing missing.
#[track_caller]
fn is_whole(team: &Team) {
    team.git_ok("rev-list --objects --all --quiet");
    team.git_ok("gc --quiet --prune=now");
    let said = says(team, "doctor");
    assert!(!said.contains("missing"), "{said}");
}

#[test]
fn what_was_fetched_is_fetched_again() {
    for revision in [TRACKED.to_owned(), format!("{TRACKED}^{{tree}}"), format!("{TRACKED}~")] {
        let team = two();
        let before = lines(&team);
        fs::remove_file(team.object(&revision)).unwrap();
        assert_eq!(team.try_git("gc --quiet").code, 128);
        let help = "leads to objects that are missing: `git gc`, `git repack` and `git bundle` fail
  git sq doctor --fix
  git sq sync origin
";
        let said = says(&team, "doctor");
        for name in [TRACKED, "[place]/fetched/sq", "[place]/seen"] {
            assert_has!(said, format!("error: {name} {help}"));
        }
        // An earlier state of the local ref may have had the same tree: then the fetch brings it.
        team.try_sq_in(&team.clone, "doctor --fix");
        let gone = "refs/sq/push/*/seen refs/sq/push/*/fetched/sq";
        assert_eq!(team.git_ok(&format!("for-each-ref {TRACKED} {gone}")), "");
        team.sq_ok("sync origin");
        team.git_ok("fetch --quiet");
        is_whole(&team);
        assert_eq!(team.git_ok(&format!("for-each-ref {TRACKED}")).lines().count(), 1);
        assert_eq!(lines(&team), before);
    }
}

/// The remote has the line, and this clone's log may not.
#[test]
fn what_can_be_read_of_a_ref_is_kept_before_it_goes() {
    let team = two();
    let other = team.world.root().join("other");
    team.git_ok_in(&other, "pull --quiet");
    team.work(&other, "later");
    team.push_from(&other);
    team.git_ok("fetch --quiet");
    let there = team.lines_at(&team.clone, TRACKED);
    assert!(!team.lines(&team.clone).is_superset(&there));
    fs::remove_file(team.object(&format!("{TRACKED}~"))).unwrap();
    team.sq_ok("doctor --fix");
    assert!(team.lines(&team.clone).is_superset(&there));
    is_whole(&team);
}

#[test]
fn the_local_ref_keeps_its_notes_and_begins_its_history_afresh() {
    let team = two();
    let before = lines(&team);
    fs::remove_file(team.object("refs/notes/sq~")).unwrap();
    assert_eq!(team.try_git("gc --quiet").code, 128);
    let found = team.try_sq_in(&team.clone, "doctor --fix --format json").json();
    let finding = &found["findings"][0];
    assert_eq!(finding["about"], "refs/notes/sq", "{found}");
    insta::assert_snapshot!(finding["help"].as_str().unwrap(), @r#"
    git fetch --refetch --no-filter origin '+refs/notes/sq*:refs/notes/remotes/origin/sq*'
    git sq sync origin
    git sq doctor --fix
    git update-ref refs/notes/sq "$(git log -1 --format=%B refs/notes/sq | git commit-tree 'refs/notes/sq^{tree}')"   (if they are still missing: all notes, without their history)
    git update-ref -d refs/sq/kept
    git reflog expire --expire-unreachable=now refs/notes/sq
    "#);
    for line in finding["help"].as_str().unwrap().lines() {
        let line = line.split("   (").next().unwrap();
        let ran = team.world.shell_in(&team.clone, line);
        assert!(ran.code == 0 || line.contains("doctor"), "{}", ran.transcript());
    }
    is_whole(&team);
    assert_eq!(lines(&team), before);
    team.work(&team.clone, "goes-on");
    assert_has!(team.try_sq_in(&team.clone, "check").transcript(), "4 sessions on main ");
}

/// The log of the remote in folders, as git makes them of many notes.
fn in_folders(team: &Team) -> String {
    let made = format!(
        r#"export GIT_INDEX_FILE=.git/folders
        git ls-tree {TRACKED} | sed 's/\t\(..\)/\t\1\//' | git update-index --add --index-info
        git commit-tree -p {TRACKED} -m folders "$(git write-tree)""#
    );
    team.world.shell_in(&team.clone, &made).ok().trim().to_owned()
}

#[test]
fn a_part_of_what_was_fetched_is_missing() {
    let team = two();
    let before = lines(&team);
    let folders = in_folders(&team);
    team.git_ok(&format!("push --quiet --no-verify origin {folders}:refs/notes/sq"));
    team.git_ok("fetch --quiet");
    let first = team.git_ok(&format!("ls-tree --name-only {TRACKED}"));
    fs::remove_file(team.object(&format!("{TRACKED}:{}", first.lines().next().unwrap()))).unwrap();
    for line in ["status", "check", "brief", "log"] {
        let ran = team.try_sq_in(&team.clone, line);
        let said = ran.transcript();
        assert!(ran.code < 128, "{said}");
        assert_has!(said, format!("{TRACKED} holds no notes, or more than git sq reads"));
    }
    team.work(&team.clone, "goes-on");
    for command in says(&team, "doctor --fix").lines().filter_map(|line| line.strip_prefix("  ")) {
        team.world.shell_in(&team.clone, command);
    }
    is_whole(&team);
    assert!(lines(&team).is_superset(&before));
}

#[test]
fn a_ref_that_nothing_brings_again_is_for_a_person() {
    let team = two();
    let gone = "0123456789012345678901234567890123456789";
    fs::write(team.clone.join(".git/refs/sq/old"), format!("{gone}\n")).unwrap();
    insta::assert_snapshot!(says(&team, "doctor --fix"), @"
    error: refs/sq/old leads to objects that are missing: `git gc`, `git repack` and `git bundle` fail
      git update-ref -d refs/sq/old
    1 problem
    --- exit 1
    ");
    team.git_ok("update-ref -d refs/sq/old");
    is_whole(&team);
}
