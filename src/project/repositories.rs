//! The repositories in folders, found by their files.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use crate::file;

/// Folders below each other that are looked into, as in `host/owner/name`.
const DEPTH: usize = 3;

/// Each path once; in place of a folder that is no repository, those that it contains.
pub fn repositories(paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
    let found = paths.into_iter().flat_map(|path| {
        let mut below = Vec::new();
        if !is_repository(&path) {
            look_into(&path, DEPTH, &mut below);
        }
        // One that has none is shown with what is wrong with it.
        if below.is_empty() { vec![path] } else { below }
    });
    let mut seen = HashSet::new();
    found.filter(|path| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone()))).collect()
}

/// Follows no links.
fn look_into(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let folders = file::listed(folder).filter(|entry| {
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        !is_hidden && entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    let mut folders: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    folders.sort();
    for folder in folders {
        if is_repository(&folder) {
            found.push(folder);
        } else if depth > 1 {
            look_into(&folder, depth - 1, found);
        }
    }
}

/// True of a worktree's root and of a bare repository.
fn is_repository(folder: &Path) -> bool {
    let has = |name: &&str| folder.join(name).exists();
    has(&".git") || ["HEAD", "objects", "refs"].iter().all(has)
}
