//! Notes refs that somebody made to be more than can be read: each command ends, in little memory, and says what is wrong
//! and what mends it.

use std::{
    fs::{self, File},
    os::unix::process::CommandExt as _,
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use git_sq_test_support::{Ran, Team, World, original_line, variables, words};
use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};

/// Kilobytes of address space that a command may take.
const MEMORY: u32 = 2_000_000;
/// Far more than a command needs on a busy machine, far less than a hang.
const PATIENCE: Duration = Duration::from_secs(60);

const LOCAL: &str = "refs/notes/sq";
const FETCHED: &str = "refs/notes/remotes/origin/sq";
const DOCTOR: &str = "`git sq doctor`";

/// Commands that read the whole log.
const JUDGING: &[&str] = &[
    "git sq check",
    "git sq log",
    "git sq log --format json",
    "git sq status",
    "git sq stats",
    "git sq show HEAD",
    "git sq export",
    "git sq triage",
];

const OTHERS: &[&str] = &[
    "git sq",
    "git sq brief",
    "git sq verify",
    "git sq verify --log",
    "git sq state",
    "git sq tension",
    "git sq carry",
    "git sq report",
    "git sq sync",
    "git sq doctor --fix",
];

/// What git and a harness run: nothing of it fails.
const HOOKS: &[&str] = &[
    "git sq hook session-start",
    "git sq hook prompt",
    "git sq hook pre-compact",
    "git sq hook stop",
    "git sq hook session-end",
    "git sq hook pre-push origin",
    "git commit --quiet --allow-empty --amend -m Amended",
    "git reset --quiet --hard HEAD@{1}",
    "git push --quiet --force",
];

/// A team whose clone has an entry, and an odd notes commit there.
fn team(odd: impl FnOnce(&Team) -> String) -> (Team, String) {
    let mut team = Team::new();
    team.world.dir.clone_from(&team.clone);
    team.publish("s1");
    let commit = odd(&team);
    (team, commit)
}

fn commit(team: &Team, entries: &[String]) -> String {
    let tree = team.world.tree(entries);
    team.world.git(&["commit-tree", "-m", "Notes", &tree]).ok().trim().to_owned()
}

/// Folders that each name one tree for each of their entries, as deep as a note may lie; gives the outermost entries.
pub fn bomb(world: &World, text: &[u8], width: usize) -> Vec<String> {
    let all = |kind: &str, id: &str| {
        (0..width).map(|n| format!("{kind} {id}\t{n:02x}")).collect::<Vec<_>>()
    };
    let leaves = all("100644 blob", &world.blob(text));
    (1..20).fold(leaves, |entries, _| all("040000 tree", &world.tree(&entries)))
}

fn bombed(team: &Team, width: usize) -> String {
    commit(team, &bomb(&team.world, b"{}\n", width))
}

/// A commit of one file, however deep it lies.
pub fn nested(world: &World, path: &str) -> String {
    let stream = format!(
        "blob\nmark :1\ndata 3\n{{}}\n\ncommit refs/heads/nested\ncommitter A <a@b.c> 1 +0000\n\
         data 4\nDeep\nM 100644 :1 {path}\n\n"
    );
    world.git_with_input(&["fast-import", "--quiet"], stream.as_bytes()).ok();
    let commit = world.git_ok("rev-parse refs/heads/nested").trim().to_owned();
    world.git_ok("update-ref -d refs/heads/nested");
    commit
}

/// One note on HEAD.
fn note(team: &Team, text: &[u8]) -> String {
    let blob = team.world.blob(text);
    commit(team, &[format!("100644 blob {blob}\t{}", team.world.head())])
}

/// A command, with little memory, that gets what a harness sends to a hook.
fn limited(team: &Team, line: &str) -> Ran {
    within(&team.world, &team.clone, line)
}

/// The same in a folder.
pub fn within(world: &World, dir: &Path, line: &str) -> Ran {
    let file = |name: &str| world.root().join(name);
    let json =
        format!(r#"{{"session_id":"s1","cwd":"{}","transcript_path":"/t.jsonl"}}"#, dir.display());
    fs::write(file("input"), json).unwrap();
    let mut command = Command::new("sh");
    let limit = format!("ulimit -v {MEMORY}; exec \"$@\"");
    command.args(["-c", &limit, "sh"]).args(words(line)).current_dir(dir).env_clear();
    command.envs(variables(&world.sq_command(&[]))).process_group(0);
    command.stdin(File::open(file("input")).unwrap());
    command.stdout(File::create(file("out")).unwrap()).stderr(File::create(file("err")).unwrap());
    let mut child = command.spawn().unwrap();
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if start.elapsed() > PATIENCE {
            killpg(Pid::from_raw(i32::try_from(child.id()).unwrap()), Signal::SIGKILL).unwrap();
            panic!("{line} does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    eprintln!("{:.1?} {line}", start.elapsed());
    let text = |name| String::from_utf8(fs::read(file(name)).unwrap()).unwrap();
    Ran { code: status.code().unwrap_or(-1), stdout: text("out"), stderr: text("err") }
}

/// Each command ends; those that read the log name what is odd there, and where to ask. What doctor prints mends it.
fn end_and_are_mended(team: &Team, name: &str) {
    let records = name == FETCHED;
    for line in JUDGING {
        let ran = limited(team, line);
        let text = ran.transcript();
        assert!(matches!(ran.code, 0 | 3 | 128), "{line}: {text}");
        assert!(text.contains(name) || text.contains("the note on "), "{line}: {text}");
        assert!(text.contains(DOCTOR), "{line}: {text}");
    }
    for line in OTHERS {
        let ran = limited(team, line);
        assert!(matches!(ran.code, 0 | 1 | 3 | 128), "{line}: {}", ran.transcript());
    }
    for line in HOOKS {
        assert_eq!(limited(team, line).code, 0, "{line}");
    }
    team.settle(&team.clone);
    let record = limited(team, "git sq record --sid s2 --same q1");
    assert_eq!(record.code, if records { 0 } else { 128 }, "{}", record.transcript());
    let doctor = limited(team, "git sq doctor").exits(1);
    assert_has!(doctor.stdout, name);
    for _ in 0..3 {
        let doctor = limited(team, "git sq doctor");
        for help in doctor.stdout.lines().filter_map(|line| line.strip_prefix("  ")) {
            let mut shell = team.command(&team.clone, &[]);
            let path = variables(&shell);
            shell = Command::new("sh");
            shell.args(["-c", help.split("   (").next().unwrap()]).current_dir(&team.clone);
            let ran: Ran = shell.env_clear().envs(path).output().unwrap().into();
            assert_eq!(ran.code, 0, "{help}: {}", ran.transcript());
        }
    }
    limited(team, "git sq doctor").ok();
    limited(team, "git sq check").ok();
    // Not before it is mended: `git grep` itself has no end in a bomb.
    let after = team.lines(&team.clone);
    assert!(after.iter().any(|line| line.contains("\"s1\"")), "{after:?}");
    limited(team, "git sq record --sid s3 --same q1").ok();
}

fn push_log(team: &Team, commit: &str) {
    team.world.git_ok(&format!("push --quiet --no-verify ../remote.git +{commit}:{LOCAL}"));
}

/// Somebody pushes it, and the clone fetches it.
fn fetched(odd: impl FnOnce(&Team) -> String) {
    let (team, commit) = team(odd);
    push_log(&team, &commit);
    team.git_ok("fetch --quiet");
    end_and_are_mended(&team, FETCHED);
}

/// It is in the clone's own ref, and can be pushed from there.
fn local(odd: impl FnOnce(&Team) -> String) -> Team {
    let (team, commit) = team(odd);
    team.git_ok(&format!("update-ref {LOCAL} {commit}"));
    end_and_are_mended(&team, LOCAL);
    team
}

#[test]
fn a_bomb_of_trees_that_was_fetched() {
    fetched(|team| bombed(team, 256));
}

#[test]
fn a_bomb_of_trees_in_the_local_ref() {
    local(|team| bombed(team, 256));
}

#[test]
fn a_thin_bomb_of_trees() {
    fetched(|team| bombed(team, 2));
}

/// Git itself neither pushes nor fetches these.
#[test]
fn folders_within_each_other() {
    for name in ["00/", "folder/"] {
        local(|team| nested(&team.world, &format!("00/{}00", name.repeat(20_000))));
    }
}

#[test]
fn a_note_of_many_lines_that_was_fetched() {
    fetched(|team| note(team, &b"x\n".repeat(25_000_000)));
}

#[test]
fn a_note_of_many_lines_in_the_local_ref() {
    local(|team| note(team, &b"x\n".repeat(25_000_000)));
}

#[test]
fn a_push_of_a_bomb_is_gits_own() {
    let (team, commit) = team(|team| bombed(team, 256));
    team.git_ok(&format!("update-ref {LOCAL} {commit}"));
    let pushed = limited(&team, &format!("git push origin {LOCAL}:refs/notes/other")).exits(0);
    assert_has!(pushed.stderr, "could not publish all of the log");
}

#[test]
fn many_notes_that_are_too_large_together() {
    let odd = |team: &Team| {
        let blob = team.world.blob(&vec![b'x'; 60 << 20]);
        let note = |n| format!("100644 blob {blob}\t{n:040x}");
        commit(team, &(0..1000).map(note).collect::<Vec<_>>())
    };
    let (team, commit) = team(odd);
    team.git_ok(&format!("update-ref {LOCAL} {commit}"));
    let lines = ["doctor", "check", "log", "sync", "record --sid s2 --same q1"];
    for line in lines.map(|line| format!("git sq {line}")) {
        let ran = limited(&team, &line);
        assert!(matches!(ran.code, 0 | 1 | 3 | 128), "{line}: {}", ran.transcript());
    }
}

/// It costs a push next to nothing to name one note on any number of commits.
#[test]
fn one_note_on_many_commits() {
    let odd = |team: &Team| {
        let line =
            |n| original_line(&format!("s{n}"), "2026-01-01T00:00:00.000Z", &team.world.head());
        let blob = team.world.blob((0..10_000).map(line).collect::<String>().as_bytes());
        let note = |n| format!("100644 blob {blob}\t{n:040x}");
        commit(team, &(0..3000).map(note).collect::<Vec<_>>())
    };
    let (team, commit) = team(odd);
    push_log(&team, &commit);
    team.git_ok("fetch --quiet");
    for line in ["git sq", "git sq check", "git sq brief", "git sq sync", "git sq doctor"] {
        let ran = limited(&team, line);
        assert!(matches!(ran.code, 0 | 1 | 3 | 128), "{line}: {}", ran.transcript());
    }
}

/// It is at the remote, and no `git fetch` brought it.
#[test]
fn a_note_of_many_lines_that_is_met_where_the_log_is_shared() {
    let (team, commit) = team(|team| note(team, &b"x\n".repeat(200_000)));
    push_log(&team, &commit);
    assert_eq!(limited(&team, "git sq sync").code, 128);
    let doctor = limited(&team, "git sq doctor").exits(1);
    assert_has!(doctor.stdout, "git push --no-verify --force-with-lease=refs/notes/sq:");
    // A new clone does not begin with it.
    let fresh = team.world.root().join("fresh");
    team.world.git_ok("clone --quiet ../remote.git ../fresh");
    team.sq(&fresh, &["init"]).ok();
    team.world.record_in(&fresh, "s2").ok();
    assert_ne!(team.git_ok_in(&fresh, "rev-parse refs/notes/sq").trim(), commit);
}

/// So many notes on commits of their own are an honest log.
#[test]
fn many_notes_in_folders_are_read() {
    let world = World::asked();
    let head = world.head();
    let blob = world.blob(original_line("s1", "2026-01-01T00:00:00.000Z", &head).as_bytes());
    let folders: Vec<String> = (0..256)
        .map(|first| {
            let notes: Vec<String> = (0..256)
                .map(|second| format!("100644 blob {blob}\t{second:02x}{first:018x}{second:018x}"))
                .collect();
            format!("040000 tree {}\t{first:02x}", world.tree(&notes))
        })
        .collect();
    world.plant_tree(&folders);
    world.record("s2").ok();
    assert_eq!(world.check(&[]).1, 0);
}
