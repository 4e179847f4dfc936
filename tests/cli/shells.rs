//! Help, the manual page and completions: what a shell and `man` make of them.

use std::process::{Command, Stdio};

use git_sq_test_support::{World, path_with_program};

/// Whether a program is on this machine; says so where a test is skipped.
fn have(program: &str) -> bool {
    let found = Command::new(program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok();
    if !found {
        eprintln!("skipped: there is no {program} on this machine");
    }
    found
}

#[test]
fn usage_errors_exit_129() {
    let world = World::new();
    for args in [
        &["nonsense"][..],
        &["check", "--nonsense"],
        &["record", "--json", "-", "--same", "q1"],
    ] {
        assert_eq!(world.sq(args).code, 129, "{args:?}");
    }
    assert_eq!(world.sq(&["-h"]).code, 0);
    assert!(world.sq_ok("--version").starts_with("git-sq "));
}

#[test]
fn the_manual_names_every_setting_that_is_read() {
    let manual = World::new().sq_ok("man").replace("\\-", "-");
    let src = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![src];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            let strings = source.split('"').skip(1).step_by(2);
            let is_name = |text: &&str| {
                let mut rest = text.trim_start_matches("sq.").chars();
                text.starts_with("sq.") && rest.all(char::is_alphanumeric)
                    || text.starts_with("SQ_") && !text.contains("TEST")
            };
            for name in strings.filter(is_name) {
                assert!(manual.contains(name), "{name} of {}", path.display());
            }
        }
    }
}

#[test]
fn the_manual_page_is_one_page_with_every_command() {
    let world = World::without_repo();
    let page = world.sq_ok("man");
    for command in ["GIT SQ CHECK", "GIT SQ RECORD", "GIT SQ QUESTION LINT"] {
        assert!(page.contains(command), "{command}");
    }
    world.sq_ok("man --install");
    let installed = world.home().join(".local/share/man/man1/git-sq.1");
    assert_eq!(std::fs::read_to_string(&installed).unwrap(), page);
    if have("man") {
        let mut command = world.command("man");
        let shown = command
            .args(["--warnings", "-E", "UTF-8", "-l"])
            .arg(&installed)
            .output()
            .unwrap();
        assert!(shown.status.success());
        assert_eq!(String::from_utf8_lossy(&shown.stderr), "");
    }
}

/// Completes a line in bash through git's completion and gives the answers.
fn bash_completes(world: &World, line: &str) -> Option<Vec<String>> {
    let git_completion = "/usr/share/bash-completion/completions/git";
    if !std::path::Path::new(git_completion).exists() || !have("bash") {
        eprintln!("skipped: git's bash completion is not on this machine");
        return None;
    }
    let script = format!(
        "source {git_completion}; source <(git-sq completions bash); COMP_WORDS=({line}); \
         [[ '{line}' == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1)); \
         COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; __git_wrap__git_main; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let mut command = world.command("bash");
    command
        .env("PATH", path_with_program())
        .args(["-c", &script]);
    let output = command.output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    Some(
        answers
            .lines()
            .map(|answer| answer.trim().to_owned())
            .collect(),
    )
}

#[test]
fn bash_completes_commands_and_options() {
    let world = World::new();
    let Some(commands) = bash_completes(&world, "git sq ") else {
        return;
    };
    for command in ["brief", "check", "record"] {
        assert!(commands.contains(&command.to_owned()), "{commands:?}");
    }
    assert_eq!(bash_completes(&world, "git sq che").unwrap(), ["check"]);
    assert!(
        bash_completes(&world, "git sq check --max").unwrap()[0].starts_with("--max-consecutive")
    );
    assert_eq!(
        bash_completes(&world, "git sq question l").unwrap(),
        ["list", "lint"]
    );
}

#[test]
fn completions_install_where_the_shell_looks() {
    let world = World::without_repo();
    for (shell, path) in [
        ("bash", ".local/share/bash-completion/completions/git-sq"),
        ("zsh", ".local/share/zsh/site-functions/_git-sq"),
        ("fish", ".config/fish/conf.d/git-sq.fish"),
    ] {
        world.sq_ok(&format!("completions '{shell}' --install"));
        let script = std::fs::read_to_string(world.home().join(path)).unwrap();
        assert_eq!(script, world.sq_ok(&format!("completions '{shell}'")));
    }
}

#[test]
fn fish_completes_git_sq() {
    if !have("fish") {
        return;
    }
    let world = World::new();
    world.sq_ok("completions fish --install");
    let completes = |line: &str| {
        let mut command = world.command("fish");
        command
            .env("PATH", path_with_program())
            .args(["-c", &format!("complete -C '{line}'")]);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let commands = completes("git sq ");
    assert!(
        commands.contains("brief") && commands.contains("record"),
        "{commands}"
    );
    assert!(completes("git sq check --max").contains("--max-consecutive"));
    assert!(completes("git sq question l").contains("lint"));
}
