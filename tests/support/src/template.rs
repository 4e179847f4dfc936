//! Worlds that begin alike: made once in a test process with git's help, and copied for each test.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::World;

/// All that is in a world's folder, and its time.
pub struct Template {
    root: String,
    entries: Vec<(PathBuf, Entry)>,
    clock: i64,
}

enum Entry {
    Folder,
    File(Vec<u8>, fs::Permissions),
}

impl Template {
    pub fn of(world: &World) -> Self {
        let root = world.root();
        let mut entries = Vec::new();
        read(&root, Path::new(""), &mut entries);
        Self {
            root: root.to_str().unwrap().to_owned(),
            entries,
            clock: world.clock.get(),
        }
    }

    pub fn copy(&self) -> World {
        let world = World::without_repo();
        world.clock.set(self.clock);
        let root = world.root();
        for (path, entry) in &self.entries {
            let path = root.join(path);
            match entry {
                Entry::Folder => fs::create_dir_all(path).unwrap(),
                Entry::File(bytes, permissions) => {
                    // Clones name their remote by its place.
                    match std::str::from_utf8(bytes) {
                        Ok(text) if text.contains(&self.root) => {
                            let text = text.replace(&self.root, root.to_str().unwrap());
                            fs::write(&path, text).unwrap();
                        }
                        _ => fs::write(&path, bytes).unwrap(),
                    }
                    fs::set_permissions(path, permissions.clone()).unwrap();
                }
            }
        }
        world
    }
}

fn read(root: &Path, below: &Path, entries: &mut Vec<(PathBuf, Entry)>) {
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            entries.push((path.clone(), Entry::Folder));
            read(root, &path, entries);
        } else {
            let bytes = fs::read(entry.path()).unwrap();
            let permissions = entry.metadata().unwrap().permissions();
            entries.push((path, Entry::File(bytes, permissions)));
        }
    }
}
