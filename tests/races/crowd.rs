//! Many writers, each of them well.

use std::{
    collections::BTreeSet,
    fs::File,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use git_sq_test_support::{World, chains, program, refs, words};

const WRITERS: usize = 8;
const APPENDS: usize = 6;
/// How often each appends where they do not wait for each other: then most of the time goes into trying again.
const UNQUEUED: usize = 3;

/// A program in this world, to be run many times and on any thread.
pub fn repeated(
    world: &World,
    program: PathBuf,
    dir: &Path,
) -> impl Fn(&[&str]) -> Command + Send + Sync + use<> {
    let env: Vec<_> = world
        .command("git")
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect();
    let dir = dir.to_owned();
    move |args| {
        let mut command = Command::new(&program);
        command
            .env_clear()
            .envs(env.iter().map(|(name, value)| (name, value)))
            .current_dir(&dir)
            .args(args);
        command
    }
}

/// `git sq record` for a session; straight, without git in between.
fn recorder(world: &World, dir: &Path) -> impl Fn(&str) -> Command + Send + use<> {
    let run = repeated(world, program(), dir);
    move |sid| run(&["record", "--sid", sid, "--same", "q1=as it was"])
}

/// Every session of every line that `lines` holds.
fn sids(lines: &[String]) -> BTreeSet<String> {
    lines
        .iter()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["sid"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// Does something while other things happen again and again.
fn beside<T>(others: &[&(dyn Fn() + Sync)], act: impl FnOnce() -> T) -> T {
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for &happens in others {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    happens();
                }
            });
        }
        let outcome = panic::catch_unwind(AssertUnwindSafe(act));
        done.store(true, Ordering::Relaxed);
        outcome.unwrap_or_else(|panic| panic::resume_unwind(panic))
    })
}

/// Lets a writer in each folder append, and gives the sessions that were acknowledged. None may be refused, but where a
/// text is given, which each refusal then has.
fn append(
    world: &World,
    dirs: &[PathBuf],
    appends: usize,
    refusal: Option<&str>,
) -> BTreeSet<String> {
    thread::scope(|scope| {
        let write = |(writer, dir): (usize, &PathBuf)| {
            let record = recorder(world, dir);
            scope.spawn(move || {
                let sids = (0..appends).map(|number| format!("w{writer}-{number}"));
                let is_acknowledged = |sid: &String| {
                    let ran = record(sid).output().unwrap();
                    let (code, said) = (ran.status.code(), String::from_utf8_lossy(&ran.stderr));
                    let is_refused =
                        code == Some(128) && refusal.is_some_and(|why| said.contains(why));
                    assert!(code == Some(0) || is_refused, "{sid}: {code:?} {said}");
                    !is_refused
                };
                sids.filter(is_acknowledged).collect::<Vec<_>>()
            })
        };
        let writers: Vec<_> = dirs.iter().enumerate().map(write).collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    })
}

/// Lets every writer append in its folder, while other things happen again and again, and looks for every line.
pub fn crowd(world: &World, dirs: &[PathBuf], appends: usize, others: &[&(dyn Fn() + Sync)]) {
    beside(others, || append(world, dirs, appends, None));
    let lines = world.lines();
    assert_eq!(lines.len(), 1 + dirs.len() * appends);
    assert_eq!(sids(&lines).len(), lines.len());
    let chains = chains(&lines).unwrap();
    assert_eq!(chains.into_values().collect::<Vec<_>>(), [lines.len() as u64]);
    world.git_ok("fsck --strict");
}

/// Has git pack the refs; it may find a lock of ours in its way, which is nobody's trouble.
fn packing(world: &World) -> impl Fn() + Sync + use<> {
    let git = repeated(world, "git".into(), &world.dir);
    move || {
        let _ = git(&["pack-refs", "--all", "--prune"]).output();
    }
}

#[test]
fn to_one_commit() {
    let world = World::answered("first");
    let dirs = vec![world.dir.clone(); WRITERS];
    crowd(&world, &dirs, APPENDS, &[]);
    let note = world.note("HEAD");
    let lines: Vec<&[u8]> = note.split(|&byte| byte == b'\n').collect();
    assert_eq!(lines.len(), 2 + WRITERS * APPENDS, "one note holds them all");
    assert_eq!(world.check(&[]).0["sessions"], 1 + WRITERS * APPENDS);
}

#[test]
fn to_commits_of_their_own_in_worktrees_of_their_own_while_git_packs_the_refs() {
    let world = World::answered("first");
    let mut dirs = Vec::new();
    for writer in 0..WRITERS {
        let dir = world.root().join(format!("w{writer}"));
        let branch = format!("b{writer}");
        let place = dir.to_str().unwrap();
        world.git_ok(&format!("worktree add --quiet -b {branch} '{place}'"));
        world.git_ok_in(&dir, &format!("commit --quiet --allow-empty -m {branch}"));
        dirs.push(dir);
    }
    crowd(&world, &dirs, APPENDS, &[&packing(&world)]);
    let list = world.git_ok("notes --ref=sq list");
    assert_eq!(list.lines().count(), 1 + WRITERS);
}

/// Runs these lines at once: all have read the log before one of them writes. One does, and the others are refused.
fn one_of_three_may(world: &World, lines: [String; 3]) {
    let run = repeated(world, program(), &world.dir);
    let queue = File::open(world.dir.join(".git/sq/lock")).unwrap();
    queue.lock().unwrap();
    let record = |line: &str| run(&refs(&words(line))).output().unwrap().status.code();
    let mut codes = thread::scope(|scope| {
        let record = &record;
        let sessions = lines.map(|line| scope.spawn(move || record(&line)));
        thread::sleep(Duration::from_secs(1));
        queue.unlock().unwrap();
        sessions.map(|session| session.join().unwrap())
    });
    codes.sort();
    assert_eq!(codes, [Some(0), Some(128), Some(128)]);
}

/// Sessions that report one change at once are held against each other, as if each came after the one before.
#[test]
fn to_one_question() {
    let world = World::asking(&[r#","watch":["a.txt"]"#]);
    world.change("a.txt", "1\n");
    world.sq_ok("record --sid s1 q1=one --cite q1=a.txt:1");
    world.change("a.txt", "2\n");
    let line = |sid| format!("record --sid {sid} q1=two --delta q1=2 --cite q1=a.txt:1");
    one_of_three_may(&world, ["s2", "s3", "s4"].map(line));
    assert_eq!(world.verdict(""), "0");
}

/// A session has one second look at an answer, also where it takes several at once.
#[test]
fn to_one_second_look() {
    let world = World::asking(&[r#","shape":"boolean""#]);
    world.sq_ok("record --sid s1 q1=yes");
    let entry = world.entry_of("s1");
    let look = |answer| format!("record --sid s2 --second {entry} q1={answer}");
    one_of_three_may(&world, ["yes", "no", "yes"].map(look));
    assert_eq!(world.sq_ok("export --kind second").lines().count(), 1);
}

/// The file on which our writers wait for each other is a courtesy: without it, compare and swap keeps every line.
#[test]
fn without_a_queue() {
    let world = World::answered("first");
    let queue = world.dir.join(".git/sq/lock");
    let unqueue = || {
        let _ = std::fs::remove_file(&queue);
        thread::yield_now();
    };
    let dirs = vec![world.dir.clone(); WRITERS];
    // A writer that is refused has tried for as long as it does, and says so.
    let acknowledged = beside(&[&packing(&world), &unqueue], || {
        append(&world, &dirs, UNQUEUED, Some("nothing was written"))
    });
    let lines = world.lines();
    let mut present = sids(&lines);
    assert_eq!(present.len(), lines.len());
    chains(&lines).unwrap();
    present.remove("first");
    assert_eq!(present, acknowledged);
    assert!(!acknowledged.is_empty());
}

/// Git's own notes commands do not compare and swap: they may drop our lines from the tip, but never from the ref's
/// past.
#[test]
fn beside_git_s_own_notes_commands_each_line_was_in_the_ref() {
    let world = World::answered("first");
    let head = world.head();
    let git = repeated(&world, "git".into(), &world.dir);
    let foreign = || {
        let line = "{\"kind\":\"foreign\"}";
        let _ = git(&["notes", "--ref=sq", "append", "-m", line]).output();
    };
    let dirs = [world.dir.clone()];
    let acknowledged = beside(&[&foreign], || append(&world, &dirs, 2 * APPENDS, Some("")));
    let past = world.git(&["log", "--walk-reflogs", "--format=%H", "refs/notes/sq"]);
    let mut seen = BTreeSet::new();
    for commit in past.ok().lines() {
        let note = world.git(&["cat-file", "blob", &format!("{commit}:{head}")]).ok();
        let lines = note.lines().filter(|line| line.contains("\"sid\""));
        seen.extend(sids(&lines.map(str::to_owned).collect::<Vec<_>>()));
    }
    assert!(!acknowledged.is_empty());
    assert!(acknowledged.is_subset(&seen), "{acknowledged:?} {seen:?}");
}

/// Each fetch makes the log what the remote has, which is nothing of ours.
#[test]
fn beside_a_forced_fetch_each_line_comes_back() {
    let world = World::answered("first");
    world.git_ok("clone --quiet --bare . ../remote.git");
    world.git_ok("push --quiet ../remote.git refs/notes/sq");
    let git = repeated(&world, "git".into(), &world.dir);
    let fetch = || {
        // Git may find a lock of ours in its way: that is nobody's trouble.
        let _ = git(&["fetch", "--quiet", "../remote.git", "+refs/notes/*:refs/notes/*"]).output();
    };
    let dirs = vec![world.dir.clone(); 2];
    let acknowledged = beside(&[&fetch], || append(&world, &dirs, APPENDS, Some("")));
    assert!(!acknowledged.is_empty());
    let sessions = world.check(&[]).0["sessions"].as_u64().unwrap();
    world.try_sq("doctor --fix");
    let lines = world.lines();
    assert_eq!(sessions, lines.len() as u64);
    assert!(acknowledged.is_subset(&sids(&lines)));
    assert_eq!(chains(&lines).unwrap().into_values().collect::<Vec<_>>(), [lines.len() as u64]);
}
