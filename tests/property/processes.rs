//! Runs of programs: what they print, when they end, and what they leave behind.

use std::{
    process::Command,
    thread,
    time::{Duration, Instant},
};

use git_sq::process::{Finished, Options, run};

fn sh(script: &str, options: Options) -> Finished {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    run(command, options).unwrap()
}

fn within(milliseconds: u64) -> Options {
    Options {
        deadline: Some(Instant::now() + Duration::from_millis(milliseconds)),
        ..Options::default()
    }
}

#[test]
fn a_run_gives_status_and_both_outputs() {
    for options in [Options::default(), within(60_000)] {
        let ran = sh("echo out; echo err >&2; exit 3", options);
        assert_eq!(ran.status.and_then(|status| status.code()), Some(3));
        assert_eq!((&ran.stdout[..], &ran.stderr[..]), (&b"out\n"[..], &b"err\n"[..]));
        assert!(!ran.truncated);
    }
    assert!(run(Command::new("no-such-program"), Options::default()).is_err());
}

#[test]
fn a_deadline_ends_the_run_and_keeps_what_was_printed() {
    let start = Instant::now();
    let ran = sh("echo before; sleep 60", within(200));
    assert!(ran.status.is_none());
    assert_eq!(ran.stdout, b"before\n");
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn the_whole_group_is_ended_even_where_it_ignores_sigterm() {
    for script in [
        // Parent and child ignore it, or the child alone.
        "trap '' TERM; (while :; do sleep 0.1; done) & echo $!; wait",
        "(trap '' TERM; while :; do sleep 0.1; done) & echo $!; wait",
    ] {
        for no_terminal in [false, true] {
            let options = Options { no_terminal, ..within(200) };
            let ran = sh(script, options);
            assert!(ran.status.is_none());
            let child = String::from_utf8(ran.stdout).unwrap();
            let is_alive = || {
                // A zombie that init has not reaped yet has no command line any more.
                let state = sh(&format!("ps -o stat= -p {}", child.trim()), Options::default());
                !state.stdout.is_empty() && !state.stdout.starts_with(b"Z")
            };
            let start = Instant::now();
            while is_alive() {
                assert!(start.elapsed() < Duration::from_secs(10), "{script}");
                thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

#[test]
fn a_background_process_that_holds_the_pipes_is_not_waited_for() {
    let start = Instant::now();
    let ran = sh("echo done; sleep 30 &", within(1_000));
    assert!(ran.status.is_some_and(|status| status.success()));
    assert_eq!(ran.stdout, b"done\n");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn what_left_the_group_and_holds_the_pipes_is_not_waited_for_where_nothing_is_left() {
    let start = Instant::now();
    let options = Options { leaves_nothing: true, ..within(60_000) };
    let ran = sh("setsid sleep 30 & echo done", options);
    assert_eq!(ran.stdout, b"done\n");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn output_beyond_the_cap_is_dropped_and_the_program_ends_by_itself() {
    let capped = |max_output| Options { max_output: Some(max_output), ..Options::default() };
    let ran = sh("head -c 1000000 /dev/zero; exit 5", capped(1000));
    assert_eq!((ran.stdout.len(), ran.truncated), (1000, true));
    assert_eq!(ran.status.and_then(|status| status.code()), Some(5));
    let ran = sh("head -c 1000 /dev/zero >&2", capped(1000));
    assert_eq!((ran.stderr.len(), ran.truncated), (1000, false));
}

#[test]
fn big_input_passes_through_and_unread_input_is_no_error() {
    let input = vec![b'x'; 3_000_000];
    let with_input = || Options { input: Some(input.clone()), ..Options::default() };
    assert!(sh("cat", with_input()).stdout == input);
    assert!(sh("exit 0", with_input()).status.unwrap().success());
    assert_eq!(sh("cat", Options::default()).stdout, b"");
}

#[test]
fn a_session_of_its_own_has_no_terminal() {
    let options = Options { no_terminal: true, ..Options::default() };
    let ran = sh("ps -o sid= -p $$; echo $$", options);
    let text = String::from_utf8(ran.stdout).unwrap();
    let ids: Vec<&str> = text.split_whitespace().collect();
    assert_eq!(ids[0], ids[1], "the leader of a session");
}
