//! Help, the manual page and completions: what a shell and `man` make of them.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use git_sq_test_support::{Ran, World, original_line, path_with_program};

/// Whether a program is on this machine; says so where a test is skipped.
pub fn have(program: &str) -> bool {
    let mut command = Command::new(program);
    let found =
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        eprintln!("skipped: there is no {program} on this machine");
    }
    found
}

#[test]
fn usage_errors_exit_129() {
    let world = World::new();
    for args in
        [&["nonsense"][..], &["check", "--nonsense"], &["record", "--json", "-", "--same", "q1"]]
    {
        assert_eq!(world.sq(args).code, 129, "{args:?}");
    }
    assert_eq!(world.sq(&["-h"]).code, 0);
    let short = world.sq_ok("-V");
    assert_eq!(short, concat!("git-sq ", env!("CARGO_PKG_VERSION"), "\n"));
    assert_has!(world.sq_ok("--version"), short + "target: ");
}

#[test]
fn the_manual_names_every_setting_that_is_read() {
    let manual = World::new().sq_ok("man").replace("\\-", "-");
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut folders = vec![src];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            for name in
                std::fs::read_to_string(&path).unwrap().split('"').skip(1).step_by(2).filter(
                    |text| {
                        let mut rest = text.trim_start_matches("sq.").chars();
                        text.starts_with("sq.") && rest.all(char::is_alphanumeric)
                            || text.starts_with("SQ_") && !text.contains("TEST")
                    },
                )
            {
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
        let shown: Ran = command
            .args(["--warnings", "-E", "UTF-8", "-l"])
            .arg(&installed)
            .output()
            .unwrap()
            .into();
        assert_eq!((shown.code, &*shown.stderr), (0, ""));
    }
}

/// What a shell makes of the end of a line, with the scripts that the program prints; None where the shell, or git's
/// completion for it, is not on this machine.
fn completes(world: &World, shell: &str, line: &str) -> Option<Vec<String>> {
    const GIT_COMPLETION: &str = "/usr/share/bash-completion/completions/git";
    if shell == "bash" && !Path::new(GIT_COMPLETION).exists() {
        eprintln!("skipped: git's bash completion is not on this machine");
        return None;
    }
    if !have(shell) {
        return None;
    }
    let mut words: Vec<&str> = line.split(' ').collect();
    let program = words[0];
    let script = match shell {
        "bash" => format!(
            "source {GIT_COMPLETION}; source <(git-sq completions bash)
             COMP_WORDS=({}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}
             completer=$(complete -p {program}); completer=${{completer##*-F }}
             ${{completer%% *}}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            line.replace('=', " = ") + if line.ends_with(' ') { "''" } else { "" }
        ),
        // Zsh's own completion of git leaves only what stands behind `git`.
        "zsh" => {
            words.drain(..usize::from(program == "git"));
            format!(
                "compdef () {{ }}; _describe () {{ print -rl -- ${{${{whole:#*\\\\:*}}%%:*}} ${{begun%%:*}} }}
                 source <(git-sq completions zsh); words=({}); CURRENT={}; PREFIX='{}'; _git-sq",
                words.join(" ") + if line.ends_with(' ') { "''" } else { "" },
                words.len(),
                words[words.len() - 1],
            )
        }
        _ => format!("source (git-sq completions fish | psub); complete -C '{line}'"),
    };
    let mut command = world.command(shell);
    command.env("PATH", path_with_program()).args(["-c", &script]);
    let ran: Ran = command.output().unwrap().into();
    assert_eq!(ran.stderr, "", "{shell}: {line}");
    Some(
        ran.stdout
            .lines()
            .filter(|answer| !answer.is_empty())
            .map(|answer| answer.split('\t').next().unwrap_or_default())
            .map(|word| word.trim_end().to_owned())
            .collect(),
    )
}

#[test]
fn shells_complete_what_this_repository_has() {
    let world = World::new();
    world.ask(&["q1", "q2", "q30"]);
    world.sq_ok("record --sid night-watch --same 'q1=one'");
    let made = world.json("record --same q1")["sid"].as_str().unwrap()[..8].to_owned();
    let opened = world.sq_ok("tension open 'why: is it so?' --type gap --source x");
    let opened = opened.split(' ').nth(1).unwrap();
    world.git_ok("branch topic");
    world.git_ok("tag topped");
    for shell in ["bash", "zsh", "fish"] {
        for (line, wanted) in [
            ("git sq che", "check"),
            ("git-sq che", "check"),
            ("git sq question l", "list lint"),
            ("git sq check --max", "--max-consecutive"),
            ("git sq check --format ", "text json markdown github gitlab sarif junit"),
            ("git sq record --same ", "q1 q2 q30"),
            ("git sq record --same q1,q", "q1,q2 q1,q30"),
            ("git sq record --same q1=", ""),
            ("git sq record --delta q3", "q30="),
            ("git sq show q", "q1 q2 q30"),
            ("git-sq log --question q3", "q30"),
            ("git sq log --session ", &format!("{made} night-watch")),
            ("git sq record --sid nig", "night-watch"),
            ("git sq check --base to", "topic topped"),
            ("git sq log top", "topic topped"),
            ("git sq tension close ", &opened[opened.len() - 8..]),
        ] {
            let Some(mut answers) = completes(&world, shell, line) else {
                break;
            };
            answers.sort_unstable();
            let mut wanted: Vec<&str> = wanted.split_whitespace().collect();
            wanted.sort_unstable();
            assert_eq!(answers, wanted, "{shell}: {line}");
        }
    }
}

#[test]
fn bash_completes_behind_an_equals_sign_and_quotes_what_it_would_run() {
    let world = World::asked();
    world.write("$(id) x.json", "");
    for (line, wanted) in [
        ("git sq check --format=j", "json"),
        ("git sq record --same=", "q1"),
        ("git sq record --json ", r"\$\(id\)\ x.json"),
    ] {
        if let Some(answers) = completes(&world, "bash", line) {
            assert!(answers.contains(&wanted.to_owned()), "{line}: {answers:?}");
        }
    }
}

#[test]
fn completion_is_silent_about_trouble_and_shows_no_name_that_steers_the_terminal() {
    let none = World::without_repo().sq(&["complete", "--", "show", "q"]);
    insta::assert_snapshot!(none.transcript(), @"--- exit 0");
    let broken = World::asked();
    broken.change("context/standing_questions.json", "{");
    let none = broken.sq(&["complete", "--", "show", "q"]);
    insta::assert_snapshot!(none.transcript(), @"--- exit 0");
    let planted = World::asked();
    let line = original_line("red\\u001b[31m", "2026-01-01T00:00:00.000Z", &planted.head());
    planted.plant_lines(&[line + "\n"]);
    planted.record("plain");
    let named = planted.sq(&["complete", "--", "log", "--session", ""]);
    insta::assert_snapshot!(named.transcript(), @r"
    plain
    --- exit 0
    ");
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
