//! Examples of the docs that the test of the README does not run.

use std::{fs, path::Path};

use git_sq_test_support::{World, path_with_program, words};

/// The first block of a page that is marked so and has this text.
fn block(page: &str, mark: &str, text: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let page = fs::read_to_string(page).unwrap();
    let mark = format!("\n```{mark}\n");
    let mut blocks =
        page.split(&mark).skip(1).map(|rest| rest.split("\n```").next().unwrap().to_owned());
    blocks.find(|block| block.contains(text)).unwrap()
}

#[test]
fn the_quick_start_for_powershell_runs() {
    let world = World::new();
    world.change("CONTRIBUTING.md", "Run `make check`.\n");
    for line in block("docs/questions.md", "powershell", "git sq").lines() {
        let words = words(line);
        let mut command = world.command(&words[0]);
        command.env("PATH", path_with_program()).args(&words[1..]);
        let ran: git_sq_test_support::Ran = command.output().unwrap().into();
        let is_gate = line == "git sq check";
        assert!(ran.code == 0 || is_gate, "{line}: {}", ran.transcript());
    }
    assert!(world.lines()[0].contains("make check"));
}

#[cfg(unix)]
#[test]
fn any_tool_can_answer() {
    use git_sq_test_support::executable;

    let world = World::new();
    for (path, text) in [("LICENSE", "MIT\n"), ("src/api.rs", "fn a() {}\n")] {
        world.write(path, text);
    }
    world.commit("start");
    world.git_ok("tag v1.0");
    world.change("src/api.rs", "fn b() {}\n");
    let cargo = r#"case "$1" in
test) ;;
llvm-cov) printf 'src/api.rs 10 0 100.00%%  8 1 87.50%%\nTOTAL 10 0 100.00%%  8 1 87.50%%  0 0 -\n' ;;
*) exit 101 ;;
esac"#;
    let bin = world.root().join("bin");
    for (name, script) in
        [("ast-grep", "printf '{}\\n{}\\n'"), ("curl", "echo 1.2.0"), ("cargo", cargo)]
    {
        executable(&bin.join(name), &format!("#!/bin/sh\n{script}\n"));
    }
    let path = format!("{}:{}", bin.display(), path_with_program().display());
    let answers = |mark: &str, ids: &[&str]| -> Vec<String> {
        let store = block("docs/questions.md", "json questions", mark);
        world.change("standing_questions.json", store);
        let answer = |id: &&str| {
            world.person(&format!("question approve {id}"), "yes\n").ok();
            let line = format!("probe {id} --format json");
            let found = world.sq_env(&line, &[("PATH", &path)]).json();
            found["answers"][0]["value"].to_string().replace('"', "")
        };
        ids.iter().map(answer).collect()
    };
    assert_eq!(answers("\"test\", \"--quiet\"", &["tests"]), ["0"]);
    let ids = ["unwraps", "author", "api", "coverage", "deployed"];
    let found = ["2", "Ada Example", "1", "87.50", "1.2.0"];
    assert_eq!(answers("ast-grep", &ids), found);
}

#[cfg(unix)]
#[test]
fn the_recipes_for_many_repositories_run() {
    let world = World::answered("s1");
    world.write("repositories.txt", ".\n");
    let mut recipes = vec![block("docs/ci.md", "sh", "git sq fleet")];
    if world.command("jq").arg("--version").output().is_ok() {
        recipes.push(block("docs/ci.md", "sh", "git sq export"));
    } else {
        println!("skipped: jq is not installed");
    }
    for script in recipes {
        world.shell_in(&world.dir, &format!("set -e\n{script}")).ok();
        let file = script.rsplit(['>', ' ']).next().unwrap();
        let written = fs::read_to_string(world.dir.join(file.trim())).unwrap();
        assert!(!written.is_empty(), "{script}");
    }
}
