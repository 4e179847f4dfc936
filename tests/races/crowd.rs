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

use git_sq_test_support::{World, chains, program};

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
pub fn recorder(world: &World, dir: &Path) -> impl Fn(&str) -> Command + Send + use<> {
    let run = repeated(world, program(), dir);
    move |sid| run(&["record", "--sid", sid, "--same", "q1=as it was"])
}

/// Every session of every line that `lines` holds.
pub fn sids(lines: &[String]) -> BTreeSet<String> {
    lines
        .iter()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            line["sid"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// Does something while other things happen again and again.
pub fn beside<T>(others: &[&(dyn Fn() + Sync)], act: impl FnOnce() -> T) -> T {
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

/// Lets every writer append in its folder, while other things happen again and again, and looks for every line.
fn crowd(world: &World, dirs: &[PathBuf], others: &[&(dyn Fn() + Sync)]) {
    beside(others, || {
        thread::scope(|scope| {
            for (writer, dir) in dirs.iter().enumerate() {
                let record = recorder(world, dir);
                scope.spawn(move || {
                    for number in 0..APPENDS {
                        let ran = record(&format!("w{writer}-{number}")).output().unwrap();
                        let said = String::from_utf8_lossy(&ran.stderr);
                        assert!(ran.status.success(), "w{writer}-{number}: {said}");
                    }
                });
            }
        });
    });
    let lines = world.lines();
    assert_eq!(lines.len(), 1 + WRITERS * APPENDS);
    assert_eq!(sids(&lines).len(), lines.len());
    let chains = chains(&lines).unwrap();
    assert_eq!(chains.into_values().collect::<Vec<_>>(), [lines.len() as u64]);
    world.git_ok("fsck --strict");
}

#[test]
fn to_one_commit() {
    let world = World::answered("first");
    let dirs = vec![world.dir.clone(); WRITERS];
    crowd(&world, &dirs, &[]);
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
    let git = repeated(&world, "git".into(), &world.dir);
    let pack = || {
        // Git may find a lock of ours in its way: that is nobody's trouble.
        let _ = git(&["pack-refs", "--all", "--prune"]).output();
    };
    crowd(&world, &dirs, &[&pack]);
    let list = world.git_ok("notes --ref=sq list");
    assert_eq!(list.lines().count(), 1 + WRITERS);
}

/// Sessions that report one change at once are held against each other, as if each came after the one before.
#[test]
fn to_one_question() {
    let world = World::asking(&[r#","watch":["a.txt"]"#]);
    world.change("a.txt", "1\n");
    world.sq_ok("record --sid s1 q1=one --cite q1=a.txt:1");
    world.change("a.txt", "2\n");
    let run = repeated(&world, program(), &world.dir);
    // All have read the log before one of them writes.
    let queue = File::open(world.dir.join(".git/sq/lock")).unwrap();
    queue.lock().unwrap();
    let record = |sid| {
        let line = ["record", "--sid", sid, "q1=two", "--delta", "q1=2", "--cite", "q1=a.txt:1"];
        run(&line).output().unwrap().status.code()
    };
    let codes = thread::scope(|scope| {
        let record = &record;
        let sessions = ["s2", "s3", "s4"].map(|sid| scope.spawn(move || record(sid)));
        thread::sleep(Duration::from_secs(1));
        queue.unlock().unwrap();
        sessions.map(|session| session.join().unwrap())
    });
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == Some(128)).count(), 2, "{codes:?}");
    assert_eq!(world.verdict(""), "0");
}

/// A session has one second look at an answer, also where it takes several at once.
#[test]
fn to_one_second_look() {
    let world = World::asking(&[r#","shape":"boolean""#]);
    world.sq_ok("record --sid s1 q1=yes");
    let log: serde_json::Value = serde_json::from_str(&world.lines()[0]).unwrap();
    let entry = log["id"].as_str().unwrap();
    let run = repeated(&world, program(), &world.dir);
    let queue = File::open(world.dir.join(".git/sq/lock")).unwrap();
    queue.lock().unwrap();
    let look = |answer| {
        run(&["record", "--sid", "s2", "--second", entry, answer]).output().unwrap().status.code()
    };
    let codes = thread::scope(|scope| {
        let look = &look;
        let looks = ["q1=yes", "q1=no", "q1=yes"].map(|answer| scope.spawn(move || look(answer)));
        thread::sleep(Duration::from_secs(1));
        queue.unlock().unwrap();
        looks.map(|look| look.join().unwrap())
    });
    assert_eq!(codes.iter().filter(|code| **code == Some(0)).count(), 1, "{codes:?}");
    assert_eq!(codes.iter().filter(|code| **code == Some(128)).count(), 2, "{codes:?}");
    assert_eq!(world.sq_ok("export --kind second").lines().count(), 1);
}

/// The file on which our writers wait for each other is a courtesy: without it, compare and swap keeps every line.
#[test]
fn without_a_queue() {
    let world = World::answered("first");
    let git = repeated(&world, "git".into(), &world.dir);
    let queue = world.dir.join(".git/sq/lock");
    let pack = || {
        let _ = git(&["pack-refs", "--all", "--prune"]).output();
    };
    let unqueue = || {
        let _ = std::fs::remove_file(&queue);
        thread::yield_now();
    };
    let record = recorder(&world, &world.dir);
    let acknowledged = beside(&[&pack, &unqueue], || {
        thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let record = &record;
                    scope.spawn(move || {
                        let sessions = (0..UNQUEUED).map(|number| format!("w{writer}-{number}"));
                        let mut acknowledged = BTreeSet::new();
                        for session in sessions {
                            let ran = record(&session).output().unwrap();
                            let said = String::from_utf8_lossy(&ran.stderr);
                            match ran.status.code() {
                                Some(0) => acknowledged.insert(session),
                                // It tried for as long as it tries, and says so.
                                Some(128) if said.contains("nothing was written") => continue,
                                code => panic!("{code:?}: {said}"),
                            };
                        }
                        acknowledged
                    })
                })
                .collect();
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect::<BTreeSet<_>>()
        })
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
    let record = recorder(&world, &world.dir);
    let git = repeated(&world, "git".into(), &world.dir);
    let foreign = || {
        let line = "{\"kind\":\"foreign\"}";
        let _ = git(&["notes", "--ref=sq", "append", "-m", line]).output();
    };
    let acknowledged = beside(&[&foreign], || {
        let mut acknowledged = BTreeSet::new();
        for number in 0..2 * APPENDS {
            let session = format!("w-{number}");
            let ran = record(&session).output().unwrap();
            let code = ran.status.code();
            let said = String::from_utf8_lossy(&ran.stderr);
            assert!(matches!(code, Some(0 | 128)), "{code:?} {said}");
            if code == Some(0) {
                acknowledged.insert(session);
            }
        }
        acknowledged
    });
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
    let acknowledged = beside(&[&fetch], || {
        thread::scope(|scope| {
            let writers: Vec<_> = (0..2)
                .map(|writer| {
                    let record = recorder(&world, &world.dir);
                    scope.spawn(move || {
                        (0..APPENDS)
                            .map(|number| format!("w{writer}-{number}"))
                            .filter(|sid| match record(sid).output().unwrap().status.code() {
                                Some(0) => true,
                                Some(128) => false,
                                code => panic!("{code:?}"),
                            })
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect::<BTreeSet<_>>()
        })
    });
    assert!(!acknowledged.is_empty());
    let sessions = world.check(&[]).0["sessions"].as_u64().unwrap();
    world.try_sq("doctor --fix");
    let lines = world.lines();
    assert_eq!(sessions, lines.len() as u64);
    assert!(acknowledged.is_subset(&sids(&lines)));
    assert_eq!(chains(&lines).unwrap().into_values().collect::<Vec<_>>(), [lines.len() as u64]);
}
