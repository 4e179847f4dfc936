//! Where a question store may be planted: in the worktree, and nowhere that a link leads to.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Component, Path, PathBuf},
};

use super::super::Failure;

/// A file that is in the worktree by its name and on the disk.
pub struct Place {
    file: PathBuf,
    /// The folders above it that are missing, from the root, the outermost first.
    missing: Vec<String>,
    root: PathBuf,
}

impl Place {
    /// Looks at each folder on the way from the root.
    ///
    /// # Errors
    /// When the path leads out of the worktree, or a link is on the way.
    pub fn new(root: &Path, path: &str) -> Result<Self, Failure> {
        let parts: Vec<Component> = Path::new(path).components().collect();
        let is_plain = |part: &Component| match part {
            Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
            Component::CurDir => true,
            _ => false,
        };
        if path.is_empty() || path.ends_with('/') || !parts.iter().all(is_plain) {
            return Err(Failure::refused(
                format!("sq.questions is {path:?}, which is no file in the worktree"),
                "`git config sq.questions PATH` names one, from the root of the worktree",
            ));
        }
        let mut place = Self {
            file: root.to_owned(),
            missing: Vec::new(),
            root: root.to_owned(),
        };
        let mut name = PathBuf::new();
        for (index, part) in parts.iter().enumerate() {
            name.push(part);
            place.file.push(part);
            match fs::symlink_metadata(&place.file) {
                Ok(found) if found.is_symlink() => {
                    return Err(Failure::refused(
                        format!(
                            "{} is a link, and a store is planted in the worktree only",
                            name.display()
                        ),
                        "put a folder or nothing in the link's place, or name another file with `git config sq.questions PATH`",
                    ));
                }
                Err(_) if index + 1 < parts.len() => {
                    place.missing.push(name.to_string_lossy().into_owned());
                }
                Ok(_) | Err(_) => {}
            }
        }
        Ok(place)
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    pub fn missing_folders(&self) -> &[String] {
        &self.missing
    }

    /// Makes the file, which must not be there.
    pub fn write(&self, text: &str) -> io::Result<()> {
        for folder in &self.missing {
            match fs::create_dir(self.root.join(folder)) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        let mut file = File::create_new(&self.file)?;
        file.write_all(text.as_bytes()).inspect_err(|_| {
            // Half a store helps nobody.
            let _ = fs::remove_file(&self.file);
        })
    }
}
