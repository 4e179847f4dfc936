//! `git sq doctor`: what is wrong with a clone, its remotes and its hooks, and mending it.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use git_sq_test_support::{Team, World, each, path_without_program, settle};

/// A clone that is set up, of a remote that has its log; commands run in the clone.
fn set_up() -> World {
    let world = World::asked();
    world.git_ok("clone --quiet --bare . ../origin.git");
    world.git_ok("clone --quiet ../origin.git ../clone");
    let clone = world.root().join("clone");
    let world = world.at(clone);
    world.sq_ok("init");
    world.record("first").ok();
    world.sq_ok("sync");
    // The publisher of the first entry would take a later one along.
    settle(&world.dir.join(".git"));
    world
}

/// The rules of what doctor finds, and its exit code.
fn rules(world: &World) -> (Vec<String>, i32) {
    let ran = world.try_sq("doctor --format json");
    let found = ran.json();
    let rules = each(&found["findings"]).map(|f| f["rule"].as_str().unwrap().into());
    (rules.collect(), ran.code)
}

/// What doctor says, with this world's folder taken out.
fn says(world: &World, args: &[&str]) -> String {
    world
        .sq(&[&["doctor"], args].concat())
        .transcript()
        .replace(&*world.root().to_string_lossy(), "[root]")
}

/// Mends everything, and sees that nothing is left.
#[track_caller]
fn mend(world: &World) {
    world.try_sq("doctor --fix");
    assert_eq!(says(world, &[]), "No problems found.\n--- exit 0\n");
}

/// Sets a value, or one more of it, with `git config`.
fn set(world: &World, args: &[&str]) {
    world.git(&[&["config"], args].concat()).ok();
}

#[test]
fn a_fix_says_what_is_true_now() {
    let world = set_up();
    set(&world, &["--unset", "remote.origin.fetch", "refs/notes"]);
    let own = ["--add", "remote.origin.fetch", "+refs/notes/*:refs/notes/*"];
    set(&world, &own);
    world.git_ok("update-ref -d refs/notes/sq");
    insta::assert_snapshot!(says(&world, &["--fix"]), @"
    fixed: `git fetch origin` no longer writes to refs/notes/sq
    fixed: `git fetch origin` fetches its log now
    fixed: refs/notes/sq has all entries that this clone knows
    No problems found.
    --- stderr
    warning: 1 entry was missing from refs/notes/sq; restored
    --- exit 0
    ");
}

#[test]
fn a_clone_that_is_not_set_up_is_told_what_to_do() {
    let world = World::asked();
    let clone = world.cloned("", "clone");
    let world = world.at(clone);
    insta::assert_snapshot!(says(&world, &["--fix"]), @"
    warning: no remote shares the log, not even origin: entries stay in this clone
      git sq init
    warning: git does not run git sq in the pre-push hook: the log is not published after your pushes
      git sq init
    warning: git does not run git sq in the post-rewrite hook: entries stay behind when commits are amended or rebased
      git sq init
    3 problems
    --- exit 0
    ");
    world.sq_ok("init");
    mend(&world);
    let path = path_without_program().into_string().unwrap();
    insta::assert_snapshot!(world.sq_env("doctor", &[("PATH", &path)]).ok(), @"
    warning: git-sq is not on the PATH: without it, the hooks do nothing
      install it with `cargo install --locked --path .` in its sources, or add its directory to the PATH, also for other programs that run git
    1 problem
    ");
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_remote_that_was_renamed_or_set_anew_gets_its_refspec() {
    let world = set_up();
    world.git_ok("remote rename origin up");
    insta::assert_snapshot!(says(&world, &[]), @"
    error: `git fetch up` does not fetch its log: entries of others are not seen here
      git config --add remote.up.fetch '+refs/notes/sq*:refs/notes/remotes/up/sq*'
    1 problem
    --- exit 1
    ");
    world.sq_ok("doctor --fix");
    let all = world.git_ok("config --get-all remote.up.fetch");
    assert_eq!(all, "+refs/heads/*:refs/remotes/up/*\n+refs/notes/sq*:refs/notes/remotes/up/sq*\n");
    world.git_ok("fetch --quiet");
    assert_eq!(rules(&world), (vec![], 0));

    world.git_ok("remote set-branches up main");
    assert_eq!(rules(&world), (vec!["not-fetched".into()], 1));
    mend(&world);
    // What the fix set is taken back like what init set.
    world.person_ok("init --undo");
    let all = world.try_git("config --get-all remote.up.fetch");
    assert_eq!(all.ok(), "+refs/heads/main:refs/remotes/up/main\n");
}

#[test]
fn refspecs_that_overwrite_the_log_are_taken_out() {
    let world = set_up();
    let key = "remote.origin.fetch";
    for spec in [
        "+refs/notes/*:refs/notes/*",
        "refs/notes/sq:refs/notes/sq",
        "+refs/notes/sq*:refs/notes/sq*",
    ] {
        set(&world, &["--add", key, spec]);
        assert_eq!(rules(&world), (vec!["dangerous-refspec".into()], 1), "{spec}");
        mend(&world);
    }
    // The user's own.
    for spec in [
        "+refs/notes/other:refs/notes/other",
        "+refs/notes/*:refs/notes/remotes/origin/*",
        "+refs/notes/review:refs/notes/remotes/shared/review",
    ] {
        set(&world, &["--add", key, spec]);
        mend(&world);
        let all = world.git_ok(&format!("config --get-all '{key}'"));
        assert_has!(all, spec);
    }
    // What the user's other files hold, and a mirror, which brings more than notes, are left to a person.
    set(&world, &["--global", key, "+refs/notes/*:refs/notes/*"]);
    set(&world, &["--add", key, "+refs/*:refs/*"]);
    insta::assert_snapshot!(says(&world, &["--fix"]), @"
    error: origin is fetched with +refs/notes/*:refs/notes/*: each fetch overwrites the local log, including entries not pushed yet, and pruning deletes it
      git config --global --fixed-value --replace-all remote.origin.fetch '+refs/notes/*:refs/notes/remotes/origin/*' '+refs/notes/*:refs/notes/*'
    error: origin is fetched with +refs/*:refs/*: each fetch overwrites the local log, including entries not pushed yet, and pruning deletes it
      git config --fixed-value --unset-all remote.origin.fetch '+refs/*:refs/*'
    2 problems
    --- exit 1
    ");
}

#[test]
fn settings_that_lose_lines_are_named() {
    let world = set_up();
    for (key, value, rule) in
        [("core.notesRef", "sq", "notes-ref"), ("notes.rewriteRef", "refs/notes/sq", "rewrite-ref")]
    {
        set(&world, &[key, value]);
        assert_eq!(rules(&world), (vec![rule.into()], 0), "{key} {value}");
        set(&world, &["--unset", key]);
    }
    set(&world, &["notes.rewriteRef", "commits"]);
    assert_eq!(rules(&world), (vec![], 0));
    set(&world, &["core.notesRef", "refs/notes/sq"]);
    set(&world, &["notes.rewriteRef", "refs/notes/*"]);
    insta::assert_snapshot!(says(&world, &[]), @"
    warning: plain `git notes` edits the log here: it can lose lines that are written at the same time
      git config --unset-all core.notesRef
    warning: git itself copies notes of the log when commits are rewritten, and can lose lines that are written meanwhile; the post-rewrite hook does it safely
      git config --fixed-value --unset-all notes.rewriteRef 'refs/notes/*'
    2 problems
    --- exit 0
    ");
}

#[test]
fn hooks_that_git_does_not_run_are_named() {
    if super::hooks::takes_hooks_from_config() {
        eprintln!("skipped: this git takes hooks from its configuration, and leaves files alone");
        return;
    }
    let world = set_up();
    let hook = |name: &str| world.dir.join(".git/hooks").join(name);
    fs::remove_file(hook("pre-push")).unwrap();
    fs::write(hook("post-rewrite"), "#!/bin/sh\necho mine\n").unwrap();
    assert_eq!(rules(&world).0, ["hook-not-run", "hook-not-run"]);
    world.sq_ok("init");
    // What is the user's own stays, and the line to add is named.
    assert_has!(says(&world, &["--fix"]), "git-sq hook post-rewrite \"$@\"");
    let own = "#!/bin/sh\ngit-sq hook post-rewrite \"$@\" || :\necho mine\n";
    fs::write(hook("post-rewrite"), own).unwrap();
    mend(&world);
}

#[test]
fn lines_that_something_else_took_out_come_back() {
    let world = set_up();
    set(&world, &["sq.pushTimeout", "0"]);
    world.record("second").ok();
    let lines = world.lines();
    world.git_ok("notes --ref=sq remove HEAD");
    insta::assert_snapshot!(says(&world, &[]), @"
    error: 2 entries are missing from refs/notes/sq: something other than git sq wrote to it
      git sq doctor --fix
    warning: 1 line is not on origin, though the commits are
      git sq sync origin
    2 problems
    --- exit 1
    ");
    world.sq_ok("doctor --fix");
    assert_eq!(world.lines(), lines);
    assert_eq!(rules(&world), (vec!["not-pushed".into()], 0));
}

#[test]
fn a_local_ref_that_is_no_log_is_named_with_the_way_back() {
    let world = set_up();
    let lines = world.lines();
    let log = world.git_ok("rev-parse refs/notes/sq");
    let said = || says(&world, &["--fix"]).replace(log.trim(), "[log]");
    world.git_ok("update-ref refs/notes/sq HEAD");
    insta::assert_snapshot!(said(), @"
    error: refs/notes/sq can't be read in full: it holds no notes
      git update-ref --no-deref refs/notes/sq [log]
      git fetch --refetch --no-filter origin '+refs/notes/sq*:refs/notes/remotes/origin/sq*'
      git sq sync origin
      git sq doctor --fix
    1 problem
    --- exit 1
    ");
    world.git_ok(&format!("update-ref --no-deref refs/notes/sq {log}"));
    world.git_ok("symbolic-ref refs/notes/sq refs/notes/real");
    insta::assert_snapshot!(said().split("  git update-ref").next().unwrap(), @"
    error: refs/notes/sq is a symbolic ref, so the log would be written somewhere else
      rm -f [root]/clone/.git/refs/notes/sq
    ");
    fs::remove_file(world.dir.join(".git/refs/notes/sq")).unwrap();
    world.git_ok(&format!("update-ref refs/notes/sq {log}"));
    assert_eq!(world.lines(), lines);
}

#[test]
fn a_ref_of_the_remote_that_is_no_log_is_named_and_not_deleted() {
    let team = Team::new();
    team.git_ok("push --quiet --no-verify origin HEAD:refs/notes/sq");
    team.git_ok("fetch --quiet");
    insta::assert_snapshot!(team.try_sq_in(&team.clone, "doctor --fix").transcript(), @"
    warning: refs/notes/sq on origin holds no log: it is ignored
      git log -1 refs/notes/remotes/origin/sq   (shows who pushed it)
      git config remote.origin.sqRef refs/notes/git-sq   (keeps the log at another ref there, as every clone has to)
      git sq doctor --fix
      git sq sync origin
      git fetch origin
    1 problem
    --- exit 0
    ");
}

#[test]
fn a_store_that_no_command_can_read_is_a_problem() {
    let world = World::asked();
    let text = world.read("standing_questions.json");
    world.change("standing_questions.json", format!("<<<<<<< HEAD\n{text}"));
    let ran = world.try_sq("doctor").exits(1);
    let said = ran.stdout.replace(&world.head()[..10], "[commit]");
    insta::assert_snapshot!(said.lines().take(2).collect::<Vec<_>>().join("\n"), @"
    error: invalid question store [commit]:standing_questions.json
      git sq question lint   (shows where; then commit what you fixed)
    ");
}

/// Where this clone knows the log that was there, what doctor prints puts it back.
#[test]
fn a_log_that_something_else_was_pushed_over_is_put_back() {
    for is_fetched in [true, false] {
        let mut team = Team::new();
        team.world.dir.clone_from(&team.clone);
        team.publish("first");
        let log = team.git_ok_in(&team.remote, "rev-parse refs/notes/sq");
        let foreign = team.git_ok("rev-parse HEAD");
        team.git_ok("push --quiet --no-verify --force origin HEAD:refs/notes/sq");
        if is_fetched {
            team.git_ok("fetch --quiet");
        }
        team.publish("second");
        assert_eq!(team.sq(&team.clone, &["sync"]).code, 128);
        let said = team.try_sq_in(&team.clone, "doctor").transcript();
        if is_fetched {
            insta::assert_snapshot!(
                said.replace(log.trim(), "[log]").replace(foreign.trim(), "[foreign]")
            );
        }
        for line in said.lines().filter(|line| line.starts_with("  git")) {
            let line = line.split("   (").next().unwrap().trim().strip_prefix("git ").unwrap();
            team.git_ok(line);
        }
        assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
        assert_eq!(team.lines_on_remote().len(), 2);
        assert!(team.try_sq_in(&team.clone, "doctor").ok().starts_with("No problems"));
    }
}

#[cfg(unix)]
#[test]
fn a_remote_that_rejects_notes_is_offered_a_branch() {
    let world = set_up();
    let hook = world.root().join("origin.git/hooks/update");
    // A refusal in words that have a "lock" in them is a refusal.
    let script =
        "#!/bin/sh\ncase $1 in refs/notes/*) echo 'blocked by policy' >&2; exit 1;; esac\n";
    git_sq_test_support::executable(&hook, script);
    world.record("second").ok();
    assert_eq!(world.try_sq("sync").code, 128);
    assert_has!(
        says(&world, &[]),
        "error: origin rejects refs/notes/sq: hook declined; it may take the log as a branch, which then has to be set in all clones\n  remote: blocked by policy\n"
    );
    let follow = || {
        let said = says(&world, &[]);
        let line = said.lines().find(|line| line.starts_with("  git -c ")).unwrap().trim();
        world.shell_in(&world.dir, line).code == 0
    };
    // Where that does not help, nothing is set.
    let policy = "#!/bin/sh\necho 'blocked by policy' >&2; exit 1\n";
    git_sq_test_support::executable(&hook, policy);
    let config = || world.git_ok("config --local --list");
    let before = config();
    assert!(!follow());
    assert_eq!(config(), before);
    git_sq_test_support::executable(&hook, script);
    world.try_sq("sync");
    assert!(follow());
    world.try_sq("doctor --fix");
    assert_eq!(rules(&world), (vec![], 0));
    world.git_ok("fetch --quiet --prune");
    assert_eq!(rules(&world), (vec![], 0));
}

#[test]
fn what_waits_and_what_went_wrong_is_named() {
    let team = Team::new();
    let says = || {
        team.try_sq_in(&team.clone, "doctor")
            .transcript()
            .replace(&*team.world.root().to_string_lossy(), "[root]")
    };
    team.work(&team.clone, "waits");
    insta::assert_snapshot!(says(), @"
    origin: 1 entry waits for its work to be pushed: main
    No problems found.
    --- exit 0
    ");
    // The publisher fails.
    let away = team.remote.with_extension("away");
    team.git_ok("push --quiet --no-verify");
    fs::rename(&team.remote, &away).unwrap();
    team.world.record_in(&team.clone, "fails").ok();
    team.settle(&team.clone);
    insta::assert_snapshot!(says(), @"
    warning: 2 lines are not on origin, though the commits are: origin could not be reached: '[root]/remote.git' does not appear to be a git repository
      git sq sync origin
    1 problem
    --- exit 0
    ");
    let status = team.sq_ok("status");
    assert_has!(status, "Not published: origin could not be reached: ");
    fs::rename(&away, &team.remote).unwrap();
    team.sq_ok("sync");
    assert_eq!(says(), "No problems found.\n--- exit 0\n");
    // Somebody rewinds the log; the next publishing puts it back.
    team.publish("more");
    team.git_ok_in(&team.remote, "update-ref refs/notes/sq refs/notes/sq~");
    team.publish("again");
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    insta::assert_snapshot!(says(), @"
    warning: the log on origin was set back to an earlier state; it was restored
      git sq doctor --fix
    1 problem
    --- exit 0
    ");
    team.sq_ok("doctor --fix");
    assert_eq!(says(), "No problems found.\n--- exit 0\n");
}

#[test]
fn entries_that_no_branch_has_are_named() {
    let world = set_up();
    world.write("one.txt", "one\n");
    world.commit("One");
    world.record("second").ok();
    world.sq_ok("sync");
    world.git_ok("-c core.hooksPath=/dev/null commit --quiet --amend -m Two");
    insta::assert_snapshot!(says(&world, &[]), @"
    warning: commit ba38d7c84e, which has entries, is on no branch: no figure counts them
      git sq carry --dry-run   (shows where they would go)
      git sq carry
    1 problem
    --- exit 0
    ");
    world.sq_ok("carry");
    assert_eq!(
        says(&world, &[]),
        "origin: 2 entries wait for their work to be pushed: main\nNo problems found.\n--- exit 0\n"
    );
    world.git_ok("push --quiet --no-verify origin main");
    world.sq_ok("sync");
    // In a shallow clone they may be below.
    let from = format!("file://{}", world.root().join("origin.git").display());
    world.git_ok(&format!("clone --quiet --depth=1 '{from}' ../shallow"));
    let shallow = world.root().join("shallow");
    world.sq_in(&shallow, &["init"]).ok();
    insta::assert_snapshot!(world.sq_in(&shallow, &["doctor"]).transcript(), @"
    unknown: could not check that every entry is on a branch: history is cut off here; `git fetch --unshallow` gets the rest, in CI a checkout with fetch-depth: 0
    No problems found, but not everything could be checked.
    --- exit 3
    ");
}

#[test]
fn the_lock_that_a_killed_process_left_is_named() {
    let world = World::asked();
    world.sq_ok("init");
    world.record("s1").ok();
    let lock = world.dir.join(".git/refs/notes/sq.lock");
    let file = fs::File::create(&lock).unwrap();
    // Another process may be at work.
    assert!(!world.try_sq("doctor").stdout.contains("sq.lock"));
    file.set_modified(SystemTime::now() - Duration::from_secs(120)).unwrap();
    insta::assert_snapshot!(says(&world, &[]), @"
    error: refs/notes/sq.lock is in the way: refs/notes/sq can't be written
      rm -f [root]/repo/.git/refs/notes/sq.lock   (if no git process is running here)
    1 problem
    --- exit 1
    ");
    fs::remove_file(lock).unwrap();
    world.sq_ok("doctor");
}

/// A file is in the place of a folder: root may write wherever permissions forbid it.
#[cfg(unix)]
#[test]
fn a_folder_that_can_t_be_written_is_named() {
    let world = World::asked();
    world.sq_ok("init");
    fs::remove_dir_all(world.dir.join(".git/sq")).unwrap();
    world.write(".git/sq", "");
    insta::assert_snapshot!(says(&world, &[]), @"
    error: [root]/repo/.git/sq can't be written (not a directory): nothing can be recorded
      ls -ld [root]/repo/.git/sq   (shows who may write there)
    1 problem
    --- exit 1
    ");
    fs::remove_file(world.dir.join(".git/sq")).unwrap();
    world.sq_ok("doctor");
}

/// Its entries belong to nothing, and nothing can be done about them.
#[test]
fn a_branch_that_was_given_up_is_no_problem() {
    let world = set_up();
    world.git_ok("switch --quiet -c experiment");
    world.change("one.txt", "one\n");
    world.record("second").ok();
    world.git_ok("switch --quiet main");
    world.git_ok("branch --quiet -D experiment");
    assert_has!(says(&world, &[]), "No problems found.");
}
