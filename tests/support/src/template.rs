//! Worlds that begin alike: made once in a test process with git's help, and copied for each test.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::World;

/// All that is in a world's folder, where its commands run, and its time.
pub struct Template {
    root: String,
    dir: PathBuf,
    env: Vec<(String, String)>,
    entries: Vec<(PathBuf, Entry)>,
    clock: i64,
}

enum Entry {
    /// With its inode.
    Folder(u64),
    File(Vec<u8>, fs::Permissions),
}

impl Template {
    pub fn of(world: &World) -> Self {
        let root = world.root();
        let mut entries = Vec::new();
        read(&root, Path::new(""), &mut entries);
        Self {
            dir: world.dir.strip_prefix(&root).unwrap().to_owned(),
            env: world.env.clone(),
            root: root.to_str().unwrap().to_owned(),
            entries,
            clock: world.clock.get(),
        }
    }

    pub fn copy(&self) -> World {
        let mut world = World::without_repo();
        world.clock.set(self.clock);
        world.env.clone_from(&self.env);
        let root = world.root();
        world.dir = root.join(&self.dir);
        // Of the folder that the files stand in, here and in what is copied.
        let mut inodes = [0, 0];
        for (path, entry) in &self.entries {
            let path = root.join(path);
            match entry {
                Entry::Folder(theirs) => {
                    fs::create_dir_all(&path).unwrap();
                    inodes = [*theirs, inode(&path)];
                }
                Entry::File(bytes, permissions) => {
                    let mut bytes = bytes.clone();
                    if let Ok(text) = std::str::from_utf8(&bytes) {
                        // Clones name their remote by its place.
                        let mut text = text.replace(&self.root, root.to_str().unwrap());
                        // Where it is taken for a copy, a clone writes under another name.
                        if path.ends_with("sq/state.json") {
                            let [theirs, ours] = inodes.map(|inode| inode.to_string());
                            text = text.replace(&theirs, &ours);
                        }
                        bytes = text.into_bytes();
                    }
                    fs::write(&path, bytes).unwrap();
                    fs::set_permissions(path, permissions.clone()).unwrap();
                }
            }
        }
        world
    }
}

#[cfg(unix)]
fn inode(folder: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    folder.metadata().unwrap().ino()
}

#[cfg(not(unix))]
fn inode(_: &Path) -> u64 {
    0
}

/// The files of a folder before its folders.
fn read(root: &Path, below: &Path, entries: &mut Vec<(PathBuf, Entry)>) {
    let listed = fs::read_dir(root.join(below)).unwrap();
    let is_dir = |entry: &fs::DirEntry| entry.file_type().unwrap().is_dir();
    let (folders, files): (Vec<_>, Vec<_>) = listed.map(Result::unwrap).partition(is_dir);
    for entry in files.into_iter().chain(folders) {
        let path = below.join(entry.file_name());
        if is_dir(&entry) {
            entries.push((path.clone(), Entry::Folder(inode(&entry.path()))));
            read(root, &path, entries);
        } else {
            let bytes = fs::read(entry.path()).unwrap();
            let permissions = entry.metadata().unwrap().permissions();
            entries.push((path, Entry::File(bytes, permissions)));
        }
    }
}
