//! A proposal is held against the branch that it is to land on, whatever it does to the questions and to what they see.

use git_sq_test_support::{World, each, keyed, store_v2};

const QUESTION: &str = r#"{"id":"q1","q":"one?","importance":2,"watch":["src/a.rs","conf/"]}"#;

const BODY: &str = "fn one() { first(); }\nfn two() { second(); }\nfn three() { third(); }\n";

/// A branch `work` of a `main` that asks this.
fn branched(question: &str) -> World {
    let world = World::new();
    world.write("src/a.rs", BODY);
    world.write("conf/a.toml", "version = 1\nname = \"a\"\n");
    world.ask_json(question);
    world.sq_ok("record --sid s0 --same q1=conf/a.toml:1");
    world.git_ok("switch --quiet -c work");
    world
}

/// The errors against a base: each rule with its message.
#[track_caller]
fn errors(world: &World, base: &str) -> Vec<String> {
    let (check, _) = world.check(&["--base", base]);
    let found = each(&check["findings"]).filter(|finding| finding["severity"] == "error");
    let text = |finding: &serde_json::Value, key: &str| finding[key].as_str().unwrap().to_owned();
    let found =
        found.map(|finding| format!("{}: {}", text(finding, "rule"), text(finding, "message")));
    // The commit differs from run to run of git.
    found
        .map(|finding| match finding.split_once(" at ") {
            Some((before, after)) => format!("{before}{}", &after[10..]),
            None => finding,
        })
        .collect()
}

#[track_caller]
fn blinded(world: &World, why: &str) {
    let expected = format!("blinded: q1 no longer sees what it saw: {why}");
    assert_eq!(errors(world, "main"), [expected]);
}

#[test]
fn a_moved_file_with_a_dummy_left_behind_blinds_its_question() {
    let world = branched(QUESTION);
    world.git_ok("mv src/a.rs src/b.rs");
    world.change("src/a.rs", "// Nothing to see.\n");
    blinded(&world, "src/a.rs was renamed to src/b.rs");
    // A person's new version that looks at both is agreed to.
    world.git_ok("switch --quiet main");
    let newer = QUESTION
        .replace("\"q1\"", "\"q1\",\"version\":2")
        .replace("src/a.rs", "src/b.rs\",\"src/a.rs");
    let older = QUESTION.replace("\"q1\"", "\"q1\",\"status\":\"deprecated\"");
    world.ask_json(&format!("{older},{newer}"));
    world.git_ok("switch --quiet work");
    world.git_ok("merge --quiet --no-edit main");
    assert_eq!(errors(&world, "main"), Vec::<String>::new());
}

#[test]
fn what_matched_a_pathspec_or_a_pattern_and_is_gone_blinds_its_question() {
    let world = branched(QUESTION);
    world.git_ok("rm --quiet -r conf");
    world.commit("drop the settings");
    blinded(&world, "conf/ matches no file any more");
    let world = branched(&QUESTION.replace("\"watch\"", "\"lines\":\"^version\",\"watch\""));
    world.write("conf/a.toml", "name = \"a\"\n");
    world.change("other.toml", "version = 1\n");
    blinded(&world, "`lines` matches nothing any more");
    let probed = r#"{"id":"q1","q":"one?","importance":2,"probe":{"grep":{"text":"name","paths":["conf/"]}}}"#;
    let world = branched(probed);
    world.git_ok("mv conf settings");
    world.commit("tidy up");
    blinded(&world, "conf/ matches no file any more");
}

#[test]
fn honest_work_blinds_nothing() {
    let world = branched(&QUESTION.replace("\"watch\"", "\"lines\":\"^(version|fn)\",\"watch\""));
    // Copied, grown, partly moved, renamed where it is still watched, and a pathspec that never matched.
    world.write("src/b.rs", BODY);
    world.write("src/a.rs", format!("{BODY}fn four() {{}}\n"));
    world.git_ok("mv conf/a.toml conf/b.toml");
    world.commit("work");
    assert_eq!(errors(&world, "main"), Vec::<String>::new());
    world.write("src/a.rs", "fn one() { first(); }\nfn two() { second(); }\n");
    world.change("conf/b.toml", "version = 2\n");
    assert_eq!(errors(&world, "main"), Vec::<String>::new());
}

#[test]
fn a_base_is_no_tag_by_its_short_name() {
    let world = branched(QUESTION);
    world.ask_json(&QUESTION.replace('2', "1"));
    let lax = ["loosened: q1 may ask less"];
    assert_eq!(errors(&world, "main"), lax);
    world.git_ok("tag main");
    assert_eq!(errors(&world, "main"), lax);
    world.git_ok("tag landed");
    for base in ["landed", "landed~1"] {
        let refused = world.sq(&["check", "--base", base]).exits(128);
        assert_has!(refused.stderr, "is not a branch");
        assert_has!(refused.stderr, "a base is a branch, as in main or origin/main");
    }
    let id = world.git_ok("rev-parse refs/heads/main");
    for base in [id.trim(), &id[..8], "refs/heads/main", "HEAD~1", "work~1"] {
        assert_eq!(errors(&world, base), lax, "{base}");
    }
}

/// A checkout of one commit has the branches of the remote alone.
#[test]
fn a_branch_that_only_the_remote_has_is_named() {
    let world = branched(QUESTION);
    let dir = world.root().join("clone");
    world.git_ok(&format!("clone -q --branch work . {}", dir.display()));
    for (base, hint) in [
        ("main", "hint: did you mean origin/main?"),
        ("main~1", "hint: did you mean origin/main~1?"),
        ("origin/gone", "hint: fetch it: `git fetch origin"),
        ("gone", "hint: a base is a branch, as in main or origin/main"),
    ] {
        for command in ["facts", "check"] {
            assert_has!(world.sq_in(&dir, &[command, "--base", base]).exits(128).stderr, hint);
        }
    }
    // What fetches needs no hint.
    let ran = world.sq_in(&dir, &["ci", "--base", "main"]);
    assert_has!(ran.stdout, "Questions and limits are those of origin/main.");
}

#[test]
fn the_base_that_a_proposer_chose_is_held_against_the_default_branch() {
    let world = branched(QUESTION);
    world.git_ok("switch --quiet -c lax");
    world.ask_json(&QUESTION.replace('2', "1"));
    world.git_ok("switch --quiet -c proposal");
    world.commit("work");
    assert_eq!(errors(&world, "lax"), ["loosened: q1 may ask less"]);
    // What the default branch agrees to is nobody's trick.
    world.git_ok("switch --quiet main");
    world.ask_json(&QUESTION.replace('2', "1"));
    world.git_ok("switch --quiet proposal");
    assert_eq!(errors(&world, "lax"), Vec::<String>::new());
}

#[test]
fn a_hotfix_on_a_release_branch_loosens_nothing() {
    let world = branched(QUESTION);
    world.git_ok("switch --quiet -c release");
    world.git_ok("switch --quiet main");
    let more = QUESTION.replace("\"q1\"", "\"q2\"");
    world.ask_json(&format!("{},{more}", QUESTION.replace('2', "3")));
    world.git_ok("switch --quiet release");
    world.git_ok("switch --quiet -c hotfix");
    world.change("src/a.rs", format!("{BODY}// Mended.\n"));
    world.sq_ok("record --sid s1 --delta q1=src/a.rs:4");
    for base in ["release", "main"] {
        assert_eq!(errors(&world, base), Vec::<String>::new(), "{base}");
    }
}

/// Whoever changes the questions of a branch is asked what that branch began with, not what its base asks since.
#[test]
fn a_branch_is_not_asked_what_its_base_asked_later() {
    let every = QUESTION.replace("\"importance\":2", "\"importance\":3,\"require_evidence\":false");
    let world = branched(&every);
    let more = every.replace("\"q1\"", "\"q3\"");
    world.ask_json(&format!("{every},{more}"));
    world.git_ok("switch --quiet main");
    let later = every.replace("\"q1\"", "\"q2\"");
    world.ask_json(&format!("{every},{later}"));
    world.git_ok("switch --quiet work");
    world.change("src/a.rs", format!("{BODY}fn four() {{}}\n"));
    world.sq_ok("record --sid s1 --delta q1=src/a.rs:4 --same q3=x");
    let (check, _) = world.check(&["--base", "main"]);
    assert_eq!(check["findings"], serde_json::json!([]), "{check}");
}

/// A look is judged by the base's questions there, whatever a run without the base kept of it.
#[test]
fn what_was_judged_without_the_base_is_not_kept_for_it() {
    let world = World::new();
    let wide = keyed(&[r#","watch":["src/"]"#]);
    world.write("standing_questions.json", &wide);
    world.change("src/a.rs", "one\n");
    world.sq_ok("record --sid s0 q1=one --cite q1=src/a.rs:1");
    world.git_ok("switch --quiet -c side");
    world.write("standing_questions.json", keyed(&[r#","watch":["docs/"]"#]));
    world.change("src/a.rs", "two\n");
    world.sq_ok("record --sure --sid s1 --same q1");
    world.change("standing_questions.json", &wide);
    // A cache that is made anew is written in any case.
    std::fs::remove_dir_all(world.dir.join(".git/sq/cache")).unwrap();
    world.sq(&["check"]);
    let kept = world.sq(&["check", "--base", "main"]).transcript();
    assert_eq!(kept, world.sq(&["--no-cache", "check", "--base", "main"]).transcript());
}

/// Whether README.md has the version of a manifest.
fn of_manifest(version: u32, file: &str, expect: &str) -> String {
    format!(
        r#"{{"id":"v","version":{version},"q":"{version}?","importance":2,"expect":{expect},"probe":{{"agree":[
        {{"value":{{"file":"{file}","pointer":"/package/version"}}}},
        {{"text":{{"file":"README.md","pattern":"^Version: (.*)"}}}}]}}}}"#
    )
}

/// A proposal that asks of another manifest than the base; nothing is committed.
fn asks_of(file: &str, expect: &str) -> World {
    let world = World::new();
    world.write("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.2.0\"\nedition = \"2024\"\n");
    world.write("README.md", "Version: 1.2.0\n");
    world.ask_json(&of_manifest(1, "Cargo.toml", "true"));
    world.git_ok("switch --quiet -c work");
    let old = of_manifest(1, "Cargo.toml", r#"true,"status":"deprecated""#);
    let questions = format!("{old},{}", of_manifest(2, file, expect));
    world.write("standing_questions.json", store_v2(&questions));
    world.write("core/a.rs", "");
    world
}

fn facts_hold(world: &World, args: &str) -> bool {
    world.try_sq(&format!("facts --exit-code {args}")).code == 0
}

#[test]
fn a_fact_follows_the_file_that_a_proposal_renames() {
    let world = asks_of("core/Cargo.toml", "true");
    world.git_ok("mv Cargo.toml core/Cargo.toml");
    assert!(!facts_hold(&world, "--cached --base HEAD"));
    world.git_ok("add --all");
    assert!(facts_hold(&world, "--cached --base HEAD"));
    world.commit("move it");
    assert_eq!(errors(&world, "main"), [""; 0]);
    assert!(facts_hold(&world, "--base main"));
    assert_eq!(world.try_sq("ci --base main").code, 0);
    world.change("README.md", "Version: 1.1.0\n");
    assert_eq!(errors(&world, "main").len(), 1);
    assert!(!facts_hold(&world, "--base main"));
}

/// As from setup.py to pyproject.toml: for git it is another file.
#[test]
fn a_fact_follows_what_it_asks_to_another_file() {
    let world = World::new();
    world.write("setup.py", "setup(\n    name=\"shop\",\n    version=\"1.1.0\",\n)\n");
    world.write("README.md", "Version: 1.1.0\n");
    let asks = |version: &str, manifest: &str, readme: &str| {
        format!(
            r#"{{"id":"v",{version}"q":"?","importance":2,"expect":true,"probe":{{"agree":[
            {{"text":{{"file":{manifest},"pattern":"version ?= ?\"([^\"]+)"}}}},
            {{"text":{{"file":"README.md","pattern":"{readme}"}}}}]}}}}"#
        )
    };
    let old = asks("", r#""setup.py""#, "^Version: (.*)");
    world.ask_json(&old);
    world.git_ok("switch --quiet -c work");
    world.git_ok("rm --quiet setup.py");
    world.write("pyproject.toml", "[project]\nname = \"shop\"\nversion = \"1.1.0\"\n");
    let old = old.replace("\"v\"", "\"v\",\"status\":\"deprecated\"");
    let new = |file, readme| asks("\"version\":2,", file, readme);
    world.ask_json(&format!("{old},{}", new(r#""pyproject.toml""#, "Version: ([0-9.]+)")));
    assert_eq!(errors(&world, "main"), [""; 0]);
    // Those who review it read the other version.
    assert_has!(world.try_sq("check --base main").stdout, "asks v@2 in place of v");
    // It has to find in what stayed what it found there, to look elsewhere for what went, and to compare as much.
    let fails = "failing: v fails: missing (there is no file setup.py), expected to be true";
    let laxer = [fails, "loosened: v may ask less"];
    for (file, readme) in [
        (r#""pyproject.toml""#, "V(ersion)"),
        (r#""README.md""#, "^Version: (.*)"),
        (r#""pyproject.toml","as":"version","precision":1"#, "^Version: (.*)"),
    ] {
        world.ask_json(&format!("{old},{}", new(file, readme)));
        assert_eq!(errors(&world, "main"), laxer, "{file}");
    }
}

/// A folder that is still there, and a file that was there before.
#[test]
fn what_a_fact_finds_elsewhere_is_held_against_what_it_found() {
    let world = World::new();
    world.write("lib/a", "1\n");
    world.write("docs/a", "1\n");
    world.write("limits.json", "{\"limit\": 30}\n");
    world.write("other.json", "{\"limit\": 0}\n");
    let asks = |id: &str, more: &str, probe: &str| {
        format!(
            r#"{{"id":"{id}",{more}"q":"?","importance":2,"severity":"blocking","probe":{probe}}}"#
        )
    };
    let limit = |file: &str| format!(r#"{{"value":{{"file":"{file}","pointer":"/limit"}}}}"#);
    let (old, then) = (r#"{"tree":"lib"}"#, r#""status":"deprecated","#);
    let limits = asks("limit", "", &limit("limits.json"));
    world.ask_json(&format!("{},{limits}", asks("lib", "", old)));
    world.git_ok("switch --quiet -c folder");
    world.write("lib/a", "2\n");
    let newer = asks("lib", r#""version":2,"#, r#"{"tree":"docs"}"#);
    world.ask_json(&format!("{},{newer},{limits}", asks("lib", then, old)));
    assert_eq!(world.verdict("--base main"), "1 drift loosened loosened");

    world.git_ok("switch --quiet -c file main");
    world.git_ok("rm --quiet limits.json");
    let newer = asks("limit", r#""version":2,"#, &limit("other.json"));
    let older = asks("limit", then, &limit("limits.json"));
    world.ask_json(&format!("{},{older},{newer}", asks("lib", "", old)));
    let said = world.try_sq("check --base main").stdout;
    assert!(said.contains("this branch changed limit@2 in other.json: 30 -> 0\n"), "{said}");
    world.change("other.json", "{\"limit\": 30}\n");
    assert_eq!(errors(&world, "main"), [""; 0]);
}

#[test]
fn a_fact_follows_no_copy_and_no_version_that_asks_less() {
    let copied = asks_of("old/Cargo.toml", "true");
    copied.git_ok("mv Cargo.toml old.toml");
    copied.write(
        "old/Cargo.toml",
        "[package]\nname = \"a\"\nversion = \"1.2.0\"\nedition = \"2024\"\n",
    );
    copied
        .write("Cargo.toml", "[package]\nname = \"a\"\nversion = \"1.3.0\"\nedition = \"2024\"\n");
    copied.commit("copy it");
    let fails =
        "failing: v fails: differ: Cargo.toml:3 1.3.0 | README.md:1 1.2.0, expected to be true";
    assert_eq!(errors(&copied, "main"), [fails, "loosened: v may ask less"]);

    let laxer = asks_of("core/Cargo.toml", "false");
    laxer.git_ok("mv Cargo.toml core/Cargo.toml");
    laxer.change("README.md", "Version: 1.1.0\n");
    let fails = "failing: v fails: missing (there is no file Cargo.toml), expected to be true";
    assert_eq!(errors(&laxer, "main"), [fails, "loosened: v may ask less"]);
}

#[test]
fn a_pathspec_that_matches_nothing_may_go() {
    let watch = |specs: &str| QUESTION.replace(r#""src/a.rs","conf/""#, specs);
    for (drops, is_looser) in [("gone.rs", false), ("soon.rs", true)] {
        let world = branched(&watch(&format!(r#""src/a.rs","{drops}""#)));
        world.write("standing_questions.json", store_v2(&watch(r#""src/a.rs""#)));
        world.change("soon.rs", "new\n");
        assert_eq!(!errors(&world, "main").is_empty(), is_looser, "{drops}");
    }
}

#[test]
fn a_stricter_limit_loosens_nothing() {
    let limit = |expect: &str| {
        format!(
            r#"{{"id":"n","q":"?","importance":2,"expect":{expect},"probe":{{"text":{{"file":"release","pattern":"(.*)"}}}}}}"#
        )
    };
    for (old, new, is_looser) in [
        (r#"{"at_most":5}"#, r#"{"at_most":3}"#, false),
        (r#"{"at_most":5}"#, r#"{"at_most":5.5}"#, true),
        (r#"{"at_least":1}"#, r#"{"at_least":3}"#, false),
        (r#"{"at_least":2}"#, r#"{"at_least":1}"#, true),
        (r#"{"at_least":"3.9"}"#, r#"{"at_least":"3.10"}"#, false),
        (r#"{"at_least":"3.9"}"#, r#"{"at_least":"3.8"}"#, true),
        (r#"{"at_most":5}"#, r#"{"at_least":3}"#, true),
    ] {
        let world = World::new();
        world.write("release", "3.12\n");
        world.ask_json(&limit(old));
        world.git_ok("switch --quiet -c work");
        world.ask_json(&limit(new));
        let loosened = if is_looser { vec!["loosened: n may ask less"] } else { vec![] };
        assert_eq!(errors(&world, "main"), loosened, "{old} {new}");
    }
}

#[test]
fn an_expectation_that_changes_with_its_file_is_for_a_person_to_merge() {
    let world = World::new();
    world.write("release", "3.12\n");
    let asks = |release: &str| {
        format!(
            r#"{{"id":"n","q":"?","importance":2,"expect":"{release}","probe":{{"text":{{"file":"release","pattern":"(.*)"}}}}}}"#
        )
    };
    world.ask_json(&asks("3.12"));
    world.git_ok("switch --quiet -c work");
    world.write("release", "3.13\n");
    let help =
        |world: &World| world.check(&["--base", "main"]).0["findings"][0]["help"].to_string();
    world.commit("next");
    let alone = help(&world);
    assert!(alone.contains("if the expectation is wrong, change the `expect` of n"), "{alone}");
    world.ask_json(&asks("3.13"));
    let both = help(&world);
    assert!(both.contains("what this branch asks of n instead counts once it is merged"), "{both}");
}

#[test]
fn a_question_in_other_words_is_for_its_reviewers_to_read() {
    let world = branched(QUESTION);
    world.sq_ok("question reword q1 'Is there a file?'");
    world.commit("Ask in other words");
    let said = "warning: this branch asks q1@2 in place of q1: Is there a file?";
    assert_has!(world.try_sq("check --base main").stdout, said);
    assert_has!(world.try_sq("ci --base main --format markdown").stdout, said);
}

/// Two branches may give one version to different words, and a person may take an edit back.
#[test]
fn an_answer_to_other_words_is_none_to_those_of_the_base() {
    let world = branched(QUESTION);
    world.sq_ok("question reword q1 'Is there a file?'");
    world.commit("Ask in other words");
    world.change("src/a.rs", format!("{BODY}fn four() {{}}\n"));
    world.sq_ok("record --sid s1 q1=yes --cite q1=src/a.rs:1");
    world.git_ok("switch --quiet main");
    world.sq_ok("question reword q1 'Is there a folder?'");
    world.commit("Ask in other words, too");
    world.git_ok("switch --quiet work");
    let said = world.try_sq("check --base main").stdout;
    assert_has!(said, "warning: q1@2 is outdated: its text changed");
    assert_has!(
        said,
        "  the base asks it in other words: merge or rebase, then answer it [outdated]\n"
    );
    assert_has!(said, "warning: this branch asks q1@2 in place of q1: Is there a file?");
    // The copy on the rebased commit still answers the branch's words.
    let old = world.head();
    world.git_ok("reset --quiet --hard main");
    world.git_ok(&format!("cherry-pick {old}"));
    world.sq_ok(&format!("carry --onto HEAD {old}"));
    let said = world.try_sq("check --base main").stdout;
    assert_has!(said, "warning: q1@2 is outdated: its text changed");
}

#[test]
fn what_a_proposal_asks_as_well_is_verified() {
    let world = World::new();
    world.write("n", "1\n");
    let fact = r#"{"id":"n","q":"How many?","importance":2,"probe":{"lines":{"paths":["n"]}}}"#;
    world.ask_json(fact);
    world.git_ok("switch --quiet -c work");
    world.ask_json(&format!("{fact},{QUESTION}"));
    world.change("src/a.rs", BODY);
    world.sq_ok("record --sid s1 q1=yes --cite q1=src/a.rs:1");
    let ci = world.try_sq("ci --base main").ok();
    assert_has!(ci, "verified 2 recorded answers: all stand");
}

/// A store that can't be read there keeps nobody from working here.
#[test]
fn a_broken_store_of_the_default_branch_breaks_no_brief() {
    let world = World::new();
    world.write("n", "1\n");
    world.ask_json(r#"{"id":"n","q":"?","importance":2,"severity":"blocking","probe":{"lines":{"paths":["n"]}}}"#);
    world.git_ok("switch --quiet -c work");
    world.change("n", "1\n2\n");
    assert_has!(world.sq_ok("triage"), "n 1 -> 2 (blocking)");
    world.git_ok("switch --quiet main");
    world.change("standing_questions.json", "{");
    world.git_ok("switch --quiet work");
    assert_has!(world.sq_ok("brief"), "Answered by the tool");
    // The last one that could be read is asked, and a proposal can mend it.
    assert_has!(world.sq_ok("triage"), "n 1 -> 2 (blocking)");
    assert_eq!(world.verdict("--base main"), "1 drift");
    world.change("n", "1\n");
    assert_eq!(world.check(&["--base", "main"]).1, 0);
}
