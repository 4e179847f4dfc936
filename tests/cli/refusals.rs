//! Where the program can't work it says so, exits 128 and leaves everything as it was.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use git_sq_test_support::{Ran, World, executable};

/// It refused, and said all of `words`.
#[track_caller]
fn refused(ran: &Ran, words: &[&str]) {
    assert_eq!(ran.code, 128, "{}", ran.transcript());
    assert_eq!(ran.stdout, "", "{}", ran.transcript());
    for word in words {
        assert!(ran.stderr.contains(word), "{word}: {}", ran.transcript());
    }
}

/// Both reading and writing are refused, and no note came to be.
#[track_caller]
fn refused_everywhere(world: &World, words: &[&str]) {
    for line in ["check", "log", "init", "record --same q1=one"] {
        refused(&world.try_sq(line), words);
    }
    assert!(!world.dir.join(".git/refs/notes").exists());
    assert!(!world.dir.join(".git/sq").exists());
}

#[test]
fn a_reftable_repository() {
    let world = World::without_repo();
    let made = world.git(&["init", "--quiet", "--ref-format=reftable", "repo"]);
    if made.code != 0 {
        eprintln!("skipped: this git knows no reftable: {}", made.stderr);
        return;
    }
    let dir = world.root().join("repo");
    let world = world.at(dir);
    world.ask(&["q1"]);
    refused_everywhere(&world, &["reftable", "git refs migrate"]);
    assert_eq!(world.git_ok("for-each-ref refs/notes"), "");
    let advised = world.try_git("refs migrate --ref-format=files");
    if advised.code != 0 {
        eprintln!("skipped: this git is older than the advice needs: {}", advised.stderr);
        return;
    }
    world.record("s1").ok();
}

#[test]
fn an_extension_that_nobody_knows() {
    let world = World::asked();
    world.git_ok("config core.repositoryFormatVersion 1");
    world.git_ok("config extensions.foo true");
    assert_eq!(world.git(&["status"]).code, 128);
    refused_everywhere(&world, &["foo"]);
}

#[test]
fn a_symbolic_log() {
    let world = World::asked();
    world.git_ok("notes --ref=other add -m text");
    world.git_ok("symbolic-ref refs/notes/sq refs/notes/other");
    let before = world.git_ok("rev-parse refs/notes/other");
    refused(&world.record("s01"), &["symbolic", "git sq doctor"]);
    assert_eq!(world.git_ok("rev-parse refs/notes/other"), before);
    // As doctor says.
    fs::remove_file(world.dir.join(".git/refs/notes/sq")).unwrap();
    world.git_ok("update-ref --no-deref -d refs/notes/sq");
    world.record("s01").ok();
    assert_eq!(world.git_ok("rev-parse refs/notes/other"), before);
    // Other notes don't become part of the log, which is published.
    assert_eq!(world.lines().len(), 1);
}

/// Gives a folder to somebody else, which only root can do.
fn give_away(path: &Path) -> bool {
    let id = Command::new("id").arg("-u").output();
    if !id.is_ok_and(|id| id.stdout.trim_ascii() == b"0") {
        eprintln!("skipped: only root can give a repository to somebody else");
        return false;
    }
    Command::new("chown").args(["-R", "65534"]).arg(path).status().unwrap().success()
}

#[test]
fn a_repository_of_somebody_else() {
    let world = World::answered("s01");
    if !give_away(&world.dir) {
        return;
    }
    let git = world.git(&["status"]).exits(128);
    let mut lines = git.stderr.lines().map(str::trim);
    let remedy = lines.find(|line| line.starts_with("git config")).unwrap();
    for line in ["check", "init", "record --same q1"] {
        refused(&world.try_sq(line), &["dubious ownership", remedy]);
    }
    let dir = world.dir.to_str().unwrap();
    world.git_ok(&format!("config --global --add safe.directory '{dir}'"));
    world.record("s02").ok();
    world.sq_ok("init");
    let (report, code) = world.check(&[]);
    assert_eq!((code, &report["sessions"]), (0, &2.into()), "{report}");
}

#[test]
fn a_git_folder_of_somebody_else_that_the_user_named() {
    let world = World::asked();
    let (git_dir, elsewhere) = (world.root().join("git-dir"), world.root());
    fs::rename(world.dir.join(".git"), &git_dir).unwrap();
    if !give_away(&git_dir) {
        return;
    }
    let work_tree = world.dir.to_str().unwrap().to_owned();
    let world = world.env("GIT_DIR", git_dir.to_str().unwrap()).env("GIT_WORK_TREE", work_tree);
    // Naming it is trusting it, for git.
    assert_eq!(world.git_ok_in(&elsewhere, "status --short"), "");
    let recorded = world.record_in(&elsewhere, "s01").ok();
    assert!(!recorded.contains("warning"), "{recorded}");
    let (report, code) = world.check_in(&elsewhere);
    assert_eq!((code, report["findings"].to_string()), (0, "[]".into()), "{report}");
}

/// A bare repository in a folder of the worktree, as one can be tracked, that says what git is to run.
fn planted_repository(world: &World) -> PathBuf {
    let planted = world.dir.join("planted");
    world.git_ok("clone --quiet --bare . planted");
    for setting in [
        "core.bare false",
        "core.worktree ..",
        &format!("core.fsmonitor 'touch {}/ran; false'", world.root().display()),
    ] {
        world.git_ok_in(&planted, &format!("config {setting}"));
    }
    planted
}

#[test]
fn a_bare_repository_that_git_wants_to_be_named() {
    let world = World::asked();
    let planted = planted_repository(&world);
    world.git_ok("config --global safe.bareRepository explicit");
    for dir in [&planted, &planted.join("objects")] {
        assert_eq!(world.git_in(dir, &["status"]).code, 128);
        for args in [&["check"][..], &["init"], &["record", "--same", "q1=one"]] {
            let ran = world.sq_in(dir, args);
            refused(&ran, &["safe.bareRepository", "--git-dir"]);
        }
    }
    assert!(!world.root().join("ran").exists());
    // The folder of a repository is no planted one, and one that is named is meant.
    assert_eq!(world.check_in(&world.dir.join(".git")).1, 1);
    let world = world.env("GIT_DIR", planted.to_str().unwrap());
    assert_ne!(world.check_in(&planted).1, 128);
}

#[test]
fn a_repository_beyond_a_ceiling() {
    let world = World::asked();
    world.write("a/b/file", "");
    let (root, dir) = (world.root(), world.dir.clone());
    #[cfg(unix)]
    std::os::unix::fs::symlink(&dir, root.join("link")).unwrap();
    let (root, dir) = (root.display(), dir.display());
    for value in [
        format!("{dir}"),
        format!("{dir}/"),
        format!("{dir}/a"),
        format!("{dir}/a/b"),
        format!("{root}"),
        format!("{root}/other:/nowhere"),
        format!("repo:a:{root}"),
        format!("{root}/link"),
        format!(":{root}/link"),
        format!("{root}/other::{dir}"),
        String::new(),
    ] {
        let world =
            World::at(World::without_repo(), &world.dir).env("GIT_CEILING_DIRECTORIES", &value);
        for below in ["", "a/b", ".git/objects"] {
            let dir = world.dir.join(below);
            let git = world.git_in(&dir, &["rev-parse", "--git-dir"]);
            let sq = world.sq_in(&dir, &["question", "list"]);
            let said = git.transcript() + &sq.transcript();
            assert_eq!(sq.code, git.code, "{value} {below} {said}");
        }
    }
}

#[test]
fn nothing_that_the_repository_names_is_run_to_see_whether_the_worktree_is_clean() {
    let world = World::asked();
    world.write(".gitattributes", "*.txt filter=own\n*.md filter=mine\n");
    world.write("a.txt", "one");
    world.write("a.md", "one");
    world.commit("two");
    let ran = |name: &str| format!("'touch {}/{name}; cat'", world.root().display());
    world.git_ok(&format!("config core.fsmonitor {}", ran("fsmonitor")));
    world.git_ok(&format!("config filter.own.clean {}", ran("clean")));
    world.git_ok(&format!("config filter.own.process {}", ran("process")));
    world.git_ok("config filter.own.required true");
    world.git_ok(&format!("config --global filter.mine.clean {}", ran("users")));
    let hook = world.dir.join(".git/hooks/post-index-change");
    executable(&hook, &format!("#!/bin/sh\ntouch {}/hook\n", world.root().display()));
    // Git has to look at what they say.
    world.write("a.txt", "two");
    world.write("a.md", "one");
    world.record("s01").ok();
    let is_there = |name: &str| world.root().join(name).exists();
    // The user's own filter may read what the repository's configuration says.
    for name in ["fsmonitor", "clean", "process", "hook", "users"] {
        assert!(!is_there(name), "{name} ran");
    }
    assert!(world.sq_ok("log").contains("dirty worktree"));
    world.try_git("status");
    assert!(is_there("fsmonitor"), "the test would not see it");
}

#[test]
fn objects_that_the_environment_puts_elsewhere() {
    for variable in ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE"] {
        let world = World::asked();
        let value = world.dir.join(".git/objects");
        let world = world.env(variable, value.to_str().unwrap());
        refused_everywhere(&world, &[variable, "unset"]);
    }
}

#[test]
fn no_repository_at_all() {
    let world = World::without_repo();
    for line in ["check", "init", "log", "record --same q1=one"] {
        refused(&world.try_sq(line), &["not a git repository", "git -C PATH sq"]);
    }
    let names = fs::read_dir(&world.dir).unwrap().count();
    assert_eq!(names, 1, "only the home");
}

#[test]
fn a_user_without_a_name() {
    let world = World::asked();
    world.git_ok("config user.useConfigOnly true");
    let world = world.env("GIT_CONFIG_GLOBAL", "/dev/null");
    assert_eq!(world.git(&["commit", "--allow-empty", "-m", "x"]).code, 128);
    refused(&world.record("s01"), &["user.name", "user.email"]);
    assert_eq!(world.git_ok("for-each-ref refs/notes"), "");
    // Reading needs no name.
    assert_eq!(world.check(&[]).1, 1);
    world.git_ok("config user.name Ada");
    refused(&world.record("s01"), &["user.email"]);
    world.git_ok("config user.email ada@example.org");
    world.record("s01").ok();
}

/// In a commit, these characters end a name or an address.
#[test]
fn a_name_is_written_as_git_writes_it() {
    let world = World::asked();
    for (name, email) in [
        ("Ada Example <ada@example.org>", "ada@example.org"),
        (" \"Ada\" Jr., ", "<ada@example.org>"),
        ("Ada\nExample", "ada@example.org "),
    ] {
        world.git(&["config", "user.name", name]).ok();
        world.git(&["config", "user.email", email]).ok();
        world.commit("as git writes it");
        let by = world.git_ok("log -1 --format=%an,%ae");
        world.record("s01").ok();
        world.sq_ok("state set --status going");
        assert_eq!(world.git_ok("log -1 --format=%an,%ae refs/notes/sq"), by);
        assert_eq!(world.git_ok("log -1 -g --format=%gn,%ge refs/notes/sq"), by);
        let entry = &world.newest()["by"];
        let [name, email] = ["name", "email"].map(|key| entry[key].as_str().unwrap());
        assert_eq!(format!("{name},{email}\n"), by);
    }
    world.git(&["config", "user.name", " <>, "]).ok();
    refused(&world.record("s02"), &["git does not know who you are", "user.name"]);
}

#[test]
fn a_damaged_shallow_file_is_named() {
    let world = World::asked();
    world.commit("Two");
    world.write(".git/shallow", "no id\n");
    for line in ["check", "check --base HEAD~1", "log HEAD~1"] {
        refused(&world.try_sq(line), &["shallow file"]);
    }
}

#[test]
fn the_commands_are_shown_in_groups_on_one_screen() {
    let world = World::without_repo();
    let help = world.sq_ok("-h");
    assert!(help.lines().count() <= 40, "{help}");
    // The screen itself stands in docs/cli.md, which is generated.
    assert_has!(help, "\nstart a repository\n  init ");
    let all = world.sq_ok("help --all");
    for name in help
        .lines()
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|name| name.starts_with(char::is_lowercase))
    {
        let name = name.split(' ').next().unwrap();
        assert!(all.contains(&format!("  {name} ")), "{name} in {all}");
    }
    let explained = world.sq_ok("help question add");
    // Into a pipe go no colours.
    assert!(explained.starts_with("Add a question") && !explained.contains('\u{1b}'));
    world.try_sq("help nonsense").exits(128);
    #[cfg(unix)]
    {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
        let mut odd = world.sq_command(&["nonsense"]);
        let odd = odd.arg(OsStr::from_bytes(b"\xff")).output().unwrap();
        assert_eq!(odd.status.code(), Some(129), "not UTF-8: {odd:?}");
    }
}
