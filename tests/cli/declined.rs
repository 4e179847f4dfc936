//! What a remote prints when it declines is shown, and is no command of this program.

use git_sq_test_support::executable;

use super::advice::{advised, published};

#[test]
fn what_a_remote_says_when_it_declines_is_shown_and_obeys_nobody() {
    let team = published();
    let hook = "#!/bin/sh\ncase $1 in refs/notes/*) echo 'GL: no notes here'; printf 'see \\033[31mhttps://example.org\\n\\n' >&2; exit 1;; esac\n";
    executable(&team.remote.join("hooks/update"), hook);
    team.work(&team.clone, "declined");
    team.git_ok("push --quiet --no-verify");
    insta::assert_snapshot!(team.try_sq_in(&team.clone, "sync").transcript(), @r"
    --- stderr
    fatal: origin rejected refs/notes/sq: hook declined
      remote: GL: no notes here
      remote: see \u001b[31mhttps://example.org
      remote: error: hook declined to update refs/notes/sq
    hint: nothing is lost
    hint: `git sq doctor` says what can be done about it
    --- exit 128
    ");
    insta::assert_snapshot!(team.try_sq_in(&team.clone, "doctor").transcript(), @r"
    error: origin rejects refs/notes/sq: hook declined; it may take the log as a branch, which then has to be set in all clones
      remote: GL: no notes here
      remote: see \u001b[31mhttps://example.org
      remote: error: hook declined to update refs/notes/sq
      git -c remote.origin.sqRef=refs/heads/sq/log sq sync origin && git config remote.origin.sqRef refs/heads/sq/log
      git sq doctor --fix
    1 problem
    --- exit 1
    ");
    assert_has!(team.sq_ok("status"), "hook declined\n  remote: GL: no notes here\n  remote: see");
    team.commit(&team.clone, "next");
    team.git_ok("config sq.pushTimeout 60");
    let pushed = team.try_git("push --quiet").stderr;
    assert!(!pushed.contains('\u{1b}'), "{pushed}");
    for command in advised(&team.try_sq_in(&team.clone, "doctor").stdout) {
        team.world.shell_in(&team.clone, command);
    }
    team.sq_ok("sync");
    assert_eq!(team.lines(&team.clone), team.lines_on_remote());
}

#[test]
fn what_a_remote_says_when_it_can_t_be_read_is_shown() {
    let team = published();
    let program = team.world.root().join("upload");
    executable(&program, "#!/bin/sh\necho 'git push --mirror evil' >&2\nexit 1\n");
    team.git_ok(&format!("config remote.origin.uploadpack '{}'", program.display()));
    insta::assert_snapshot!(team.try_sq_in(&team.clone, "sync").transcript(), @"
    --- stderr
    fatal: origin could not be reached: Could not read from remote repository.
      git: git push --mirror evil
    hint: nothing is lost
    hint: see that `git ls-remote origin` works, and run the command again
    --- exit 128
    ");
    assert_eq!(team.try_git("ls-remote origin").code, 128);
    team.git_ok("config --unset remote.origin.uploadpack");
    team.git_ok("ls-remote --quiet origin");
    team.sq_ok("sync");
}
