//! Installs files where a shell or `man` looks for them, for the current user.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use super::Failure;

/// The user's home folder.
pub fn home() -> Result<PathBuf, Failure> {
    env::home_dir().ok_or_else(|| {
        Failure::refused(
            "could not find the home directory",
            "set HOME, or redirect the output to a file yourself",
        )
    })
}

/// A folder that the environment may move, else one under home.
pub fn user_dir(variable: &str, under_home: &str) -> Result<PathBuf, Failure> {
    match env::var_os(variable).filter(|value| Path::new(value).is_absolute()) {
        Some(dir) => Ok(dir.into()),
        None => Ok(home()?.join(under_home)),
    }
}

/// Writes a file, and the folders above it.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, text)).map_err(|error| {
        Failure::refused(
            format!("could not write {}: {error}", path.display()),
            "print it without --install, and save it yourself",
        )
    })
}
