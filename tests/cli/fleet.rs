//! Many repositories at once.

use git_sq_test_support::each;

use std::{fs, path::PathBuf};

use git_sq_test_support::{
    World,
    fleet::{Member, fleet, row},
};
use serde_json::{Value, json};

use crate::{
    facts::{self, RUST},
    generated::assert_valid,
    openmetrics::samples,
};

fn run(world: &World, members: &[Member], args: &[&str]) -> git_sq_test_support::Ran {
    let lines = members.iter().map(|member| format!("{}\n", member.path.display()));
    let list = world.root().join("list");
    fs::write(&list, lines.collect::<String>()).unwrap();
    world.sq(&[&["fleet", "--file", list.to_str().unwrap()], args].concat())
}

fn state<'f>(fleet: &'f Value, path: &std::path::Path) -> &'f Value {
    let mut rows = each(&fleet["repositories"]);
    rows.find(|row| row["path"] == path.to_str().unwrap())
        .unwrap_or_else(|| panic!("{} has no row", path.display()))
}

#[test]
fn a_broken_repository_stops_no_other() {
    let (world, members) = fleet(3);
    let ran = run(&world, &members, &[]);
    assert_eq!((ran.code, ran.stderr.as_str()), (1, ""), "{}", ran.transcript());
    let fleet = run(&world, &members, &["--format", "json"]).json();
    assert_valid("fleet", &fleet);
    for member in &members {
        assert_eq!(state(&fleet, &member.path)["state"], member.state, "{}", ran.stdout);
        assert_has!(row(&ran.stdout, &member.path), member.says);
    }
    let places = ["needing attention", "never set up", "unknown", "clean"]
        .map(|title| ran.stdout.find(&format!("\n{title}\n")).unwrap());
    assert!(places.is_sorted(), "{}", ran.stdout);
    // What can't be read is nowhere 0.
    let gone = state(&fleet, &world.root().join("gone"));
    assert_eq!(gone["figures"], Value::Null);
    assert!(!row(&ran.stdout, &world.root().join("shallow")).contains("sessions"));
    let metrics = samples(&run(&world, &members, &["--format", "openmetrics"]).stdout);
    let of = |name: &str, path: &str| {
        let path = world.root().join(path);
        metrics.get(&format!("git_sq_{name}{{repository=\"{}\"}}", path.display()))
    };
    assert_eq!((of("readable", "r0"), of("sessions", "r0")), (Some(&1), Some(&10)));
    assert_eq!((of("readable", "gone"), of("sessions", "gone")), (Some(&0), None));
    assert_eq!((of("readable", "shallow"), of("sessions", "shallow")), (Some(&1), None));
    assert_eq!((of("readable", "no-store"), of("sessions", "no-store")), (Some(&1), None));
    let markdown = run(&world, &members, &["--format", "markdown"]).stdout;
    let head = ran.stdout.lines().next().unwrap();
    run(&world, &members, &["-o", "fleet.html"]);
    let page = world.read("fleet.html");
    assert_has!(page, &format!("<p class=\"verdict\">{head}</p>"), "<td class=\"number\">?</td>");
    assert!(
        markdown.starts_with(&format!(
            "## Standing questions\n\n```text\n{head}\n\nneeding attention\n"
        )),
        "{markdown}"
    );
}

#[test]
fn what_an_unreadable_note_may_say_is_unknown() {
    let world = World::answered("s1");
    let readable = world.git_ok("rev-parse refs/notes/sq");
    world.plant(&[(&world.head(), b"{broken\n")]);
    world.try_sq("fleet . --format json -o ../fleet.json").exits(3);
    let fleet: Value =
        serde_json::from_slice(&fs::read(world.root().join("fleet.json")).unwrap()).unwrap();
    assert_valid("fleet", &fleet);
    let figures = &fleet["repositories"][0]["figures"];
    assert_eq!(figures["unknown"].as_array().unwrap().len(), 1);
    for name in "sessions answers deltas_by_probes deltas_by_judgement flagged unasked_commits \
                 warnings session_seconds"
        .split_whitespace()
    {
        assert_eq!(figures[name], Value::Null, "{name}: {figures}");
    }
    let unknown =
        json!({"question": "q1", "standing": "unknown", "staleness": null, "answered": null});
    assert_eq!(figures["questions"], json!([unknown]));
    for more in ["", "--by-question"] {
        let ran = world.try_sq(&format!("fleet . --format openmetrics {more}"));
        let known = samples(&ran.stdout).into_keys();
        let known: Vec<String> =
            known.map(|key| key.split('{').next().unwrap().to_owned()).collect();
        let expected = ["questions", "readable", "unknown_facts"];
        assert_eq!(known, expected.map(|name| format!("git_sq_{name}")), "{more}");
    }
    // A figure that is known again is no change.
    world.git_ok(&format!("update-ref refs/notes/sq {readable}"));
    assert_has!(world.sq_ok("fleet . --since ../fleet.json"), ".: 1 session, the last answer");
}

#[test]
fn figures_are_those_of_the_gate_there() {
    let world = World::answered("s1");
    world.git_ok("clone --quiet --mirror . ../mirror.git");
    world.git_ok("worktree add --quiet ../side");
    let root = world.root();
    let paths = ["repo", "mirror.git", "side"].map(|name| root.join(name));
    let names: Vec<&str> = paths.iter().map(|path| path.to_str().unwrap()).collect();
    let ran = world.sq(&[&["fleet", "--format", "json"], &names[..]].concat());
    let fleet = ran.json();
    for path in &paths {
        let (check, code) = world.check_in(path);
        assert_eq!(code, 0, "{check}");
        let figures = &state(&fleet, path)["figures"];
        assert_eq!(figures["vcs.ref.head.revision"], check["tip"], "{}", path.display());
        assert_eq!(figures["sessions"], check["sessions"]);
        assert_eq!(figures["unknown"], check["unknown"]);
    }
    assert_eq!(ran.code, 0);
    assert_eq!(fleet["totals"]["sessions"], 3);
}

#[test]
fn a_folder_in_a_repository_is_none() {
    let world = World::answered("s1");
    world.write("below/a", "");
    let ran = world.try_sq("fleet . below .").exits(3);
    let said = ran.stdout.replace(&world.dir.display().to_string(), "ROOT");
    insta::assert_snapshot!(said, @"
    2 repositories: 1 unknown, 1 clean

    unknown
      below: not the root of its repository, which is ROOT

    clean
      .: 1 session, the last answer 1 minute ago

    1 session, 1 answer, 0 errors, 0 warnings, 0 wrong facts in those that could be read
    ");
}

#[test]
fn changes_are_told_against_an_earlier_reading() {
    let world = World::new();
    let store = |watch: &str| {
        json!({"_schema": "standing_questions/v2", "questions": [
        {"id": "q1", "q": "?", "importance": 2, "watch": [watch]}, {"id": "q2", "q": "?", "importance": 2}]})
    };
    world.write("standing_questions.json", store("a").to_string());
    world.write("a", "1");
    world.commit("ask");
    world.sq_ok("record --sure --sid s1 q1=a q2=b");
    let other = world.root().join("other");
    world.git(&["clone", "--quiet", "--mirror", ".", other.to_str().unwrap()]).ok();
    world.sq_ok("fleet . ../other -o ../then.json --format json");
    let same = world.sq_ok("fleet . ../other --since ../then.json");
    insta::assert_snapshot!(same, @"
    2 repositories: 2 clean

    clean
      .: 1 session, the last answer 3 minutes ago
      ../other: 1 session, the last answer 3 minutes ago

    2 sessions, 4 answers, 0 errors, 0 warnings, 0 wrong facts in those that could be read
    ");
    world.write("a", "2");
    world.commit("work");
    world.sq_ok("record --sure --sid s2 --same q2");
    fs::remove_dir_all(other).unwrap();
    fs::create_dir(world.root().join("empty")).unwrap();
    let ran = world.try_sq("fleet . ../other ../empty --since ../then.json").exits(3);
    insta::assert_snapshot!(ran.stdout, @"
    3 repositories: 1 changed, 2 unknown

    changed
      .: q1 outdated; sessions went from 1 to 2; q1 went from fresh to outdated; 2 sessions, the last answer 1 minute ago

    unknown
      ../other: No such file or directory (os error 2); was clean before
      ../empty: not a git repository; new in the list

    2 sessions, 3 answers, 0 errors, 2 warnings, 0 wrong facts in those that could be read
    ");

    for (text, why) in [
        ("{}", "missing field"),
        ("{\"schema\":\"sq.check/v1\",\"repositories\":[]}", "is not sq.fleet/v1"),
    ] {
        world.write("../then.json", text);
        assert_has!(world.try_sq("fleet . --since ../then.json").exits(128).stderr, why);
    }
}

#[test]
fn what_names_one_repository_is_refused() {
    let ran = World::asked().env("GIT_DIR", ".git").try_sq("fleet .").exits(128);
    assert_has!(ran.stderr, "GIT_DIR names one repository");
    assert_eq!(World::asked().try_sq("fleet").code, 129);
}

#[test]
fn paths_are_hostile_too() {
    let world = World::answered("s1");
    let name = "a\u{1b}[31m```\n# x";
    let path: PathBuf = world.root().join(name);
    fs::rename(&world.dir, &path).unwrap();
    let world = world.at(&path);
    for format in ["text", "markdown", "json", "html", "openmetrics"] {
        let ran = world.sq(&["fleet", "--format", format, path.to_str().unwrap()]).exits(0);
        assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
        assert!(!ran.stdout.contains("\n# x"), "{}", ran.stdout);
    }
}

/// A folder stands for the repositories in it; the most wrong facts come first, and no remote is named.
#[test]
fn a_folder_is_looked_into() {
    let readme = "Needs Rust 1.75 or later. Run `tools/make.sh`.\n";
    let world = facts::world(&[RUST, ("README.md", readme, readme), ("tools/make.sh", "a", "b")]);
    let root = world.root().join("all");
    for folder in ["github.com/one", ".cache/hidden", "far/below/too/deep"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    world.git_ok("remote add origin https://me:s3cr3t-token@example.com/one/few.git");
    world.git_ok("clone -q . ../all/github.com/one/few");
    world.git_ok("rm -q tools/make.sh");
    world.commit("drop it");
    world.git_ok("clone -q --bare . ../all/more.git");
    for unread in [".cache/hidden/x", "far/below/too/deep/x", "github.com/one/few/inner"] {
        world.git_ok(&format!("clone -q . ../all/{unread}"));
    }
    world.git_ok("init -q ../all/none");
    std::os::unix::fs::symlink(&root, root.join("again")).unwrap();
    let url = "https://me:s3cr3t-token@example.com/one/more.git";
    world.git_ok_in(&root.join("more.git"), &format!("remote set-url origin {url}"));
    let ran = world.try_sq("fleet ../all ../all/more.git");
    insta::assert_snapshot!(ran.transcript(), @"
    3 repositories: 2 with wrong facts, 1 unknown

    with wrong facts
      ../all/more.git: there is no question store; 2 wrong facts
      ../all/github.com/one/few: there is no question store; 1 wrong fact

    unknown
      ../all/none: HEAD has no commit yet (git sq reads commits and writes notes on them: make the first one; `git sq init` works before that)

    0 sessions, 0 answers, 0 errors, 0 warnings, 3 wrong facts in those that could be read
    --- exit 3
    ");
    world.try_sq("fleet ../all --format json -o ../then.json");
    world.git_ok_in(&root.join("github.com/one/few"), "pull -q");
    let said = world.try_sq("fleet ../all --since ../then.json").stdout;
    assert_has!(
        said,
        "few: there is no question store; 2 wrong facts; wrong facts went from 1 to 2\n"
    );
    let json = world.try_sq("fleet ../all --format json").json();
    assert_valid("fleet", &json);
    assert_eq!(json["totals"]["wrong_facts"], 4);
    world.try_sq("fleet ../all -o ../fleet.html");
    let page = fs::read_to_string(world.root().join("fleet.html")).unwrap();
    assert_has!(page, "wrong facts</th>");
    // What went from the folder is said once.
    fs::rename(root.join("github.com"), root.join("../gone")).unwrap();
    let gone = "few: No such file or directory (os error 2); was with wrong facts before\n";
    assert_has!(world.try_sq("fleet ../all --since ../then.json").stdout, gone);
    world.try_sq("fleet ../all --since ../then.json --format json -o ../now.json");
    assert!(!world.try_sq("fleet ../all --since ../now.json").stdout.contains("one/few"));
    for text in [page, json.to_string(), said] {
        assert!(!text.contains("s3cr3t") && !text.contains("example.com"), "{text}");
    }
}

/// As people set it up who keep a folder with many worktrees.
#[test]
fn a_folder_that_names_a_bare_repository_stands_for_it() {
    let world = World::asked();
    world.git_ok("clone -q --bare . ../all/beside/.bare");
    let folder = world.root().join("all/beside");
    fs::write(folder.join(".git"), "gitdir: ./.bare\n").unwrap();
    world.git_ok_in(&folder, "worktree add -q main");
    let said = |paths: &str| world.try_sq(&format!("fleet {paths}")).stdout;
    let reason =
        |said: &str| said.lines().find_map(|line| Some(line.split_once(": ")?.1.to_owned()));
    assert_eq!(reason(&said("../all")), reason(&said("../all/beside/main")));
    assert_has!(said("../all"), "  ../all/beside: ");
}
