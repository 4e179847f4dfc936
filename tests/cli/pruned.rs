//! What `git gc` prunes of the log between a run of git and what this program does with it.

use std::{env, path::PathBuf};

use git_sq_test_support::{Ran, Team, executable};

/// A team in which another clone has published, and a git that first does something else.
struct Pruned {
    team: Team,
    bin: PathBuf,
}

impl Pruned {
    fn beside(script: &str) -> Self {
        let team = Team::new();
        let other = team.join("other");
        team.work(&other, "theirs");
        team.push_from(&other);
        let bin = team.world.root().join("bin");
        let path = env::var_os("PATH").unwrap();
        let git = env::split_paths(&path).map(|dir| dir.join("git")).find(|git| git.is_file());
        let git = git.unwrap();
        let script = format!("#!/bin/sh\nreal={}\n{script}\nexec $real \"$@\"\n", git.display());
        executable(&bin.join("git"), &script);
        Self { team, bin }
    }

    fn sync(&self) -> Ran {
        let path = env::var_os("PATH").unwrap();
        let path = [self.bin.clone()].into_iter().chain(env::split_paths(&path));
        let mut command = self.team.world.sq_command(&["sync"]);
        command.env("PATH", env::join_paths(path).unwrap()).current_dir(&self.team.clone);
        self.team.anywhere(command)
    }

    #[track_caller]
    fn is_whole(&self) {
        self.team.git_ok("rev-list --objects --all --quiet");
        self.team.git_ok("gc --quiet --prune=now");
    }
}

/// Takes what a fetch brought, although a ref leads to it: the refs were read before.
const TAKES: &str = r#"case " $* " in *" fetch "*)
    mark=$GIT_DIR/fetched
    TIMES
    touch "$mark"; sleep 0.01
    "$real" "$@"; code=$?
    find "$GIT_DIR/objects" -type f -newer "$mark" -exec rm -f {} +
    exit $code
esac"#;

#[test]
fn a_fetch_that_loses_objects_or_fails_beside_gc_is_tried_again() {
    let loses = TAKES.replace("TIMES", "[ -e \"$mark\" ] && exec $real \"$@\"");
    let fails = r#"case " $* " in *" fetch "*)
    mark=$GIT_DIR/failed
    [ -e "$mark" ] && rm "$GIT_DIR/gc.pid" && exec $real "$@"
    touch "$mark" "$GIT_DIR/gc.pid"
    echo "fatal: failed to write object" >&2
    exit 128
esac"#;
    for script in [&loses, fails] {
        let pruned = Pruned::beside(script);
        pruned.sync().ok();
        pruned.is_whole();
        let team = &pruned.team;
        assert_eq!(team.lines(&team.clone), team.lines_on_remote(), "{script}");
    }
}

#[test]
fn no_ref_leads_to_what_is_taken_each_time() {
    let pruned = Pruned::beside(&TAKES.replace("TIMES", ""));
    let before = pruned.team.git_ok("for-each-ref");
    insta::assert_snapshot!(pruned.sync().transcript(), @"
    --- stderr
    fatal: objects of the log of origin are missing after it was fetched
    hint: nothing is lost
    hint: `git sq doctor` says what can be done about it
    --- exit 128
    ");
    assert_eq!(pruned.team.git_ok("for-each-ref"), before);
    pruned.is_whole();
    let team = &pruned.team;
    team.sq_ok("sync");
    assert_eq!(team.lines(&team.clone), team.lines_on_remote());
}

#[test]
fn what_is_pushed_can_t_be_pruned_meanwhile() {
    let prune = "case \" $* \" in *\" push \"*) $real prune --expire=now; esac";
    let pruned = Pruned::beside(prune);
    let team = &pruned.team;
    team.git_ok("pull --quiet");
    team.git_ok("config sq.pushTimeout 0");
    team.work(&team.clone, "ours");
    team.git_ok("push --quiet");
    pruned.sync().ok();
    pruned.is_whole();
    assert_eq!(team.lines(&team.clone), team.lines_on_remote());
}
