//! What a command advises where something is missing is run as it stands, in the clone where it is printed: afterwards it
//! is not printed any more.

use std::{fs, path::PathBuf, thread};

use git_sq_test_support::Team;

const STORE: &str = r#"{"_schema": "standing_questions/v2", "questions": [
  {"id": "q1", "q": "one?", "importance": 3, "watch": ["src"], "require_evidence": false},
  {"id": "q2", "q": "two?", "importance": 2}]}
"#;

const PATH: &str = "context/standing_questions.json";

struct Advice {
    name: &'static str,
    /// Makes the clone, and gives its folder.
    clone: fn(&Team) -> PathBuf,
    /// What is run in it, with `git sq`.
    command: &'static str,
    says: &'static str,
    /// What stands for the words in capitals.
    filled: &'static [(&'static str, &'static str)],
}

const fn advice(
    name: &'static str,
    clone: fn(&Team) -> PathBuf,
    [command, says]: [&'static str; 2],
) -> Advice {
    Advice { name, clone, command, says, filled: &[] }
}

const UNSHALLOW: &str = "`git fetch --unshallow`";

const DELETED: &str = "was deleted in the worktree";

const ADVICE: &[Advice] = &[
    advice("a cone without the store", cone, ["question retire q2", "is not checked out"]),
    advice("patterns without it", patterns, ["question lint", "is not checked out"]),
    advice("a fact without its file", renamed, ["facts --fix", "is not checked out"]),
    advice("left out by hand", left_out, ["question lint", "is not checked out"]),
    advice(
        "nothing checked out",
        |team| cloned(team, "--no-checkout"),
        ["question lint", "is not checked out"],
    ),
    advice("deleted by hand", deleted, ["question lint", DELETED]),
    advice("deleted in the index, too, for lint", removed, ["question lint", DELETED]),
    advice("another branch has it", orphan, ["question list", "main has one"]),
    advice("another branch has it, for lint", orphan, ["question lint", "main has one"]),
    advice("a branch of the remote has it", remote_branch, ["brief", "main has one"]),
    advice("another branch has it, outside the cone", sparse_orphan, ["check", "main has one"]),
    advice("no store", storeless, ["question lint", "has no question store"]),
    advice("no store at the tip", storeless, ["brief", "there is no question store"]),
    advice("status", shallow, ["status", UNSHALLOW]),
    advice("check", shallow, ["check", UNSHALLOW]),
    advice("brief", shallow, ["brief", UNSHALLOW]),
    advice("log", shallow, ["log", UNSHALLOW]),
    advice("stats", shallow, ["stats", UNSHALLOW]),
    advice("carry", shallow, ["carry", UNSHALLOW]),
    advice("doctor", shallow, ["doctor", UNSHALLOW]),
    advice("fleet", shallow, ["fleet .", UNSHALLOW]),
    advice("history", shallow, ["question history q1", UNSHALLOW]),
    advice("test", shallow, ["question test q1", UNSHALLOW]),
    advice("a mirror", mirror, ["doctor", "is fetched with +refs/*:refs/*"]),
    Advice { filled: REMOTE, ..advice("no remote", lonely, ["sync", "has no remote"]) },
    Advice { filled: REMOTE, ..advice("none of a name", lonely, ["sync origin", "has no remote"]) },
    Advice { filled: REMOTE, ..advice("no home", homeless, ["sync", "no remote of this name"]) },
    Advice {
        filled: &[("NAME", "one")],
        ..advice("no upstream", two_remotes, ["sync", "no remote"])
    },
    advice("no log", unprepared, ["verify", "no log is here"]),
    advice("not set up", unprepared, ["sync", "no remote shares the log"]),
    advice("not set up by name", unprepared, ["sync origin", "not set up to share"]),
    advice("never fetched", unprepared, ["check", "never fetched"]),
    advice(
        "never fetched, in a bare clone",
        |team| cloned(team, "--bare"),
        ["check", "never fetched"],
    ),
    advice("turned off", turned_off, ["sync", "no remote shares the log"]),
    Advice { filled: REMOTE, ..advice("itself", itself, ["sync", "no remote shares the log"]) },
    Advice { filled: REMOTE, ..advice("itself by name", itself, ["sync origin", "itself"]) },
];

const REMOTE: &[(&str, &str)] = &[("URL", "../remote.git")];

/// A remote with the store in a folder of its own, and a log on three commits.
pub fn published() -> Team {
    let team = Team::new();
    team.git_ok("rm --quiet standing_questions.json");
    for (path, text) in [(PATH, STORE), ("src/a.txt", "one\n"), ("src/b.txt", "one\n")] {
        fs::create_dir_all(team.clone.join(path).parent().unwrap()).unwrap();
        fs::write(team.clone.join(path), text).unwrap();
    }
    team.git_ok("add --all");
    for sid in ["s1", "s2", "s3"] {
        team.work(&team.clone, sid);
        team.sq_ok(&format!("state set --sid {sid} --handover 'left by {sid}'"));
    }
    team.commit(&team.clone, "the last one");
    team.push();
    team
}

fn cloned(team: &Team, options: &str) -> PathBuf {
    team.cloned(options, "here")
}

fn joined(team: &Team, options: &str) -> PathBuf {
    let dir = cloned(team, options);
    team.sq_ok_in(&dir, "init");
    dir
}

fn cone(team: &Team) -> PathBuf {
    let dir = joined(team, "");
    team.git_ok_in(&dir, "sparse-checkout set src");
    dir
}

/// A path is renamed that a file outside the patterns names.
fn renamed(team: &Team) -> PathBuf {
    fs::write(team.clone.join("README.md"), "It is in `src/a.txt`.\n").unwrap();
    team.git_ok("add README.md");
    team.commit(&team.clone, "name it");
    team.git_ok("mv src/a.txt src/c.txt");
    team.commit(&team.clone, "rename it");
    team.push();
    patterns(team)
}

fn patterns(team: &Team) -> PathBuf {
    let dir = joined(team, "");
    team.git_ok_in(&dir, "sparse-checkout set --no-cone /src/");
    dir
}

fn left_out(team: &Team) -> PathBuf {
    let dir = joined(team, "");
    team.git_ok_in(&dir, &format!("update-index --skip-worktree {PATH}"));
    fs::remove_file(dir.join(PATH)).unwrap();
    dir
}

fn deleted(team: &Team) -> PathBuf {
    let dir = joined(team, "");
    fs::remove_dir_all(dir.join("context")).unwrap();
    dir
}

fn removed(team: &Team) -> PathBuf {
    let dir = joined(team, "");
    team.git_ok_in(&dir, &format!("rm --quiet {PATH}"));
    dir
}

fn orphan(team: &Team) -> PathBuf {
    let dir = joined(team, "");
    team.git_ok_in(&dir, "checkout --quiet --orphan other");
    team.git_ok_in(&dir, "rm -r --quiet --force .");
    team.commit(&dir, "begun anew");
    dir
}

fn remote_branch(team: &Team) -> PathBuf {
    let dir = orphan(team);
    team.git_ok_in(&dir, "branch --quiet -D main");
    dir
}

fn sparse_orphan(team: &Team) -> PathBuf {
    let dir = orphan(team);
    team.git_ok_in(&dir, "sparse-checkout set src");
    dir
}

fn storeless(team: &Team) -> PathBuf {
    let dir = team.world.root().join("empty");
    team.git_ok_in(&team.world.root(), "init --quiet empty");
    team.commit(&dir, "no questions");
    dir
}

fn shallow(team: &Team) -> PathBuf {
    joined(team, "--depth 1")
}

fn itself(team: &Team) -> PathBuf {
    let dir = cloned(team, "");
    team.git_ok_in(&dir, "remote set-url origin .");
    team.sq_ok_in(&dir, "init");
    dir
}

fn mirror(team: &Team) -> PathBuf {
    joined(team, "--mirror")
}

fn lonely(team: &Team) -> PathBuf {
    let dir = cloned(team, "");
    team.git_ok_in(&dir, "remote remove origin");
    team.sq_ok_in(&dir, "init");
    dir
}

fn homeless(team: &Team) -> PathBuf {
    let dir = joined(team, "");
    team.git_ok_in(&dir, "config sq.logRemote hub");
    dir
}

fn two_remotes(team: &Team) -> PathBuf {
    let dir = lonely(team);
    team.git_ok_in(&dir, "remote add one ../remote.git");
    team.git_ok_in(&dir, "remote add two ../remote.git");
    dir
}

fn unprepared(team: &Team) -> PathBuf {
    cloned(team, "")
}

fn turned_off(team: &Team) -> PathBuf {
    let dir = joined(team, "");
    team.git_ok_in(&dir, "config remote.origin.sq false");
    dir
}

/// The commands that a text advises: lines that are one, and what stands between backticks.
pub fn advised(said: &str) -> Vec<&str> {
    said.lines()
        .map(|line| line.trim().trim_start_matches("hint: "))
        .flat_map(|line| {
            let is_command = line.starts_with("git ");
            let whole = line.split("   (").take(usize::from(is_command));
            whole.chain(line.split('`').skip(1).step_by(2).filter(move |_| !is_command))
        })
        .filter(|command| command.starts_with("git "))
        .collect()
}

fn follow(advice: &Advice) -> Vec<String> {
    let Advice { name, command, says, filled, .. } = advice;
    let team = published();
    let dir = (advice.clone)(&team);
    let before = team.try_sq_in(&dir, command).transcript();
    if !before.contains(says) {
        return vec![format!("{name}: {says:?} is not said\n{before}")];
    }
    let mut wrong = Vec::new();
    let commands: Vec<String> = advised(&before)
        .into_iter()
        .map(|command| {
            filled.iter().fold(command.to_owned(), |text, (word, value)| text.replace(word, value))
        })
        .collect();
    for command in &commands {
        let ran = team.world.shell_in(&dir, command);
        if ran.code != 0 {
            wrong.push(format!("{name}: {command}: {}", ran.transcript()));
        }
    }
    let after = team.try_sq_in(&dir, command).transcript();
    if commands.is_empty() || after.contains(says) || after.contains("fatal:") {
        wrong.push(format!("{name}: not mended by {commands:#?}\n{before}\n{after}"));
    }
    wrong
}

#[test]
fn what_is_advised_mends() {
    let wrong: Vec<String> = thread::scope(|scope| {
        let shares: Vec<_> = ADVICE
            .chunks(ADVICE.len().div_ceil(4))
            .map(|part| scope.spawn(|| part.iter().flat_map(follow).collect::<Vec<_>>()))
            .collect();
        shares.into_iter().flat_map(|share| share.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_was_not_checked_out_does_not_differ() {
    for clone in [cone, patterns, left_out, |team: &Team| cloned(team, "--no-checkout")] {
        let team = published();
        let dir = clone(&team);
        for command in ["status", "check", "brief", "question list"] {
            let said = team.try_sq_in(&dir, command).transcript();
            assert!(!said.contains("differs") && !said.contains("deleted"), "{said}");
        }
    }
}

#[test]
fn a_shallow_clone_does_not_say_what_its_head_lacks() {
    let team = published();
    let dir = shallow(&team);
    let said = |command: &str| team.try_sq_in(&dir, command).transcript();
    assert_has!(
        said("check"),
        "3 entries are on commits beyond the end of this shallow clone's history, or on other branches\n"
    );
    let state = "written before the history of this shallow clone, or on another branch";
    for command in ["brief", "state show"] {
        assert_has!(said(command), state);
    }
    assert_eq!(
        team.sq(&dir, &["state", "show", "--format", "json"]).json()["rows"][0]["here"],
        serde_json::Value::Null
    );
    assert_has!(said("status"), "No session is known here.\n");
    for command in ["status", "check", "brief", "state show"] {
        let said = said(command);
        assert!(!said.contains("not contain") && !said.contains("recorded anything"), "{said}");
    }
}

#[test]
fn a_bare_clone_is_told_nothing_that_needs_a_worktree() {
    let team = published();
    let dir = joined(&team, "--bare");
    assert_eq!(team.sq_ok_in(&dir, "doctor"), "No problems found.\n");
    assert_has!(
        team.sq_ok_in(&dir, "init"),
        "`git fetch` leaves it out, and `git sq sync origin` fetches it\n"
    );
    for command in ["question lint", "question add q3 'three?'"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(team.try_sq_in(&dir, command).transcript(), @"
            --- stderr
            fatal: this repository is bare, and has no worktree with a question store
            hint: change the questions in a clone that has a worktree, and push them
            --- exit 128
            ");
        }
    }
    let commit = "commit-tree -m begun 4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let empty = team.git_ok_in(&dir, commit);
    team.git_ok_in(&dir, &format!("update-ref refs/heads/other {}", empty.trim()));
    team.git_ok_in(&dir, "symbolic-ref HEAD refs/heads/other");
    let said = team.try_sq_in(&dir, "check").transcript();
    assert_has!(said, "main has one");
    assert!(advised(&said).is_empty(), "{said}");
}

#[test]
fn a_mirror_goes_on_mirroring_and_keeps_its_entries() {
    let team = published();
    let dir = mirror(&team);
    for command in advised(&team.try_sq_in(&dir, "doctor").stdout) {
        team.world.shell_in(&dir, command).ok();
    }
    team.world.record_in(&dir, "mirrored").ok();
    team.settle(&dir);
    let before = team.lines(&dir);
    team.git_ok("push --quiet --no-verify origin HEAD:refs/heads/new HEAD:refs/changes/1");
    team.publish("meanwhile");
    team.git_ok_in(&dir, "fetch --quiet --prune");
    assert!(before.is_subset(&team.lines(&dir)));
    for name in ["refs/heads/new", "refs/changes/1"] {
        team.git_ok_in(&dir, &format!("rev-parse --verify --quiet {name}"));
    }
    team.sq_ok_in(&dir, "sync");
    assert_eq!(team.lines(&dir), team.lines_on_remote());
}
