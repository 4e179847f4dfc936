//! Entries that something else took out of the local ref: every reader has them still, and every writer puts them back.

use std::{fs, path::Path, sync::OnceLock};

use git_sq_test_support::{Ran, Team, Template, World, chains};
use serde_json::Value;

const FORCED: &str = "+refs/notes/*:refs/notes/*";
const MISSING: &str =
    "warning: 2 entries are missing from refs/notes/sq; `git sq doctor --fix` restores them\n";
const RESTORED: &str = "warning: 2 entries were missing from refs/notes/sq; restored\n";

/// A clone with two entries that are not published, and a forced refspec that takes them at the next fetch.
fn forced() -> Team {
    static MADE: OnceLock<Template> = OnceLock::new();
    Team::copy_of(&MADE, || {
        let team = Team::new();
        let other = team.join("other");
        team.work(&other, "theirs");
        team.push_from(&other);
        team.git_ok(&format!("config --add remote.origin.fetch '{FORCED}'"));
        team.work(&team.clone, "own-1");
        team.work(&team.clone, "own-2");
        team
    })
}

/// The same, after that fetch, with its lines before.
fn overwritten() -> (Team, Vec<String>) {
    let team = forced();
    let lines = team.lines(&team.clone).into_iter().collect();
    team.git_ok("fetch --quiet");
    assert_eq!(team.lines(&team.clone).len(), 1);
    (team, lines)
}

fn sids(team: &Team, dir: &Path) -> Vec<String> {
    let said = team.sq_ok_in(dir, "log --format jsonl");
    let name = |line: &str| serde_json::from_str::<Value>(line).unwrap()["sid"].clone();
    let mut all: Vec<_> =
        said.lines().map(|line| name(line).as_str().unwrap().to_owned()).collect();
    all.sort_unstable();
    all
}

#[test]
fn every_reader_has_what_a_forced_fetch_took_and_says_so_once() {
    let (team, _) = overwritten();
    assert_eq!(sids(&team, &team.clone), ["own-1", "own-2"]);
    for command in [
        "",
        "status --format json",
        "brief",
        "log",
        "check",
        "check --no-cache",
        "stats",
        "show own-1",
        "report",
        "question list",
        "export",
        "carry --dry-run",
        "verify --log",
    ] {
        let said = team.try_sq_in(&team.clone, command);
        assert!([0, 1].contains(&said.code), "{command}: {}", said.transcript());
        assert_eq!(said.stderr.matches(MISSING).count(), 1, "{command}: {}", said.transcript());
        assert!(!said.stderr.contains("restored"), "{command}: {}", said.transcript());
    }
    let (cached, _) = team.world.check_in(&team.clone);
    assert_eq!(cached["sessions"], 2, "{cached}");
    assert_eq!(team.lines(&team.clone).len(), 1);
    // The hooks of git say nothing of it.
    assert_eq!(team.try_git("commit --quiet --allow-empty --amend --no-edit").stderr, "");
}

#[test]
fn every_writer_restores_what_a_forced_fetch_took_and_says_so() {
    for command in [
        "record --sid new --same 'q1=as it was'",
        "sync",
        "init",
        "doctor --fix",
        "ci",
        "state set --sid new --status 'at work'",
    ] {
        let (team, before) = overwritten();
        let said = team.try_sq_in(&team.clone, command);
        assert!(said.stderr.contains(RESTORED), "{command}: {}", said.transcript());
        assert!(!said.stderr.contains("are missing"), "{command}: {}", said.transcript());
        let after = team.lines(&team.clone);
        assert!(before.iter().all(|line| after.contains(line)), "{command}");
        assert_eq!(team.try_sq_in(&team.clone, "check").stderr, "", "{command}");
        // The writer goes on where it was.
        team.work(&team.clone, "later");
        let writers: Vec<Value> = team
            .lines(&team.clone)
            .iter()
            .map(|line| serde_json::from_str::<Value>(line).unwrap())
            .filter(|entry| entry["sid"] != "theirs")
            .map(|entry| entry["writer"].clone())
            .collect();
        assert!(writers.iter().all(|writer| *writer == writers[0]), "{command}: {writers:?}");
    }
}

/// The remote has all of it, in commits that say nothing of the writer's chain.
#[test]
fn a_forced_fetch_of_what_was_published_begins_no_new_writer() {
    let team = forced();
    team.git_ok("pull --quiet --no-rebase --no-edit");
    team.push();
    for sid in ["s1", "s2"] {
        team.git_ok("fetch --quiet");
        assert_eq!(team.try_sq_in(&team.clone, "check").stderr, "");
        team.sq_ok("sync");
        team.publish(sid);
    }
    let lines: Vec<String> = team.lines(&team.clone).into_iter().collect();
    let mut numbers: Vec<u64> = chains(&lines).unwrap().into_values().collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 4]);
}

#[test]
fn a_push_publishes_what_a_fetch_took_before() {
    let (team, before) = overwritten();
    team.git_ok("pull --quiet --rebase");
    team.push();
    let there = team.lines_on_remote();
    for sid in ["theirs", "own-1", "own-2"] {
        assert!(there.iter().any(|line| line.contains(sid)), "{sid}: {there:?}");
    }
    assert!(before.iter().all(|line| team.lines(&team.clone).contains(line)));
    let refs = team.git_ok_in(&team.remote, "for-each-ref --format=%(refname)");
    assert!(!refs.contains("refs/sq/"), "{refs}");
}

/// What happens to the ref of a clone with three entries, and how many are missing then.
const BY_HAND: &[(&str, usize)] = &[
    ("notes --ref=sq remove HEAD", 1),
    ("notes --ref=sq remove HEAD HEAD~1", 2),
    ("notes --ref=sq add --force --allow-empty -m '' HEAD", 1),
    ("update-ref refs/notes/sq refs/notes/sq~2", 2),
    ("update-ref refs/notes/sq refs/notes/sq@{1}", 1),
    ("update-ref -d refs/notes/sq", 3),
    ("update-ref --stdin", 1),
];

#[test]
fn whatever_takes_entries_out_no_verdict_lacks_one() {
    for (command, missing) in BY_HAND {
        let world = World::asked();
        for sid in ["s1", "s2", "s3"] {
            world.record(sid).ok();
            world.commit(sid);
        }
        let before = (world.lines(), world.sq_ok("check"));
        world.git_ok("checkout --quiet HEAD~1");
        let ran = match *command {
            // A descendant that dropped lines and was packed.
            "update-ref --stdin" => {
                world.git_ok("notes --ref=sq remove HEAD");
                world.git_ok("pack-refs --all");
                world.try_git("gc --quiet --prune=now")
            }
            command => world.try_git(command),
        };
        ran.ok();
        world.git_ok("checkout --quiet main");
        let said = world.try_sq("check");
        assert_eq!(said.stdout, before.1, "{command}");
        let number = match missing {
            1 => "1 entry is missing".to_owned(),
            more => format!("{more} entries are missing"),
        };
        assert!(said.stderr.contains(&number), "{command}: {}", said.transcript());
        world.record("later").ok();
        let after = world.lines();
        assert!(before.0.iter().all(|line| after.contains(line)), "{command}");
        assert_eq!(world.try_sq("check").stderr, "", "{command}");
    }
}

/// In a shallow clone, `git notes prune` takes the notes of all commits that are not there.
#[test]
fn what_prune_took_in_a_shallow_clone_comes_back() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    team.publish("s2");
    team.sq_ok("sync");
    let shallow = team.cloned("--depth=1", "shallow");
    team.sq_ok_in(&shallow, "init");
    team.git_ok_in(&shallow, "update-ref -d refs/notes/remotes/origin/sq");
    team.work(&shallow, "s3");
    team.settle(&shallow);
    let before = team.lines(&shallow);
    team.git_ok_in(&shallow, "notes --ref=sq prune");
    assert_eq!(team.lines(&shallow).len(), before.len() - 1);
    let said = team.try_sq_in(&shallow, "log").stderr;
    assert!(said.contains("1 entry is missing from refs/notes/sq"), "{said}");
    team.try_sq_in(&shallow, "doctor --fix");
    assert_eq!(team.lines(&shallow), before);
}

#[test]
fn what_is_added_or_removed_by_hand_and_is_no_entry_is_not_missed() {
    let world = World::answered("s1");
    world.git_ok("notes --ref=sq append -m reviewed");
    assert_eq!(world.try_sq("check").stderr, "");
    world.record("s2").ok();
    let lines: Vec<String> = world.lines().into_iter().filter(|line| line != "reviewed").collect();
    world.git(&["notes", "--ref=sq", "add", "--force", "-m", &lines.join("\n")]).ok();
    assert_eq!(world.try_sq("check").stderr, "");
    world.record("s3").ok();
    assert!(!String::from_utf8(world.note("HEAD")).unwrap().contains("reviewed"));
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn after_undo_nothing_comes_back() {
    let world = World::asked();
    world.sq_ok("init");
    world.record("s1").ok();
    world.record("s2").ok();
    world.person_ok("init --undo");
    assert_eq!(world.git_ok("for-each-ref refs/sq"), "");
    world.git_ok("update-ref refs/notes/sq refs/notes/sq~");
    for command in ["check", "init", "doctor --fix", "check"] {
        assert_eq!(world.try_sq(command).stderr, "", "{command}");
    }
    world.record("s3").ok();
    assert_eq!(world.lines().len(), 2);
    // From here on it is kept again.
    world.git_ok("update-ref refs/notes/sq refs/notes/sq~");
    world.sq_ok("doctor --fix");
    assert_eq!(world.lines().len(), 2);
}

/// As the documentation says.
#[test]
fn a_rewrite_that_is_meant_stays() {
    let world = World::answered("s1");
    world.record("s2").ok();
    world.git_ok("update-ref -d refs/sq/kept");
    world.git_ok("update-ref refs/notes/sq refs/notes/sq~");
    for command in ["check", "doctor --fix", "check"] {
        assert_eq!(world.try_sq(command).stderr, "", "{command}");
    }
    assert_eq!(world.lines().len(), 1);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_redacted_text_stays_hidden() {
    let world = World::answered("s1");
    let entry = world.newest()["id"].as_str().unwrap().to_owned();
    let text = world.newest()["results"][0]["note"].as_str().unwrap().to_owned();
    world.person_ok(&format!("redact {entry} --because 'it held a token'"));
    world.git_ok("update-ref refs/notes/sq refs/notes/sq~");
    for command in ["log", "doctor --fix", "log", "show s1"] {
        let said = world.sq_ok(command);
        assert!(!said.contains(&text), "{command}: {said}");
    }
    assert_eq!(world.lines().len(), 2);
}

#[test]
fn linked_worktrees_and_bare_repositories_have_it_too() {
    let (team, before) = overwritten();
    let linked = team.world.root().join("linked");
    team.git_ok("worktree add --quiet ../linked");
    assert_eq!(team.try_sq_in(&linked, "check").stderr, MISSING);
    let git_dir = team.clone.join(".git");
    let by_variable = |command: &str| -> Ran {
        let mut program = team.world.sq_command(&[command]);
        program.current_dir(team.world.root()).env("GIT_DIR", &git_dir);
        team.anywhere(program)
    };
    assert_eq!(by_variable("log").stderr, MISSING);
    team.world.record_in(&linked, "in-worktree").ok();
    assert!(before.iter().all(|line| team.lines(&team.clone).contains(line)));

    let bare = team.world.root().join("bare.git");
    team.git_ok_in(&team.world.root(), "clone --quiet --bare clone bare.git");
    team.git_ok_in(&bare, "fetch --quiet ../clone refs/notes/sq:refs/notes/sq");
    team.sq_ok_in(&bare, "init");
    let all = team.lines(&bare);
    team.git_ok_in(&bare, "update-ref -d refs/notes/sq");
    let said = team.try_sq_in(&bare, "log").stderr;
    assert!(said.contains("entries are missing"), "{said}");
    team.try_sq_in(&bare, "doctor --fix");
    assert_eq!(team.lines(&bare), all);
}

/// The command that `init` or `doctor` prints, without what it explains.
fn remedy(said: &str) -> String {
    let line = said.lines().find(|line| line.contains("git config --")).unwrap();
    let line = &line[line.find("git config").unwrap()..];
    line.split("   (").next().unwrap()["git ".len()..].to_owned()
}

#[test]
fn init_and_doctor_name_the_refspec_and_what_mends_it() {
    for (spec, command) in [(FORCED, "init"), (&FORCED[1..], "doctor"), (FORCED, "doctor")] {
        let team = forced();
        let key = "remote.origin.fetch";
        team.git_ok(&format!("config --fixed-value --replace-all {key} '{spec}' '{FORCED}'"));
        let said = team.try_sq_in(&team.clone, command).stdout;
        assert!(said.contains(&format!("origin is fetched with {spec}: each fetch ")), "{said}");
        // The notes of the user, beside those of the log.
        let other = team.world.root().join("other");
        team.git_ok_in(&other, "notes add -m theirs");
        team.git_ok_in(&other, "push --quiet --no-verify origin refs/notes/commits");
        team.git_ok("notes add -m own");
        team.git_ok(&remedy(&said));
        for option in ["", " --prune", ""] {
            team.git_ok(&format!("fetch --quiet{option}"));
            assert_eq!(team.try_sq_in(&team.clone, "check").stderr, "");
            assert_eq!(team.git_ok("notes show"), "own\n");
            assert_eq!(team.lines_at(&team.clone, "refs/notes/remotes/origin/commits").len(), 1);
        }
        assert_eq!(team.try_sq_in(&team.clone, "doctor").code, 0);
        assert!(!team.sq_ok("init").contains("is fetched with"));
    }
}

#[test]
fn a_refspec_of_the_user_s_own_file_is_mended_there() {
    let team = Team::new();
    team.git_ok(&format!("config --global --add remote.origin.fetch '{FORCED}'"));
    let said = team.sq_ok("init");
    team.git_ok(&remedy(&said));
    assert_eq!(team.sq_ok("doctor"), "No problems found.\n");
}

type Plant = fn(&World);

/// The branch of whoever plants it is not written.
#[test]
fn a_kept_ref_that_is_none_is_named_with_the_way_back() {
    let world = World::asked();
    world.sq_ok("init");
    world.record("s1").ok();
    let main = world.head();
    let plants: [(&str, Plant); 3] = [
        ("a link", |world| _ = world.git_ok("symbolic-ref refs/sq/kept refs/heads/main")),
        ("empty", |world| fs::write(world.dir.join(".git/refs/sq/kept"), "").unwrap()),
        ("a lost object", |world| {
            fs::write(world.dir.join(".git/refs/sq/kept"), format!("{}\n", "1".repeat(40)))
                .unwrap();
        }),
    ];
    for (name, plant) in plants {
        plant(&world);
        let said = world.try_sq("doctor").stdout;
        let remedy = said.lines().find(|line| line.starts_with("  ")).unwrap_or_default();
        let ran = world.shell_in(&world.dir, remedy);
        assert_eq!(ran.code, 0, "{name}: {said}");
        world.record("again").ok();
        assert_eq!(world.sq_ok("doctor"), "No problems found.\n", "{name}");
        assert_eq!(world.head(), main, "{name}");
    }
}
