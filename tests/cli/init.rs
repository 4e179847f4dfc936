//! `git sq init`: what it sets, what it says, and that it can be taken back.

use std::{fs, path::Path};

use git_sq_test_support::{Team, World, copy_dir, each, executable, path_without_program};

const STORE: &str = "context/standing_questions.json";

pub fn with_commit() -> World {
    let world = World::new();
    world.commit("one");
    world
}

/// A world with two remotes that have no log.
fn with_remotes() -> World {
    let world = with_commit();
    world.git_ok("clone --quiet --bare . ../up.git");
    for name in ["origin", "fork"] {
        world.git_ok(&format!("remote add {name} ../up.git"));
    }
    world
}

/// A world with one remote of that name, which need not be a name that git would give it.
fn with_remote(name: &str) -> World {
    let world = with_commit();
    world.git_ok("clone --quiet --bare . ../up.git");
    world.git_ok(&format!("config 'remote.{name}.url' ../up.git"));
    let refspec = "+refs/heads/*:refs/remotes/up/*";
    world.git_ok(&format!("config 'remote.{name}.fetch' {refspec}"));
    world
}

fn config(world: &World) -> String {
    world.read(".git/config")
}

#[test]
fn a_branch_from_before_the_questions_gets_none_of_its_own() {
    let world = with_commit();
    world.git_ok("branch old");
    world.ask(&["q1"]);
    world.git_ok("switch --quiet old");
    let merge = format!("git merge {}", &world.git_ok("rev-parse main")[..10]);
    let said = world.sq_ok("init");
    assert_has!(said, format!("store:  none here; main has one: `{merge}` brings it\n"));
    assert!(!said.contains("question add") && !said.contains("brief"), "{said}");
    assert_eq!(world.git_ok("status --porcelain"), "");
    // Where the default branch took it out, a new one begins.
    world.git_ok(merge.trim_start_matches("git "));
    world.git_ok("rm --quiet standing_questions.json");
    world.commit("begin anew");
    assert_has!(world.sq_ok("init"), "store:  created ");
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn it_says_each_thing_that_it_does_and_takes_it_back() {
    if super::hooks::takes_hooks_from_config() {
        eprintln!("skipped: this git takes hooks from its configuration");
        return;
    }
    let world = with_remotes();
    let before = config(&world);
    let foretold = world.sq_ok("init --display --dry-run");
    assert_eq!(config(&world), before);
    assert!(!world.dir.join(".git/sq").exists() && !world.dir.join("context").exists());
    let done = world.try_sq("init --display").transcript();
    let (acts, _) = done.split_once("remote: origin").unwrap();
    let promised = acts.replace(" created ", " would create ").replace(" set ", " would set ");
    assert_eq!(foretold, promised + "Nothing was changed (--dry-run).\n");
    insta::assert_snapshot!(done, @"
    store:  created context/standing_questions.json without questions
    remote: fork does not share the log (to change that: `git config remote.fork.sq true`, then `git sq init`)
    config: set notes.displayRef = refs/notes/sq*
    config: set remote.origin.sq = true
    config: set remote.origin.fetch = +refs/notes/sq*:refs/notes/remotes/origin/sq*
    hook:   set pre-push: it publishes the log in the background when you push
    hook:   set post-rewrite: it keeps entries with commits that are amended or rebased
    remote: origin was reached, and has no log yet

    Next:
      edit and commit context/standing_questions.json
      git sq question add ID 'QUESTION?' --watch PATH   asks the sessions of agents
    --- exit 0
    ");
    let set = config(&world);
    let again = world.sq_ok("init");
    let exists = "store:  context/standing_questions.json exists, not committed yet\n";
    assert!(again.starts_with(exists), "{again}");
    assert_eq!(config(&world), set);
    world.try_sq("session start --sid s1");
    let told = world.sq_ok("init --undo --dry-run");
    assert_eq!(config(&world), set);
    let undone = world.person_ok("init --undo");
    insta::assert_snapshot!(undone, @"
    hook:   removed pre-push
    hook:   removed post-rewrite
    config: removed remote.origin.fetch = +refs/notes/sq*:refs/notes/remotes/origin/sq*
    config: removed remote.origin.sq = true
    config: removed notes.displayRef = refs/notes/sq*
    store:  removed context/standing_questions.json
    state:  forgot sessions that have not ended: s1
    state:  removed sq/ in the git directory, with the local state of this clone
    The log (refs/notes/sq), committed files and questions that were changed are kept.
    ");
    let foretold =
        undone.replace(" removed ", " would remove ").replace(" forgot ", " would forget ");
    assert_eq!(told, foretold + "Nothing was changed (--dry-run).\n");
    assert_eq!(config(&world), before);
    assert!(!world.dir.join(".git/sq").exists() && !world.dir.join("context").exists());
    let again = world.person_ok("init --undo");
    assert_eq!(
        again,
        "The log (refs/notes/sq), committed files and questions that were changed are kept.\n"
    );
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn undo_leaves_what_a_person_touched_and_what_git_tracks() {
    let world = with_commit();
    world.git_ok("config notes.displayRef refs/notes/commits");
    world.sq_ok("init --set library");
    world.write(STORE, "{}");
    world.person_ok("init --undo");
    assert!(world.dir.join(STORE).exists());
    let shown = world.git_ok("config --get-all notes.displayRef");
    assert_eq!(shown, "refs/notes/commits\n");

    let world = with_commit();
    world.sq_ok("init --set generic");
    world.git(&["add", STORE]).ok();
    world.person_ok("init --undo");
    assert!(world.dir.join(STORE).exists());
    world.commit("ask");
    world.sq_ok("record --same q12=x");
    world.person_ok("init --undo");
    assert_eq!(world.lines().len(), 1);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn undo_needs_nothing_but_what_init_made() {
    if super::hooks::takes_hooks_from_config() {
        eprintln!("skipped: this git takes hooks from its configuration, and leaves files alone");
        return;
    }
    // Stopped midway.
    let world = with_commit();
    let before = config(&world);
    let lock = world.dir.join(".git/config.lock");
    fs::write(&lock, "").unwrap();
    assert_eq!(world.try_sq("init").code, 128);
    assert!(world.dir.join(STORE).exists());
    fs::remove_file(&lock).unwrap();
    world.person_ok("init --undo");
    assert!(!world.dir.join("context").exists());
    assert_eq!(config(&world), before);

    // Its own folder is gone, the remote was renamed, a hook was moved aside as pre-commit does it.
    let team = Team::new();
    let hooks = team.clone.join(".git/hooks");
    fs::remove_dir_all(team.clone.join(".git/sq")).unwrap();
    let rename = ["remote", "rename", "origin", "up"];
    team.git(&team.clone, &rename).ok();
    fs::rename(hooks.join("pre-push"), hooks.join("pre-push.legacy")).unwrap();
    team.world.person_ok_in(&team.clone, "init --undo");
    let ours = ["config", "--local", "--get-regexp", "sq"];
    assert_eq!(team.git(&team.clone, &ours).stdout, "");
    for name in ["pre-push", "pre-push.legacy", "post-rewrite"] {
        assert!(!hooks.join(name).exists(), "{name}");
    }

    // In a copy the original is left alone, and after a move everything is taken back where it is now.
    let world = with_commit();
    world.sq_ok("init");
    let copy = world.root().join("copy");
    copy_dir(&world.dir, &copy);
    let is_set_up =
        |dir: &Path| dir.join(".git/hooks/pre-push").exists() && dir.join(STORE).exists();
    world.person_ok_in(&copy, "init --undo");
    assert!(!copy.join(".git/hooks/pre-push").exists() && !copy.join("context").exists());
    assert!(is_set_up(&world.dir));
    let moved = world.root().join("moved");
    fs::rename(&world.dir, &moved).unwrap();
    world.person_ok_in(&moved, "init --undo");
    assert!(!moved.join(".git/hooks/pre-push").exists() && !moved.join("context").exists());
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn an_undo_that_fails_says_what_to_run_again() {
    let world = with_commit();
    world.sq_ok("init --display");
    let lock = world.dir.join(".git/config.lock");
    fs::write(&lock, "").unwrap();
    let ran = world.person("init --undo", "").exits(128);
    let hint = "and run `git sq init --undo` again";
    assert_has!(ran.stderr, hint);
    fs::remove_file(&lock).unwrap();
    world.person_ok("init --undo");
    assert!(!world.dir.join(".git/sq").exists());
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn declined_hooks_are_remembered_and_not_missed() {
    let team = Team::unprepared();
    let config = || fs::read_to_string(team.clone.join(".git/config")).unwrap();
    let before = config();
    let said = team.sq_ok("init --no-hooks");
    assert_has!(said, "config: set sq.hooks = false\n");
    assert!(!said.contains("hook:"), "{said}");
    assert!(!team.clone.join(".git/hooks/pre-push").exists());
    let healthy = team.sq_ok("doctor");
    assert_eq!(healthy, "No problems found.\n");
    assert_has!(team.sq_ok("init"), "config: removed sq.hooks = false\n", "hook:   set pre-push");
    team.sq_ok("init --no-hooks");
    team.world.person_ok_in(&team.clone, "init --undo");
    assert_eq!(config(), before);
}

#[test]
fn what_shows_the_log_already_is_left_alone() {
    let world = with_commit();
    world.sq_ok("init");
    assert_eq!(world.try_git("config notes.displayRef").code, 1);
    world.git_ok("config notes.displayRef refs/notes/*");
    let said = world.sq_ok("init --display");
    assert!(!said.contains("isplay"), "{said}");
}

#[test]
fn a_teams_log_is_there_after_init() {
    let one = with_remotes();
    one.sq_ok("init --set generic");
    one.commit("ask");
    one.sq_ok("record --same q12=x");
    one.git_ok("push --quiet origin main refs/notes/sq");
    one.git_ok("clone --quiet ../up.git ../two");
    let two = one.root().join("two");
    let one = one.at(two);
    assert_has!(one.sq_ok("init"), "origin was reached, and its log was fetched");
    assert_eq!(one.check(&[]).1, 0);
    assert!(one.git_ok("log -1 --notes=sq").contains("Notes (sq):"));
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn every_seed_set_can_be_planted_and_is_recognised() {
    for set in ["generic", "library", "web", "ml"] {
        let world = World::new();
        world.git_ok("config sq.questions a/b/c.json");
        for path in ["CHANGELOG.md", "Cargo.toml", "src/auth/jobs.rs", "data/split.py"] {
            world.write(path, "1\n");
        }
        world.commit("begin");
        world.sq_ok(&format!("init --set '{set}'"));
        let said = world.sq_ok("question lint");
        assert!(!said.contains("matches no file"), "{set}: {said}");
        world.person_ok("init --undo");
        assert!(!world.dir.join("a").exists(), "{set}");
    }
}

#[test]
fn the_questions_fit_the_repository() {
    let world = World::new();
    world.change("Cargo.toml", "[package]\n");
    insta::assert_snapshot!(world.sq_ok("init --set library --dry-run"), @"
    store:  would create context/standing_questions.json with 4 questions that fit this repository
    remote: none: entries stay in this clone
    hook:   would set pre-push: it publishes the log in the background when you push
    hook:   would set post-rewrite: it keeps entries with commits that are amended or rebased
    Nothing was changed (--dry-run).
    ");
    world.sq_ok("init --set library");
    let store = world.read(STORE);
    assert!(store.contains(r#""watch": ["Cargo.toml"]"#), "{store}");
    assert!(!store.contains("CHANGELOG.md"), "{store}");
    // A file where the store's folder should be.
    let file = World::new();
    file.change("context", "");
    assert_eq!(file.try_sq("init").code, 128);
    // A fact that stands in two places is found to be wrong.
    world.write("Cargo.toml", "[package]\nrust-version = \"1.70\"\n");
    world.change("README.md", "It needs Rust 1.70 or newer.\n");
    world.change("Cargo.toml", "[package]\nrust-version = \"1.80\"\n");
    world.pass(30 * 24 * 3600);
    assert_has!(world.sq_ok("init"), "git sq facts              1 fact of this");
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn names_of_remotes_are_neither_options_nor_commands() {
    let hostile = "--upload-pack=touch${IFS}../run;git-upload-pack";
    for name in [hostile, "my remote"] {
        let world = with_remote(name);
        let before = config(&world);
        let said = world.sq_ok("init");
        assert_has!(said, "can't share the log");
        assert!(!config(&world).contains("refs/notes"), "{said}");
        assert!(!world.root().join("run").exists(), "{said}");
        world.person_ok("init --undo");
        assert_eq!(config(&world), before);
    }
    let world = with_remote("origin");
    for name in ["a$(touch${IFS}x);b", "red\u{9b}31m"] {
        let url = format!("remote.{name}.url");
        world.git_ok(&format!("config '{url}' ../up.git"));
    }
    let path = "it's\u{9b}.json";
    world.git(&["config", "sq.questions", path]).ok();
    let said = world.sq_ok("init");
    for part in [
        "`git config 'remote.a$(touch${IFS}x);b.sq' true`",
        "red\\u009b31m does not share",
        "edit and commit 'it'\\''s\\u009b.json'",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let undone = world.person_ok("init --undo");
    assert!(!(said + &undone).contains('\u{9b}'), "{undone}");
}

#[test]
fn a_promisor_is_never_an_option() {
    let world = with_commit();
    let id = world.blob(b"gone");
    let name = "--upload-pack=touch${IFS}../run;git-upload-pack";
    let git = |args: &[&str]| world.git(args).ok();
    git(&["config", "core.repositoryFormatVersion", "1"]);
    git(&["config", "extensions.partialClone", name]);
    for (key, value) in [("promisor", "true"), ("url", "../up.git")] {
        git(&["config", &format!("remote.{name}.{key}"), value]);
    }
    git(&["clone", "--quiet", "--bare", ".", "../up.git"]);
    let tree = world.tree(&[format!("100644 blob {id}\tstanding_questions.json")]);
    let commit = git(&["commit-tree", "-m", "ask", &tree]);
    git(&["update-ref", "refs/heads/main", commit.trim()]);
    world.lose(&id);
    let ran = world.try_sq("check");
    assert!(!world.root().join("run").exists(), "{}", ran.transcript());
}

#[test]
fn nothing_is_planted_outside_the_worktree() {
    for path in ["../x.json", "/x.json", "a/../../x.json", ".git/x.json", ""] {
        let world = with_commit();
        world.git_ok(&format!("config sq.questions '{path}'"));
        for args in [&["init", "--dry-run"][..], &["init"]] {
            let ran = world.sq(args);
            assert_eq!(ran.code, 128, "{path:?} {}", ran.transcript());
            assert_has!(ran.stderr, "hint: ");
        }
        assert!(!world.root().join("x.json").exists());
        assert_eq!(world.try_git("config notes.displayRef").code, 1);
    }
}

#[cfg(unix)]
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn nothing_is_planted_or_removed_through_a_link() {
    use std::os::unix::fs::symlink;
    let world = with_commit();
    world.sq_ok("init");
    let elsewhere = world.root().join("elsewhere");
    fs::rename(world.dir.join("context"), &elsewhere).unwrap();
    symlink(&elsewhere, world.dir.join("context")).unwrap();
    world.person_ok("init --undo");
    let planted = elsewhere.join("standing_questions.json");
    assert!(planted.exists());
    fs::remove_file(&planted).unwrap();
    let ran = world.try_sq("init").exits(128);
    let why = "context is a symbolic link";
    assert_has!(ran.stderr, why);
    assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn many_at_once_do_it_once() {
    let world = with_remotes();
    let before = config(&world);
    let mut running: Vec<_> = (0..8)
        .map(|_| {
            let mut command = world.sq_command(&["init", "--display"]);
            command.stdout(std::process::Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for child in &mut running {
        assert!(child.wait().unwrap().success());
    }
    for key in ["notes.displayRef", "remote.origin.sq"] {
        let all = world.git_ok(&format!("config --get-all '{key}'"));
        assert_eq!(all.lines().count(), 1, "{key}: {all}");
    }
    world.person_ok("init --undo");
    assert_eq!(config(&world), before);
    assert!(!world.dir.join("context").exists());
}

/// npx and uvx put the program on the PATH of what they run, and nowhere else.
#[test]
fn hooks_that_will_not_find_the_program_are_told() {
    let note = "note: git-sq is not on the PATH, so the hooks will not run: install it with `cargo install --locked --path .` in its sources\n";
    let rest = path_without_program();
    let with = |folder: &Path| {
        executable(&folder.join("git-sq"), "");
        let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&rest));
        std::env::join_paths(folders).unwrap().into_string().unwrap()
    };
    let world = World::without_repo();
    let bare = rest.clone().into_string().unwrap();
    let npx = with(&world.root().join(".npm/_npx/0123/node_modules/.bin"));
    let uvx = with(&world.root().join("uv/archive-v0/abc/bin"));
    let lasting = with(&world.root().join("bin"));
    for (path, said) in [(bare, note), (npx, note), (uvx, note), (lasting, "")] {
        let world = with_commit();
        let said_by = |line: &str| world.sq_env(line, &[("PATH", &path)]).stderr;
        assert_eq!(said_by("init"), said, "{path}");
        assert_eq!(said_by("agent install claude --yes --no-allow"), said, "{path}");
        assert_eq!(said_by("init --no-hooks"), "", "{path}");
    }
}

#[test]
fn a_new_store_asks_what_holds_and_what_fits() {
    let world = World::new();
    let rust = |version: &str| {
        world.write("Cargo.toml", format!("[package]\nrust-version = \"{version}\"\n"));
        world.write("README.md", format!("It needs Rust {version} or newer.\n"));
    };
    rust("1.70");
    world.change("ROADMAP.md", "- [ ] one\n");
    rust("1.71");
    world.commit("raise the minimum");
    let said = world.sq_ok("init");
    assert_has!(
        said,
        "standing_questions.json with 1 fact (readme-msrv) and 1 question (milestone)"
    );
    assert_eq!(world.sq_ok("question lint").lines().count(), 1);
    world.commit("ask");
    let (check, _) = world.check(&[]);
    let asked = each(&check["questions"]);
    let found: Vec<&str> = asked.filter_map(|one| one["standing"].as_str()).collect();
    assert_eq!(found, ["never answered", "holds"]);
    // Nothing fits, and what is wrong today is not asked.
    let world = World::new();
    // A changelog follows with a release.
    for version in ["1.0.0", "1.1.0"] {
        world.write("CHANGELOG.md", format!("# Changes\n\n## {version}\n"));
        world.change("Cargo.toml", format!("[package]\nversion = \"{version}\"\n"));
    }
    assert_has!(world.sq_ok("facts"), "1 fact holds");
    assert_has!(world.sq_ok("init"), "created context/standing_questions.json without questions");
}

/// A manifest is where the command stands, and need not name one.
#[test]
fn the_test_command_is_asked_where_something_names_it() {
    let world = World::new();
    world.change("package.json", "{\n  \"version\": \"1.0.0\"\n}\n");
    assert_has!(world.sq_ok("init"), "without questions");
    let world = World::new();
    world.write("CONTRIBUTING.md", "Run the tests.\n");
    world.change("package.json", "{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n");
    assert_has!(world.sq_ok("init"), "with 1 question (tests)");
    world.commit("ask");
    world.sq_ok("record --sid s1 'tests=npm test' --cite tests=package.json:3");
    world.change("CONTRIBUTING.md", "Run the tests, please.\n");
    world.sq_ok("record --sid s2 'tests=npm test' --same tests --cite tests=package.json:3");
    assert_eq!(world.verdict(""), "0");
}

#[test]
fn what_is_next_is_told_by_the_questions_of_head_where_the_worktree_has_none() {
    let world = World::asked();
    let root = world.root();
    for (kind, name) in [("-n", "empty"), ("--bare", "bare"), ("--mirror", "mirror")] {
        world.git_ok_in(&root, &format!("clone --quiet {kind} repo {name}"));
        let said = world.sq_in(&root.join(name), &["init", "--no-hooks"]).stdout;
        assert_has!(said, "\n  git sq brief ");
    }
}
