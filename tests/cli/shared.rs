//! Repositories that several users of one machine share: what is written there has the permissions that
//! `core.sharedRepository` asks for, whatever the writer's umask.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use git_sq_test_support::World;

/// The files and folders below that lack any of these permissions.
fn lacking(folder: &Path, file: u32, inner: u32) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .flat_map(|entry| {
            let (path, found) = (entry.path(), entry.metadata().unwrap());
            let mode = found.permissions().mode();
            let (wanted, below) = match found.is_dir() {
                true => (inner, lacking(&path, file, inner)),
                // Nobody writes to an object or a pack.
                false if path.components().any(|part| part.as_os_str() == "objects") => {
                    (file & 0o444, Vec::new())
                }
                false => (file, Vec::new()),
            };
            let lacks = mode & wanted != wanted;
            let own = lacks.then(|| format!("{mode:o} {}", path.display()));
            own.into_iter().chain(below).collect::<Vec<_>>()
        })
        .collect()
}

fn written(value: &str, umask: &str) -> World {
    let world = World::with_repo("repo", &[&format!("--shared={value}")]);
    world.ask(&["q1"]);
    let lines = format!(
        "umask {umask} && git sq init && git sq record q1=yes --cite q1=standing_questions.json:1 \
         && git sq state set --status begun && git sq brief && git sq check --format json"
    );
    world.shell_in(&world.dir, &lines).ok();
    world
}

/// Without a share, the umask decides, as for git's own files.
#[test]
fn others_read_the_state_of_a_clone_that_they_can_read() {
    let world = written("umask", "022");
    let state = world.dir.join(".git/sq/state.json");
    assert_eq!(state.metadata().unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn a_group_shares_what_is_written() {
    for (value, file, folder) in [("group", 0o660, 0o2770), ("all", 0o664, 0o2775)] {
        let world = written(value, "077");
        let git = world.dir.join(".git");
        for written in ["objects", "refs", "logs"] {
            assert_eq!(lacking(&git.join(written), file, folder), [""; 0], "{value}");
        }
        // It may hold what others on the machine should not read.
        assert_eq!(lacking(&git.join("sq"), 0o660, 0o2770), [""; 0], "{value}");
    }
}
