//! Disks, clocks, settings and remotes that fail: what it was is said, and nothing that was there is lost.

use std::{
    fs::{self, File, FileTimes},
    process::{Command, Stdio},
    thread,
    time::{Duration, SystemTime},
};

use git_sq_test_support::{Ran, Team, World, executable, path_with_program};

#[test]
fn a_setting_that_stops_git_status_leaves_open_whether_something_changed() {
    let world = World::asked();
    world.write("a.txt", "one\n");
    world.commit("One");
    world.git_ok("config status.branch perhaps");
    world.write("a.txt", "two\n");
    let ran = world.try_sq("record --sid s1 --same q1=x");
    insta::assert_snapshot!(ran.transcript(), @"
    first q1: x
    warning: could not check for uncommitted changes (`git status` failed: fatal: bad boolean config value 'perhaps' for 'status.branch'): the entry says that there were some
    Recorded 1 answer on 830d47eda6 (session s1).
    --- exit 0
    ");
    assert_has!(world.lines().pop().unwrap(), "\"dirty\":true");
}

/// Runs a script where file systems can be mounted; None where that is not allowed.
#[cfg(target_os = "linux")]
fn with_mounts(world: &World, script: &str) -> Option<Ran> {
    let mut probe = Command::new("unshare");
    let probe = probe.args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !probe.is_ok_and(|probe| probe.status.success()) {
        eprintln!("skipped: file systems can't be mounted here");
        return None;
    }
    let mut command = world.command("unshare");
    command.env("PATH", path_with_program());
    Some(command.args(["-rm", "sh", "-ec", script]).output().unwrap().into())
}

#[cfg(target_os = "linux")]
#[test]
fn a_write_that_fails_says_why() {
    let world = World::answered("s1");
    let script = "
        mkdir ../disk
        mount -t tmpfs -o size=1m tmpfs ../disk
        cp -r .git/objects ../disk
        mount --bind ../disk/objects .git/objects
        cat /dev/zero >../disk/fill 2>/dev/null || :
        git sq record --sid s2 --same q1=x 2>&1 || echo exit $?
        rm ../disk/fill
        mount -o remount,ro,bind .git/objects
        git sq record --sid s2 --same q1=x 2>&1 || echo exit $?
        mount -o remount,rw,bind .git/objects
        mount --bind .git/refs .git/refs
        mount -o remount,ro,bind .git/refs
        git sq record --sid s2 --same q1=x 2>&1 || echo exit $?
        mount --bind .git/sq .git/sq
        mount -o remount,ro,bind .git/sq
        git sq record --sid s2 --same q1=x 2>&1 || echo exit $?
    ";
    if let Some(ran) = with_mounts(&world, script) {
        insta::with_settings!({filters => vec![("\\.tmp\\w+", ".tmp"), ("\\(session \\w+\\)", "")]}, {
            assert_eq!(world.lines().len(), 1);
            insta::assert_snapshot!(ran.transcript().replace(&*world.root().to_string_lossy(), "[root]"), @r#"
            fatal: could not write an object: No space left on device (os error 28) at path "[root]/repo/.git/objects/.tmp"
            hint: free space or inodes on the disk, and run the command again
            exit 128
            fatal: could not write an object: Read-only file system (os error 30) at path "[root]/repo/.git/objects/.tmp"
            hint: mount the file system writable, and run the command again
            exit 128
            fatal: could not move refs/notes/sq: Read-only file system (os error 30) at path "[root]/repo/.git/refs/notes/sq.lock"
            hint: mount the file system writable, and run the command again
            exit 128
            fatal: could not open [root]/repo/.git/sq/sessions.lock: Read-only file system (os error 30)
            hint: see that the git folder can be written
            exit 128
            --- exit 0
            "#);
        });
    }
}

#[cfg(unix)]
#[test]
fn a_remote_that_dies_has_not_refused() {
    for (name, spoil) in [
        (
            "a hook that is killed",
            (|team| {
                let hook = "#!/bin/sh\nkill -KILL $$\n";
                executable(&team.remote.join("hooks/pre-receive"), hook);
            }) as fn(&Team),
        ),
        ("a disk that is full", |team| {
            team.set_on_remote("receive.maxInputSize", "1");
        }),
    ] {
        let team = Team::new();
        team.work(&team.clone, "s1");
        team.git_ok("push --quiet --no-verify");
        spoil(&team);
        let sync = team.try_sq_in(&team.clone, "sync");
        assert_eq!(sync.code, 128, "{name}: {}", sync.transcript());
        let said = team.try_sq_in(&team.clone, "doctor").stdout;
        assert!(!said.contains("rejects"), "{name}: {said}");
        assert!(said.contains("failed to take the log"), "{name}: {said}");
        let _ = fs::remove_file(team.remote.join("hooks/pre-receive"));
        team.try_git_in(&team.remote, "config --unset receive.maxInputSize");
        team.sq_ok("sync");
        assert_eq!(team.lines_on_remote(), team.lines(&team.clone), "{name}");
    }
}

/// What nothing leads to yet is gone after `git gc --prune=now`.
#[test]
fn objects_that_are_pruned_before_the_ref_moves_are_written_again() {
    let world = World::answered("s1");
    let lock = world.dir.join(".git/refs/notes/sq.lock");
    File::create(&lock).unwrap();
    let record = world
        .sq_command(&["record", "--sid", "s2", "--same", "q1=x"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let loose = || world.git_ok("count-objects").split(' ').next().unwrap().parse::<u32>().unwrap();
    let before = loose();
    while loose() < before + 3 {
        thread::sleep(Duration::from_millis(5));
    }
    world.git_ok("prune --expire=now");
    assert_eq!(loose(), before);
    fs::remove_file(&lock).unwrap();
    let ran: Ran = record.wait_with_output().unwrap().into();
    ran.ok();
    world.git_ok("fsck --strict");
    assert_eq!(world.lines().len(), 2);
}

#[test]
fn a_clock_beyond_the_year_9999_is_refused() {
    let world = World::asked().env("SQ_TEST_NOW", "+10000-01-01T00:00:00Z");
    insta::assert_snapshot!(world.record("s1").transcript(), @"
    --- stderr
    fatal: the system clock is set to a time after the year 9999
    --- exit 128
    ");
    assert_eq!(world.lines(), [""; 0]);
}

#[test]
fn temporary_files_of_processes_that_were_killed_are_swept() {
    let world = World::answered("s1");
    let files = ["sq/.tmpAAA", "objects/.tmpBBB", "sq/.tmpNEW", "objects/tmp_obj_git"]
        .map(|file| world.dir.join(".git").join(file));
    let then = SystemTime::now() - Duration::from_secs(7200);
    for file in &files {
        let times = FileTimes::new().set_modified(then);
        File::create(file).unwrap().set_times(times).unwrap();
    }
    File::create(&files[2]).unwrap().set_modified(SystemTime::now()).unwrap();
    world.record("s2").ok();
    let left = files.each_ref().map(|file| file.exists());
    assert_eq!(left, [false, false, true, true]);
}
