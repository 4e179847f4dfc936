//! What is private stays: what a remote holds after each way in which work on a branch can go, read by plain git.

use std::{fs, path::Path};

use git_sq_test_support::{Team, refs, words};
use serde_json::Value;

/// A private branch with a state, a tension, an answer beside an uncommitted change, and a clean answer, in the normal
/// order: branch, record, and only then commit. The clean answer is public at once.
fn begin(team: &Team) {
    team.git_ok("checkout --quiet -b acquire-foo");
    told(team, &team.clone, "s1");
    team.settle(&team.clone);
}

fn begun() -> Team {
    let team = Team::new();
    begin(&team);
    team
}

/// The same, committed.
fn committed() -> Team {
    let team = begun();
    commit(&team, "Work");
    team
}

fn told(team: &Team, dir: &Path, sid: &str) {
    let sq = |line: &str| team.sq(dir, &refs(&words(line))).ok();
    sq(&format!("record --sid {sid} --same q1=clean"));
    change(dir, "1");
    sq(&format!("record --sid {sid} --same q1=beside"));
    sq(&format!("state set --sid {sid} --status secret-state"));
    sq(&format!("tension open --sid {sid} 'secret tension?' --type gap --source review"));
}

fn change(dir: &Path, text: &str) {
    let file = dir.join("standing_questions.json");
    let old = fs::read_to_string(&file).unwrap();
    fs::write(file, old.trim_end().to_owned() + &" ".repeat(text.len()) + "\n\n").unwrap();
}

fn commit(team: &Team, message: &str) {
    team.git_ok(&format!("commit --quiet -am {message}"));
}

/// The kinds and the branches that the remote's log has, by plain git.
fn there(team: &Team) -> Vec<String> {
    let kinds = team.lines_on_remote().into_iter().map(|line| {
        let line: Value = serde_json::from_str(&line).unwrap();
        let branch = line["head"]["branch"].as_str().map(|name| format!(" on {name}"));
        let dirty = line["head"]["dirty"].as_bool() == Some(true);
        let dirty = if dirty { " dirty" } else { "" };
        format!("{}{dirty}{}", line["kind"].as_str().unwrap(), branch.unwrap_or_default())
    });
    kinds.collect()
}

const CLEAN: &[&str] = &["rederive"];
const ALL: &[&str] = &["rederive", "rederive dirty", "state dirty", "tension.open dirty"];

/// Nothing on the remote has these words, whatever ref leads to it.
fn never_says(team: &Team, words: &[&str]) {
    let all = team.git_ok_in(&team.remote, "cat-file --batch-all-objects --batch --buffer");
    for word in words {
        assert!(!all.contains(word), "{word} is on the remote:\n{all}");
    }
}

fn push(team: &Team, line: &str) {
    team.git_ok(&format!("push --quiet {line}"));
    team.settle(&team.clone);
}

#[test]
fn a_branch_that_is_not_pushed_tells_its_name_and_its_state_to_nobody() {
    let team = begun();
    assert_eq!(there(&team), CLEAN);
    commit(&team, "Work");
    team.sq_ok("session end");
    // Something else is pushed.
    team.git_ok("checkout --quiet main");
    team.commit(&team.clone, "Other");
    push(&team, "origin main");
    assert_eq!(there(&team), CLEAN);
    let sync = team.sq_ok("sync");
    assert_has!(sync, "entries wait for their work to be pushed: acquire-foo\n");
    never_says(&team, &["acquire", "secret"]);
    // Here, everything is known.
    assert_has!(team.sq_ok("log --kind all"), "acquire-foo");
    assert_has!(team.sq_ok("state"), "acquire-foo");
}

#[test]
fn with_the_branch_everything_goes_but_the_name_that_it_had() {
    let team = committed();
    push(&team, "-u origin acquire-foo");
    assert_eq!(there(&team), ALL);
    team.sq_ok("state set --status 'the branch is public'");
    team.settle(&team.clone);
    assert_eq!(there(&team).last().unwrap(), "state on acquire-foo");
}

#[test]
fn under_another_name_it_goes_too() {
    for push_to in ["origin HEAD:refs/heads/review", "origin HEAD:main"] {
        let team = committed();
        push(&team, push_to);
        assert_eq!(there(&team), ALL, "{push_to}");
        never_says(&team, &["acquire"]);
    }
}

#[test]
fn a_renamed_branch_is_the_same_branch() {
    let team = committed();
    team.git_ok("branch --move other");
    team.git_ok("checkout --quiet main");
    team.git_ok("branch --move other review");
    push(&team, "origin review");
    assert_eq!(there(&team), ALL);
    never_says(&team, &["acquire", "other"]);
    // Also without a commit: the person publishes the name.
    let team = begun();
    team.git_ok("branch --move review");
    push(&team, "origin review");
    assert_eq!(there(&team), ALL);
}

#[test]
fn a_squash_of_a_branch_that_was_deleted_lets_it_go() {
    let team = committed();
    team.git_ok("checkout --quiet main");
    team.git_ok("merge --quiet --squash acquire-foo");
    team.git_ok("commit --quiet -m Squashed");
    team.git_ok("branch -D acquire-foo");
    push(&team, "origin main");
    assert_eq!(there(&team), ALL);
    never_says(&team, &["acquire"]);
}

/// As agents do, whose worktree is gone with its reflog: the session's own entries lead to the squash.
#[test]
fn a_squash_of_a_worktree_that_was_removed_lets_it_go() {
    let team = Team::new();
    team.git_ok("worktree add --quiet -b acquire-foo ../acquire-foo");
    let linked = team.world.root().join("acquire-foo");
    told(&team, &linked, "s1");
    team.git_ok_in(&linked, "commit --quiet -am Work");
    team.sq_ok_in(&linked, "record --sid s1 --same q1=committed");
    team.git_ok("merge --quiet --squash acquire-foo");
    team.git_ok("commit --quiet -m Squashed");
    team.git_ok("worktree remove ../acquire-foo");
    team.git_ok("branch -D acquire-foo");
    push(&team, "origin main");
    team.settle(&team.clone);
    assert_eq!(there(&team), ALL);
    never_says(&team, &["acquire"]);
    team.sq_ok("carry");
    team.settle(&team.clone);
    assert_eq!(there(&team).iter().filter(|kind| kind.starts_with("rederive")).count(), 3);
    never_says(&team, &["acquire"]);
}

#[test]
fn of_a_deleted_branch_a_person_decides() {
    let team = begun();
    team.git_ok("stash --quiet");
    team.git_ok("checkout --quiet main");
    team.git_ok("branch -D acquire-foo");
    team.commit(&team.clone, "Other");
    push(&team, "origin main");
    assert_eq!(there(&team), CLEAN);
    let doctor = team.try_sq_in(&team.clone, "doctor").stdout;
    assert_has!(doctor, "origin: 3 entries wait for a branch that is gone: acquire-foo");
    let id = &doctor.split_once("git sq sync --entry ").unwrap().1[..26];
    assert_has!(team.sq_ok(&format!("sync --entry {id}")), "origin: 1 entry published\n");
    assert_eq!(there(&team), ["rederive", "rederive dirty"]);
    let again = team.try_sq_in(&team.clone, &format!("sync --entry {id}"));
    insta::assert_snapshot!(again.transcript().replace(id, "ID"), @r#"
    --- stderr
    fatal: no entry "ID" waits for a branch
    hint: nothing was published; an entry of a commit that was not pushed goes out with its commit
    --- exit 128
    "#);
    never_says(&team, &["acquire", "secret"]);
}

#[test]
fn what_is_only_pulled_is_not_the_branchs_work() {
    let team = begun();
    let other = team.join("other");
    team.commit(&other, "Theirs");
    team.git_ok_in(&other, "push --quiet");
    team.git_ok("stash --quiet");
    team.git_ok("pull --quiet --rebase origin main");
    team.git_ok("stash pop --quiet");
    team.world.record_in(&team.clone, "s1").ok();
    team.sq_ok("sync");
    assert_eq!(there(&team), CLEAN);
    never_says(&team, &["acquire", "secret"]);
}

#[test]
fn an_upstream_of_another_name_is_not_the_branch() {
    let team = Team::new();
    team.git_ok("checkout --quiet -b acquire-foo --track origin/main");
    told(&team, &team.clone, "s1");
    team.settle(&team.clone);
    assert_eq!(there(&team), CLEAN);
    never_says(&team, &["acquire", "secret"]);
}

/// As with `git push -u origin topic:ada/topic`.
#[test]
fn an_upstream_of_the_same_name_in_a_folder_is_the_branch() {
    let team = Team::new();
    team.git_ok("checkout --quiet -b topic");
    team.sq_ok("state set --sid s1 --status begun");
    team.commit(&team.clone, "Work");
    push(&team, "-u origin topic:refs/heads/ada/topic");
    assert_eq!(there(&team), ["state"]);
    team.sq_ok("state set --sid s2 --status open");
    team.settle(&team.clone);
    assert_eq!(there(&team), ["state", "state on topic"]);
}

/// A state begins with the fields of the session's last one.
#[test]
fn a_state_that_keeps_fields_of_one_that_waits_waits() {
    let team = committed();
    team.git_ok("checkout --quiet main");
    team.sq_ok("state set --sid s1 --next 'bump the version'");
    team.sq_ok("sync");
    assert_eq!(there(&team), CLEAN);
    never_says(&team, &["secret"]);
    team.git_ok("checkout --quiet acquire-foo");
    push(&team, "-u origin acquire-foo");
    assert_eq!(there(&team).len(), 5);
}

#[test]
fn a_detached_head_waits_only_beside_uncommitted_work() {
    let team = Team::new();
    team.git_ok("checkout --quiet --detach");
    team.sq_ok("state set --sid s1 --status open");
    team.settle(&team.clone);
    assert_eq!(there(&team), ["state"]);
    told(&team, &team.clone, "s1");
    team.settle(&team.clone);
    assert_eq!(there(&team), ["state", "rederive"]);
    commit(&team, "Work");
    team.world.record_in(&team.clone, "s1").ok();
    push(&team, "origin HEAD:main");
    assert_eq!(there(&team).len(), 6);
}

#[test]
fn what_ci_writes_never_waits() {
    for checkout in ["checkout --quiet --detach", "checkout --quiet -b build"] {
        let team = Team::new();
        team.git_ok(checkout);
        change(&team.clone, "1");
        for line in ["record --same q1=x", "state set --status built", "sync"] {
            let mut command = team.world.sq_command(&refs(&words(line)));
            let ran = command.current_dir(&team.clone).env("GITLAB_CI", "true").output().unwrap();
            assert!(ran.status.success(), "{ran:?}");
        }
        assert_eq!(there(&team), ["rederive dirty", "state dirty"], "{checkout}");
    }
}

/// It may be sent.
#[test]
fn the_page_says_nothing_that_waits() {
    let team = begun();
    let page = team.sq_ok("report");
    for word in ["acquire", "secret"] {
        assert!(!page.contains(word), "{word}: {page}");
    }
    assert_has!(page, "2 states and tensions that are not published are left out.");
    assert_has!(page, ">not published<");
    commit(&team, "Work");
    push(&team, "origin acquire-foo");
    let page = team.sq_ok("report");
    assert_has!(page, "acquire-foo", "secret-state", "secret tension?");
    assert!(!page.contains("not published"), "{page}");
}

/// Each remote gets what it may know.
#[test]
fn a_fork_has_what_was_pushed_there() {
    let team = Team::new();
    team.git_ok("init --quiet --bare ../fork.git");
    team.git_ok("remote add fork ../fork.git");
    team.git_ok("config remote.fork.sq true");
    push(&team, "fork main");
    begin(&team);
    commit(&team, "Work");
    push(&team, "fork acquire-foo");
    assert_eq!(there(&team), CLEAN);
    let fork = team.world.root().join("fork.git");
    let lines = team.lines_at(&fork, "refs/notes/sq");
    assert_eq!(lines.len(), 4, "{lines:?}");
    // The name is known to one of two remotes only.
    team.sq_ok("state set --status more");
    team.settle(&team.clone);
    assert_eq!(there(&team), CLEAN);
    assert_eq!(team.lines_at(&fork, "refs/notes/sq").len(), 5);
    never_says(&team, &["acquire", "secret"]);
}

#[test]
fn a_clone_that_is_undone_and_set_up_again_keeps_what_waits() {
    let team = committed();
    let undone = team.world.person_ok_in(&team.clone, "init --undo");
    assert_has!(undone, "sq/held stays: entries wait for a branch that it names to be pushed");
    team.sq_ok("init");
    team.git_ok("checkout --quiet main");
    team.commit(&team.clone, "Other");
    push(&team, "origin main");
    assert_eq!(there(&team), CLEAN);
    never_says(&team, &["acquire", "secret"]);
    push(&team, "origin acquire-foo");
    assert_eq!(there(&team), ALL);
    // Nothing waits any more.
    team.world.person_ok_in(&team.clone, "init --undo");
    assert!(!team.clone.join(".git/sq").exists());
}

#[test]
fn without_the_clones_own_state_what_may_be_private_waits_for_a_person() {
    let team = committed();
    fs::remove_dir_all(team.clone.join(".git/sq")).unwrap();
    team.git_ok("checkout --quiet main");
    team.commit(&team.clone, "Other");
    push(&team, "origin main");
    team.sq_ok("sync");
    assert_eq!(there(&team), CLEAN);
    let doctor = team.try_sq_in(&team.clone, "doctor").stdout;
    assert_has!(doctor, "origin: 3 entries wait for a branch that git sq no longer knows");
    let id = &doctor.split_once("git sq sync --entry ").unwrap().1[..26];
    let entry = format!("sync --entry {id}");
    assert_has!(team.sq_ok(&entry), "origin: 1 entry published\n");
    assert_eq!(team.try_sq_in(&team.clone, &entry).code, 128);
    assert_eq!(there(&team), ["rederive", "rederive dirty"]);
    never_says(&team, &["acquire", "secret"]);
}

/// A copy that git made of the refs alone, as for a backup.
#[test]
fn what_may_be_private_in_a_mirror_of_a_clone_waits_there() {
    let team = begun();
    let mirror = team.world.root().join("mirror.git");
    let [from, to] = [&team.clone, &mirror].map(|path| path.to_string_lossy().into_owned());
    team.world.git(&["clone", "--quiet", "--mirror", &from, &to]).ok();
    let remote = team.remote.to_string_lossy().into_owned();
    team.git_ok_in(&mirror, &format!("remote set-url origin {remote}"));
    team.git_ok_in(&mirror, "config remote.origin.sq true");
    team.sq(&mirror, &["sync"]).ok();
    assert_eq!(there(&team), CLEAN);
    never_says(&team, &["secret"]);
}

/// What others published goes to another place whole, whoever moves it there.
#[test]
fn what_was_published_once_goes_to_a_new_home() {
    let team = committed();
    push(&team, "origin acquire-foo");
    let other = team.join("other");
    let new = team.world.root().join("new.git").to_string_lossy().into_owned();
    team.world.git(&["init", "--quiet", "--bare", &new]).ok();
    team.git_ok_in(&other, &format!("remote add new {new}"));
    team.git_ok_in(&other, "config remote.new.sq true");
    team.git_ok_in(&other, "push --quiet new origin/acquire-foo:refs/heads/main");
    team.sq(&other, &["sync", "new"]).ok();
    let lines = team.lines_at(Path::new(&new), "refs/notes/sq");
    assert_eq!(lines.len(), 4, "{lines:?}");
}

/// The commit that a person chose need not have the work.
#[test]
fn a_copy_that_a_person_put_elsewhere_waits_as_its_line() {
    let team = Team::new();
    team.git_ok("checkout --quiet -b acquire-foo");
    team.commit(&team.clone, "Work");
    told(&team, &team.clone, "s1");
    team.git_ok("stash --quiet");
    team.git_ok("checkout --quiet main");
    team.git_ok("branch -D acquire-foo");
    team.sq_ok("carry --onto HEAD");
    team.settle(&team.clone);
    assert_eq!(there(&team), ["rederive", "carry"]);
    team.commit(&team.clone, "Other");
    push(&team, "origin main");
    team.sq_ok("sync");
    assert_eq!(there(&team), ["rederive", "carry"]);
    never_says(&team, &["acquire", "secret"]);
    let doctor = team.try_sq_in(&team.clone, "doctor").stdout;
    assert_has!(doctor, "origin: 3 entries wait for a branch that is gone: acquire-foo");
}

/// A branch that is not pushed begins where another one was squashed.
#[test]
fn a_copy_of_what_waits_makes_nothing_public() {
    let team = Team::new();
    let before = team.git_ok("rev-parse main");
    team.git_ok("checkout --quiet -b topic");
    team.change("code", "one\n");
    team.work(&team.clone, "s1");
    team.git_ok("push --quiet origin topic");
    begin(&team);
    team.git_ok("checkout --quiet --force main");
    team.git_ok("merge --quiet --squash topic");
    commit(&team, "Land");
    team.git_ok("push --quiet --no-verify origin main");
    assert_has!(team.sq_ok(&format!("carry --pr {}..HEAD", before.trim())), "Carried");
    team.sq_ok("sync");
    let shown = there(&team);
    let is_told =
        |line: &String| ["state", "tension", "dirty"].iter().any(|word| line.contains(word));
    assert!(!shown.iter().any(is_told), "{shown:?}");
}
