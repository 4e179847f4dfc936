//! No command ignores a signal to end, whatever it waits for.

use std::{
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use git_sq_test_support::{World, executable, refs, words};
use nix::{
    sys::signal::{Signal, kill, killpg},
    unistd::Pid,
};
use serde_json::json;

use crate::commands::approve;

const PATIENCE: Duration = Duration::from_secs(30);

fn start(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.process_group(0).spawn().unwrap()
}

/// Ends the program with a signal; nothing that it started is left afterwards.
#[track_caller]
fn ends(mut child: Child, signal: Signal, line: &str) {
    let id = Pid::from_raw(i32::try_from(child.id()).unwrap());
    kill(id, signal).unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() && start.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(20));
    }
    let has_ended = child.try_wait().unwrap().is_some();
    // What it started may have ended with it.
    let _ = killpg(id, Signal::SIGKILL);
    child.wait().unwrap();
    assert!(has_ended, "git sq {line} ignores {signal}");
}

#[track_caller]
fn wait_for(file: &Path) {
    let start = Instant::now();
    while !file.exists() {
        assert!(start.elapsed() < PATIENCE, "{} does not come", file.display());
        thread::sleep(Duration::from_millis(20));
    }
}

/// Where commands of probes run, signals are caught, so that their children end, too; but git waits for ever.
#[test]
fn a_command_that_catches_signals_ends() {
    for signal in [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP] {
        let world = World::new();
        let [hangs, folder] = ["hangs", "slow"].map(|name| world.root().join(name));
        world.write("check.sh", "exit 0\n");
        let question = json!({"id": "q1", "q": "Does it pass?", "importance": 2,
            "probe": {"run": ["sh", "check.sh"]}});
        world.ask_json(&question.to_string());
        approve(&world);
        world.sq_ok("record --sid s1");
        let git = format!(
            "#!/bin/sh\ncase \" $* \" in *' worktree add '*) touch '{}'; sleep 1000;; esac\n\
             exec /usr/bin/git \"$@\"\n",
            hangs.display()
        );
        executable(&folder.join("git"), &git);
        let mut command = world.sq_command(&["verify", "--run"]);
        command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
        let child = start(command);
        wait_for(&hangs);
        ends(child, signal, "verify --run");
    }
}

#[test]
fn a_command_that_waits_for_git_ends() {
    const COMMANDS: &[&str] = &[
        "doctor",
        "check",
        "log",
        "brief",
        "verify",
        "status",
        "record --sid s2 --same q1",
        "sync",
        "init",
        "hook session-start",
        "hook pre-push origin",
    ];
    let world = World::answered("s1");
    world.write("other", "text\n");
    world.git_ok("remote add origin https://git.example.org/repo");
    let folder = world.root().join("slow");
    executable(&folder.join("git"), "#!/bin/sh\nsleep 1000\n");
    for line in COMMANDS {
        let mut command = world.sq_command(&refs(&words(line)));
        command.env("PATH", format!("{}:/usr/bin:/bin", folder.display()));
        let mut child = start(command);
        thread::sleep(Duration::from_millis(500));
        if child.try_wait().unwrap().is_none() {
            ends(child, Signal::SIGTERM, line);
        }
    }
}
