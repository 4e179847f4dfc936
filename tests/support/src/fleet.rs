//! Many repositories in one world, ten of them broken, each in a way of its own.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, chown},
    path::{Path, PathBuf},
    process::Command,
};

use crate::World;

/// A path that is given to `git sq fleet`, and a part of what its row says.
pub struct Member {
    pub path: PathBuf,
    pub state: &'static str,
    pub says: &'static str,
}

/// So many repositories with sessions in them, and ten that are broken.
pub fn fleet(healthy: usize) -> (World, Vec<Member>) {
    let world = World::new();
    world.ask(&["q1", "q2", "q3", "q4", "q5"]);
    let base = world.dir.clone();
    let copy = |name: &str| {
        let to = world.root().join(name);
        let copied = Command::new("cp").arg("-R").args([&base, &to]).status();
        assert!(copied.unwrap().success());
        to
    };
    let member = |path, state, says| Member { path, state, says };
    let mut members = vec![member(copy("no-log"), "needs-help", "no-sessions")];
    world.sq_ok("record --sid first q1=1 q2=2 q3=3 q4=4 q5=5");
    for session in 1..10 {
        world.commit("work");
        let same = "--same q1=1 --same q2=2 --same q3=3 --same q4=4";
        world.sq_ok(&format!("record --sure --sid s{session} {same} --delta q5={session}"));
    }
    let sessions = "10 sessions, the last answer";
    let healthy = (0..healthy).map(|number| member(copy(&format!("r{number}")), "clean", sessions));
    members.extend(healthy);

    let no_store = copy("no-store");
    world.git_ok_in(&no_store, "rm --quiet standing_questions.json");
    world.git_ok_in(&no_store, "commit --quiet -m 'Ask nothing'");
    members.push(member(no_store, "not-set-up", "there is no question store"));

    let damaged = copy("damaged");
    let tree = world.git_ok_in(&damaged, "rev-parse HEAD^{tree}");
    let (folder, file) = tree.trim().split_at(2);
    fs::remove_file(damaged.join(".git/objects").join(folder).join(file)).unwrap();
    members.push(member(damaged, "unknown", "missing"));

    let url = format!("file://{}", base.display());
    let shallow = world.root().join("shallow");
    let clone = ["clone", "--quiet", "--depth=1", &url, shallow.to_str().unwrap()];
    world.git(&clone).ok();
    members.push(member(shallow, "unknown", "a shallow clone"));

    let locked = copy("locked");
    for lock in ["index.lock", "HEAD.lock", "refs/notes/sq.lock"] {
        fs::write(locked.join(".git").join(lock), "").unwrap();
    }
    members.push(member(locked, "clean", sessions));

    let closed = copy("closed");
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o0)).unwrap();
    members.push(match fs::read_dir(&closed) {
        Err(_) => member(closed, "unknown", "Permission denied"),
        // The tests run as root.
        Ok(_) => member(closed, "clean", sessions),
    });

    let folder = world.root().join("folder");
    fs::create_dir(&folder).unwrap();
    members.push(member(folder, "unknown", "not a git repository"));
    members.push(member(world.root().join("gone"), "unknown", "No such file or directory"));

    let unborn = world.root().join("unborn");
    world.git(&["init", "--quiet", unborn.to_str().unwrap()]).ok();
    members.push(member(unborn, "unknown", "HEAD has no commit yet"));

    let foreign = copy("foreign");
    members.push(match chown(foreign.join(".git"), Some(65534), None) {
        Ok(()) => member(foreign, "unknown", "dubious ownership"),
        // Only root may give a folder away.
        Err(_) => member(foreign, "clean", sessions),
    });
    (world, members)
}

/// What a row says in the text, and its title.
pub fn row<'t>(text: &'t str, path: &Path) -> &'t str {
    let begin = format!("  {}: ", path.display());
    let mut lines = text.lines();
    lines.find_map(|line| line.strip_prefix(&begin)).unwrap_or_default()
}
