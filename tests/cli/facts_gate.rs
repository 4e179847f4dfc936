//! Asked facts as a gate: of the index, and where the questions can't be read.

use std::fs;

use git_sq_test_support::World;
use insta::assert_snapshot;

use super::facts::facts;

/// The question whether a document has the number of a file.
const LIMIT: &str = r#"{"id": "limit", "q": "Is the limit that of the configuration?", "importance": 2,
    "severity": "blocking", "expect": true, "probe": {"agree": [
        {"value": {"file": "config.json", "pointer": "/limit"}},
        {"text": {"file": "docs.md", "pattern": "limit is (\\d+)"}}]}}"#;

fn world() -> World {
    let world = World::new();
    world.write("config.json", "{\n  \"limit\": 30\n}\n");
    world.write("docs.md", "The limit is 30 seconds.\n");
    world.ask_json(LIMIT);
    world
}

/// Each way to ask for facts says why the questions of HEAD, and then those of a base, can't be read.
#[track_caller]
fn refused_everywhere(world: &World, why: &str) {
    let refused = |line: &str| {
        let ran = world.try_sq(line);
        assert_eq!(ran.code, 128, "{line}: {}", ran.transcript());
        assert_has!(ran.stderr, why);
    };
    world.commit("broken");
    for args in ["", "--exit-code", "--cached", "--base HEAD~1", "--all", "--fix"] {
        refused(&format!("facts {args}"));
    }
    world.git_ok("revert --no-edit HEAD");
    assert_eq!(world.try_sq("facts --exit-code").code, 1);
    for line in ["facts --base HEAD~1", "facts --cached --base HEAD~1", "check --base HEAD~1"] {
        if why == "invalid JSON" {
            // The last valid store is asked.
            assert_ne!(world.try_sq(line).code, 128, "{line}");
        } else {
            refused(line);
        }
    }
}

/// What nobody could ask is not known to be right.
#[test]
fn questions_that_can_not_be_read_are_an_error() {
    type Spoil = fn(&World);
    let invalid: Spoil = |world| world.write("standing_questions.json", "{ \"questions\": [,] }\n");
    let ways: &[(Spoil, &str)] = &[
        (invalid, "invalid JSON"),
        #[cfg(unix)]
        (link, "is a symbolic link"),
    ];
    for (spoil, why) in ways {
        let world = world();
        world.change("docs.md", "The limit is 60 seconds.\n");
        spoil(&world);
        refused_everywhere(&world, why);
    }
}

#[cfg(unix)]
fn link(world: &World) {
    let path = world.dir.join("standing_questions.json");
    fs::rename(&path, world.dir.join("real.json")).unwrap();
    std::os::unix::fs::symlink("real.json", path).unwrap();
}

/// Who edits it is not kept from the facts of HEAD.
#[test]
fn a_store_that_is_being_edited_hides_nothing() {
    let world = world();
    world.write("standing_questions.json", "{\n");
    assert_has!(facts(&world, &["--exit-code"]), "limit  holds");
}

#[cfg(unix)]
#[test]
fn a_branch_does_not_get_rid_of_questions_that_can_not_be_read() {
    let world = world();
    link(&world);
    world.commit("a link");
    world.git_ok("rm -q standing_questions.json");
    world.commit("none");
    assert_has!(world.try_sq("ci --base HEAD~1").exits(128).stderr, "is a symbolic link");
}

#[test]
fn what_is_staged_is_asked_before_it_is_committed() {
    let world = world();
    let hook = ["facts", "--cached", "--exit-code"];
    let since = ["facts", "--cached", "--base", "HEAD", "--exit-code"];
    world.write("config.json", "{\n  \"limit\": 60\n}\n");
    for hook in [&hook[..], &since] {
        assert_eq!(world.sq(hook).code, 0, "what is not staged is not judged");
    }
    world.git_ok("add --all");
    assert_snapshot!(facts(&world, &hook[1..]), @r#"
    Compared 1 document with 0 other files in the index: 1 fact is wrong.

    Asked
      limit  fails  differs for 0 days
          config.json:2  "limit": 60
          docs.md:1      The limit is 30 seconds.
          Not committed yet: changed config.json; before, both said 30
          Fix: write 60 in docs.md:1 (git sq facts --cached --fix limit)

    --- exit 1
    "#);
    assert_snapshot!(facts(&world, &since[1..]), @r#"
    Compared the index with HEAD (COMMIT): 1 fact broke.

    Asked
      limit  fails  differs since HEAD
          config.json:2  "limit": 60
          docs.md:1      The limit is 30 seconds.
          Not committed yet: changed config.json; before, both said 30
          Fix: write 60 in docs.md:1 (git sq facts --cached --base HEAD --fix limit)

    --- exit 1
    "#);
    world.write("docs.md", "The limit is 60 seconds.\n");
    assert_has!(facts(&world, &hook[1..]), "Fixed in the worktree, not staged.");
    world.git_ok("add --all");
    for hook in [&hook[..], &since] {
        assert_has!(world.sq(hook).ok(), "in");
    }
    world.commit("both");
    world.change("config.json", "{\n  \"limit\": 90\n}\n");
    world.write("other.md", "x\n");
    world.git_ok("add --all");
    // What was wrong before is no reason to refuse this commit where only that is asked.
    assert_eq!(world.sq(&since).code, 0);
    assert_has!(facts(&world, &hook[1..]), "changed config.json; before, both said 60");
}

/// Before there is a commit, too.
#[test]
fn the_questions_of_the_index_are_those_that_are_staged() {
    let world = World::new();
    let hook = ["facts", "--cached", "--exit-code"];
    world.write("config.json", "{\n  \"limit\": 30\n}\n");
    world.write("docs.md", "The limit is 60 seconds.\n");
    let store = world.dir.join("standing_questions.json");
    world.write("standing_questions.json", git_sq_test_support::store_v2(LIMIT));
    world.git_ok("add --all");
    let ran = world.sq(&hook).exits(1);
    assert_has!(ran.stdout, "limit  fails  differ: config.json:2 30 | docs.md:1 60");
    fs::remove_file(&store).unwrap();
    world.git_ok("add --all");
    assert_eq!(world.sq(&hook).code, 0);
    world.commit("begin");
    world.write("standing_questions.json", "{\n");
    world.git_ok("add --all");
    let ran = world.sq(&hook).exits(128);
    assert_has!(ran.stderr, "invalid question store :standing_questions.json");
}

#[test]
fn what_is_asked_of_the_history_is_that_of_head() {
    let world = World::new();
    world.write("docs.md", "x\n");
    world.ask_json(
        r#"{"id": "touched", "q": "How often?", "importance": 2, "expect": 1,
            "probe": {"log": {"paths": ["docs.md"], "take": "count"}}}"#,
    );
    world.write("docs.md", "y\n");
    world.git_ok("add --all");
    assert_eq!(world.try_sq("facts --cached --exit-code").code, 0);
    world.commit("again");
    assert_eq!(world.try_sq("facts --cached --exit-code").code, 1);
}

/// Blocking facts: one that nobody expects to change, one that may grow, and one that changes with a file.
const WATCHED: &str = r#"{"id": "todos", "q": "How many are open?", "importance": 3, "severity": "blocking",
        "probe": {"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}}},
    {"id": "tests", "q": "How many are there?", "importance": 3, "severity": "blocking", "expect": "increase",
        "probe": {"grep": {"text": "test", "paths": ["src/"], "take": "count"}}},
    {"id": "vendor", "q": "Which?", "importance": 3, "severity": "blocking", "expect": {"when": ["Cargo.lock"]},
        "probe": {"tree": "vendor"}},
    {"id": "lines", "q": "How many?", "importance": 1, "probe": {"lines": {"paths": ["src/"]}}}"#;

/// A proposal that changes the facts of [`WATCHED`] by these files: what the gate says of it.
fn proposed(files: &[(&str, &str)]) -> (World, String) {
    let world = World::new();
    world.write("src/a.rs", "TODO one\ntest one\ntest two\n");
    world.write("vendor/a", "1\n");
    world.ask_json(WATCHED);
    world.git_ok("switch --quiet -c topic");
    for (path, text) in files {
        world.write(path, text);
    }
    world.commit("Work");
    let said = world.try_sq("check --base main").stdout;
    let said = said.lines().filter(|line| line.contains("this branch") || line.contains("triage"));
    let said = said.map(|line| format!("{line}\n")).collect();
    (world, said)
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_blocking_fact_that_a_proposal_changes_waits_for_a_person() {
    let (world, said) =
        proposed(&[("src/a.rs", "TODO one\nTODO two\n\ntest one\n"), ("vendor/a", "2\n")]);
    assert_snapshot!(said, @"
    error: this branch changed todos in src/: 1 -> 2
      if it is meant to change, a person runs `git sq triage todos --expected --because TEXT` on this branch [drift]
    error: this branch changed tests in src/: 2 -> 1
      if it is meant to change, a person runs `git sq triage tests --expected --because TEXT` on this branch [drift]
    error: this branch changed vendor: 2ce1eef76631e82282e0f7f0cf9e6f3e9a4a0b1e -> 02439fb50f442f187d6db9a7b47287b9e3f5d49c
      if it is meant to change, a person runs `git sq triage vendor --expected --because TEXT` on this branch [drift]
    ");
    let alone = world.sq_ok("check");
    assert_has!(alone, "warning: this branch changed todos in src/: 1 -> 2\n");
    let review = world.try_sq("ci --base main --format markdown").stdout;
    assert_has!(
        review,
        "\nerror: this branch changed todos in src/: 1 -> 2; if it is meant to change"
    );
    assert_has!(review, "\nlines changed: 3 -> 4\n");
    assert_snapshot!(world.sq_ok("triage todos vendor"), @"
    todos 1 -> 2 (blocking)
        changed on this branch, in src/; if it is meant to: git sq triage todos --expected --because '...'
    vendor 2ce1eef76631e82282e0f7f0cf9e6f3e9a4a0b1e -> 02439fb50f442f187d6db9a7b47287b9e3f5d49c (blocking)
        changed on this branch; if it is meant to: git sq triage vendor --expected --because '...'
    2 open drifts, 2 blocking
    ");
    assert_has!(
        world.sq_ok("brief"),
        "todos is blocking, and this branch changed it (1 -> 2): see `git sq triage todos`"
    );
    let refused = world.person("triage todos --error --because 'no'", "").stderr;
    assert_has!(refused, "todos: a fact takes --expected; else change back what it reads");
    world.person_ok("triage todos tests vendor --expected --because 'the new parser'");
    world.commit("Agree");
    let gate = world.try_sq("check --base main").exits(0);
    assert_has!(gate.stdout, "this branch closes drift tests ");
    assert_eq!(world.sq_ok("triage"), "No open drifts.\n");
    let review = world.try_sq("ci --base main --format markdown").stdout;
    assert_has!(review, "\nwarning: this branch closes drift tests ");
    // It is closed as it is.
    world.change("src/a.rs", "TODO one\nTODO two\nTODO three\ntest one\n");
    let said = world.try_sq("check --base main").stdout;
    assert!(
        said.contains("this branch changed todos in src/: 1 -> 3")
            && !said.contains("changed tests")
    );
    // It has landed.
    world.git_ok("switch --quiet main");
    world.git_ok("merge --quiet topic");
    assert_eq!(world.try_sq("check").code, 0);
}

/// A blocking fact: the number of lines with TODO.
const TODOS: &str = r#"{"id": "todos", "q": "How many?", "importance": 3, "severity": "blocking",
    "probe": {"grep": {"text": "TODO", "paths": ["src/"], "take": "count"}}}"#;
const MARKS: &str = r#"{"id": "marks", "q": "How many?", "importance": 3,
    "probe": {"grep": {"text": "FIXME", "paths": ["src/"], "take": "count"}}}"#;

fn todos() -> World {
    let world = World::new();
    world.write("src/a.rs", "TODO\n");
    world.ask_json(TODOS);
    world
}

fn agree(world: &World) {
    world.person_ok("triage todos --expected --because 'for later'");
    world.git_ok("add --all");
    world.commit("Agree");
    assert_eq!(world.verdict("--base main"), "0 loosened");
}

/// Its values come back, and each time a person has to agree.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_value_that_was_agreed_with_before_another_waits_for_a_person_again() {
    let world = todos();
    for text in ["\n", "TODO\n", "\n", "TODO\n"] {
        world.git_ok("switch --quiet -C topic");
        world.change("src/a.rs", text);
        assert_eq!(world.verdict("--base main"), "1 drift");
        agree(&world);
        world.git_ok("switch --quiet main");
        world.git_ok("merge --quiet topic");
    }
    // What was changed without anybody in between, too.
    world.change("src/a.rs", "\n");
    world.git_ok("switch --quiet -C topic");
    world.change("src/a.rs", "TODO\n");
    assert_eq!(world.verdict("--base main"), "1 drift");
    agree(&world);
}

/// Where both changed the fact, the merge has a value that nobody has seen.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn what_a_person_agreed_with_on_a_branch_counts_where_it_is_merged_with_its_base() {
    let world = todos();
    for branch in ["first", "agreed", "silent"] {
        world.git_ok(&format!("switch --quiet -c {branch} main"));
        world.change(&format!("src/{branch}.rs"), "TODO\n");
        assert_eq!(world.verdict("--base main"), "1 drift");
        if branch != "silent" {
            agree(&world);
        }
    }
    world.git_ok("switch --quiet main");
    world.git_ok("merge --quiet first");
    for (branch, verdict) in [("agreed", "0 loosened"), ("silent", "1 drift")] {
        world.git_ok("switch --quiet --detach main");
        world.git_ok(&format!("merge --quiet --no-ff -m merged {branch}"));
        assert_eq!(world.verdict("--base main"), verdict, "{branch}");
    }
    // Nor does it cover what a merge adds.
    world.git_ok("switch --quiet --detach main");
    world.git_ok("merge --quiet --no-ff --no-commit agreed");
    world.change("src/more.rs", "TODO\n");
    assert_eq!(world.verdict("--base main"), "1 drift");
    // What the base's people agreed with says nothing of what a merge with it does besides.
    world.git_ok("switch --quiet --detach main~2");
    world.git_ok("merge --quiet --no-ff --no-commit main");
    world.change("src/other.rs", "TODO\nTODO\n");
    assert_eq!(world.verdict("--base main"), "1 drift");
}

#[test]
fn a_list_in_another_order_did_not_change() {
    let world = World::new();
    world.write("deps.json", "{\"l\": [\"a\", \"b\"]}\n");
    world.ask_json(
        r#"{"id": "deps", "q": "Which?", "importance": 3, "severity": "blocking", "shape": "list",
            "probe": {"value": {"file": "deps.json", "pointer": "/l"}}}"#,
    );
    world.git_ok("switch --quiet -c topic");
    for (list, verdict) in [("\"b\", \"a\"", "0"), ("\"b\"", "1 drift")] {
        world.change("deps.json", format!("{{\"l\": [{list}]}}\n"));
        assert_eq!(world.verdict("--base main"), verdict);
    }
}

/// There, `triage` does not know the fact.
#[test]
fn a_branch_that_began_before_a_fact_was_asked_is_merged_with_its_base_first() {
    let world = World::new();
    world.ask_json(MARKS);
    world.git_ok("switch --quiet -c topic");
    world.change("src/topic.rs", "TODO\n");
    world.git_ok("switch --quiet main");
    world.ask_json(&format!("{MARKS},\n{TODOS}"));
    world.git_ok("switch --quiet topic");
    let (report, _) = world.check(&["--base", "main"]);
    let help = report["findings"][0]["help"].as_str().unwrap().to_owned();
    assert_has!(
        help,
        "a person merges the base into this branch and then runs `git sq triage todos"
    );
}

#[test]
fn a_blocking_fact_may_change_as_it_is_expected_to() {
    let files = [
        ("src/a.rs", "TODO one\ntest one\ntest two\ntest three\n"),
        ("vendor/a", "2\n"),
        ("Cargo.lock", "2\n"),
    ];
    assert_eq!(proposed(&files).1, "");
}

#[test]
fn a_release_after_its_pre_releases_increases_the_version() {
    let world = World::new();
    world.write("version.json", "{\"v\": \"5.11.3\"}\n");
    world.ask_json(
        r#"{"id": "version", "q": "Which?", "importance": 3, "severity": "blocking", "expect": "increase",
            "probe": {"value": {"file": "version.json", "pointer": "/v"}}}"#,
    );
    for (version, verdict) in
        [("6.0.0-alpha.9", "0"), ("6.0.0-alpha.10", "0"), ("6.0.0", "0"), ("6.0.0-rc.1", "1 drift")]
    {
        world.change("version.json", format!("{{\"v\": \"{version}\"}}\n"));
        assert_eq!(world.verdict("--base HEAD~1"), verdict, "{version}");
    }
}

/// The base asks the version before: what a person says of the fact is said of both.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_fact_that_is_reworded_and_changed_on_one_branch_is_agreed_with_there() {
    let (world, _) = proposed(&[("src/a.rs", "TODO one\nTODO two\ntest one\ntest two\n")]);
    world.sq_ok("question reword todos 'How many are left?'");
    world.commit("Reword");
    world.person_ok("triage todos --expected --because 'the new parser'");
    world.commit("Agree");
    world.try_sq("check --base main").ok();
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_fact_whose_file_is_renamed_did_not_change() {
    let world = World::new();
    world.write("conf.json", "{\n  \"name\": \"a\",\n  \"kind\": \"b\",\n  \"limit\": 30\n}\n");
    world.ask_json(
        r#"{"id": "limit", "q": "What is it?", "importance": 3, "severity": "blocking",
            "probe": {"value": {"file": "conf.json", "pointer": "/limit"}}}"#,
    );
    world.git_ok("switch --quiet -c topic");
    world.git_ok("mv conf.json settings.json");
    let probe = r#"{"value": {"file": "settings.json", "pointer": "/limit"}}"#;
    world.commit("Rename");
    world.sq_ok(&format!("question reword limit --probe '{probe}'"));
    world.commit("Ask where it is now");
    assert_eq!(world.verdict("--base main"), "0 loosened");
    world
        .change("settings.json", "{\n  \"name\": \"a\",\n  \"kind\": \"b\",\n  \"limit\": 40\n}\n");
    assert_eq!(world.verdict("--base main"), "1 drift loosened");
    let said = world.try_sq("check --base main").stdout;
    assert_has!(said, "error: this branch changed limit@2 in settings.json: 30 -> 40\n");
    // Of the old version, which finds nothing any more, nobody says anything.
    let said = world.person_ok("triage limit --expected --because 'more of it'");
    assert!(said.contains("limit@2") && !said.contains("missing"), "{said}");
}

#[test]
fn what_the_base_asks_and_mends_fails_no_older_branch() {
    let world = World::new();
    world.write("config.json", "{\"limit\": 30}\n");
    world.change("docs.md", "The limit is 20 seconds.\n");
    world.git_ok("switch --quiet -c topic");
    world.change("other.md", "Work.\n");
    world.git_ok("switch --quiet main");
    world.write("docs.md", "The limit is 30 seconds.\n");
    world.write("new.json", "{\"a\": 1}\n");
    let name = r#"{"id": "name", "q": "?", "importance": 3, "probe": {"value": {"file": "new.json", "pointer": "/a"}}}"#;
    world.ask_json(&format!("{LIMIT}, {name}"));
    world.git_ok("switch --quiet topic");
    assert_eq!(world.verdict("--base main"), "0 failing failing");
    let review = world.try_sq("ci --base main --format markdown");
    assert_eq!(review.code, 0, "{}", review.transcript());
    assert!(!review.stdout.contains("newly"), "{}", review.stdout);
    assert_snapshot!(world.try_sq("check --base main").stdout, @"
    topic at 296a0cbb70, 2 questions asked
      question  standing
      limit     fails
      name      fails

    warning: limit fails: differ: config.json:1 30 | docs.md:1 20 at 296a0cbb70, expected to be true
    warning: name fails: missing (there is no file new.json) at 296a0cbb70, expected to be there
      the base mends what this branch began with: merge or rebase [failing]

    2 fail (warning)
    ");
    // What the branch itself breaks fails.
    world.change("docs.md", "The limit is 10 seconds.\n");
    assert_eq!(world.verdict("--base main"), "1 failing failing");
    world.change("docs.md", "The limit is 20 seconds.\n");
    assert_eq!(world.verdict("--base main"), "0 failing failing");
    // What fails at the base, too, is nobody's to leave.
    world.git_ok("switch --quiet main");
    world.change("docs.md", "The limit is 20 seconds.\n");
    world.git_ok("switch --quiet topic");
    assert_eq!(world.verdict("--base main"), "1 failing failing");
}

/// The base counts as many, and others.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn what_another_proposal_agreed_with_clears_no_count_of_this_one() {
    let world = World::new();
    world.write("src/a.rs", "\n");
    world.ask_json(TODOS);
    for (branch, file) in [("one", "src/b.rs"), ("two", "src/c.rs")] {
        world.git_ok(&format!("switch --quiet -c {branch} main"));
        world.change(file, "TODO\n");
        assert_eq!(world.verdict("--base main"), "1 drift");
    }
    world.git_ok("switch --quiet one");
    world.person_ok("triage todos --expected --because 'the new parser'");
    world.commit("Agree");
    assert_eq!(world.verdict("--base main"), "0 loosened");
    world.git_ok("switch --quiet main");
    world.git_ok("merge --quiet one");
    world.git_ok("switch --quiet two");
    assert_eq!(world.verdict("--base main"), "1 drift");
    // What the base has as well is not the branch's own.
    world.git_ok("switch --quiet -c stacked one~2");
    world.git_ok("merge --quiet --squash one");
    world.commit("squashed");
    assert_eq!(world.verdict("--base main"), "0");
    world.git_ok("switch --quiet two");
    // The line that the base has is listed, too, where it is this branch's.
    world.person_ok("triage todos --expected --because 'and this one'");
    world.commit("Agree");
    assert_eq!(world.verdict("--base main"), "0 loosened");
}

/// The base mends the one, and the branch brings another.
#[test]
fn a_count_that_stays_the_same_is_no_sign_that_the_base_mends_it() {
    let world = World::new();
    world.write("src/a.rs", "TODO\n");
    world.ask_json(&TODOS.replace(r#""severity": "blocking""#, r#""expect": 0"#));
    world.git_ok("switch --quiet -c topic");
    world.write("src/a.rs", "\n");
    world.change("src/b.rs", "TODO\n");
    world.git_ok("switch --quiet main");
    world.change("src/a.rs", "\n");
    world.git_ok("switch --quiet topic");
    assert_eq!(world.verdict("--base main"), "1 failing");
}

#[test]
fn a_clone_without_the_merge_base_blames_no_branch() {
    let (world, _) = proposed(&[("other.md", "Work.\n")]);
    world.git_ok("switch --quiet main");
    world.change("src/a.rs", "TODO one\nTODO two\ntest one\n");
    world.git_ok("switch --quiet topic");
    let dir = world.cloned("--depth=1 --no-single-branch", "shallow");
    let said = world.sq_in(&dir, &["check", "--base", "origin/main"]).transcript();
    assert_snapshot!(said, @"
    topic at 748830faf5, 4 questions asked
      question  standing
      todos     fresh
      tests     fresh
      vendor    fresh
      lines     fresh

    unknown: history ends at 748830faf5 (a shallow clone): earlier entries are not counted; `git fetch --unshallow` gets the rest, in CI a checkout with fetch-depth: 0
    unknown: cannot tell what changed since HEAD left 68342ecec0: the history is cut off here; `git fetch --unshallow` gets the rest, in CI a checkout with fetch-depth: 0

    undetermined: the history or the log is incomplete; 4 fresh
    --- exit 3
    ");
    world.git_ok_in(&dir, "fetch --quiet --unshallow");
    assert_eq!(world.verdict_in(&dir, "--base origin/main"), "0");
}

#[test]
fn values_that_look_the_same_are_told_apart() {
    let world = World::new();
    let long = "a".repeat(300);
    let value = |json: &str| format!("{{\"v\": {json}}}\n");
    world.write("a.json", value("3"));
    world.ask_json(
        r#"{"id": "v", "q": "?", "importance": 3, "severity": "blocking",
            "probe": {"value": {"file": "a.json", "pointer": "/v"}}}"#,
    );
    let mut said = String::new();
    for json in
        [r#""3""#, r#""3 4""#, r#""3  4""#, &format!("\"{long}b\""), &format!("\"{long}c\"")]
    {
        world.change("a.json", value(json));
        let gate = world.try_sq("check --base HEAD~1").stdout;
        said += &format!("{}\n", gate.lines().find(|line| line.starts_with("error")).unwrap());
    }
    assert_snapshot!(said, @r#"
    error: this branch changed v in a.json: 3 -> "3"
    error: this branch changed v in a.json: 3 -> 3 4
    error: this branch changed v in a.json: "3 4" -> "3  4"
    error: this branch changed v in a.json: 3 4 -> aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…
    error: this branch changed v in a.json: …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab" -> …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"
    "#);
}

#[test]
fn a_file_and_its_question_move_in_one_commit() {
    let world = World::new();
    world.write("version.py", "VERSION = \"1.0.0\"\n");
    world.change("CHANGES.md", "## v1.0.0\n");
    world.sq_ok("init --empty --no-hooks");
    let agree = |file: &str| {
        ["--agree".to_owned(), "version.py:VERSION = \"(.*)\"".into(), format!("{file}:## v(.*)")]
    };
    let ask = |words: &[&str], file: &str| {
        let agree = agree(file);
        let args: Vec<&str> =
            words.iter().copied().chain(agree.iter().map(String::as_str)).collect();
        world.sq(&args)
    };
    ask(&["question", "add", "changes", "Same?"], "CHANGES.md").ok();
    world.commit("ask");
    let hook = "facts --cached --base HEAD --exit-code";
    fs::create_dir(world.dir.join("docs")).unwrap();
    world.git_ok("mv CHANGES.md docs");
    assert_eq!(world.try_sq(hook).code, 1);
    assert_has!(ask(&["question", "reword", "changes"], "docs/CHANGES.md").ok(), "added changes@2");
    assert_has!(
        ask(&["question", "reword", "changes"], "docs/NEWS.md").exits(128).stderr,
        "the probe finds nothing at HEAD"
    );
    world.git_ok("add --all");
    assert_has!(world.sq_ok(hook), "no fact broke");
}
