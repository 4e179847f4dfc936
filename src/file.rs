//! Reads files that a repository or another program may have planted, and writes files as a whole.

use std::{
    fs::{self, DirEntry, File},
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Component, Path, PathBuf},
};

use serde::Serialize;
use tempfile::NamedTempFile;

/// Size limit, in bytes, for files that are parsed.
pub const MOST: u64 = 1 << 20;

/// The bytes of the regular file at `path` below `root`, at most `most`. No link is followed on the way, and no pipe is
/// waited for.
/// # Errors
/// `NotFound` if nothing is there, `InvalidData` if it is not such a file.
pub fn read(root: &Path, path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, length) = open(root, path)?;
    let size = usize::try_from(length.min(most)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(size.saturating_add(1));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(refused(path, &format!("has more than {most} bytes")));
    }
    Ok(bytes)
}

/// Returns true if the folder of a path is something else: a link or a file.
pub fn is_below_none(root: &Path, path: &str) -> bool {
    let folder = path.rsplit_once('/').map(|(folder, _)| root.join(folder));
    folder.is_some_and(|at| at.symlink_metadata().is_ok_and(|found| !found.is_dir()))
}

/// What is in a folder; nothing if it can't be read.
pub fn listed(folder: impl AsRef<Path>) -> impl Iterator<Item = DirEntry> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

/// Replaces a file as a whole, keeps its permissions, and creates missing folders.
pub fn replace(file: &Path, text: &str) -> io::Result<()> {
    let new = beside(file, text)?;
    if let Ok(found) = file.metadata() {
        new.as_file().set_permissions(found.permissions())?;
    }
    new.persist(file)?;
    Ok(())
}

/// Creates a file with its whole text.
/// # Errors
/// `AlreadyExists` if something is there.
pub fn create(file: &Path, text: &str) -> io::Result<()> {
    beside(file, text)?.persist_noclobber(file)?;
    Ok(())
}

/// Replaces a JSON file by a new one, which is [`private`] or [`common`].
pub fn keep(file: &Path, mut new: NamedTempFile, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut new, value)?;
    new.write_all(b"\n")?;
    // Before the rename, so that no crash leaves an empty file under the name.
    new.as_file().sync_all()?;
    new.persist(file)?;
    Ok(())
}

/// A new file for its owner alone or, where git makes folders so that new files belong to their group, for that group.
/// The folder is created if it is missing.
pub fn private(folder: &Path) -> io::Result<NamedTempFile> {
    fs::create_dir_all(folder)?;
    let mut new = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        const SET_GROUP_ID: u32 = 0o2000;
        if folder.metadata()?.permissions().mode() & SET_GROUP_ID != 0 {
            new.permissions(fs::Permissions::from_mode(0o660));
        }
    }
    new.tempfile_in(folder)
}

/// A new file for whom the umask allows. The folder is created if it is missing.
pub fn common(folder: &Path) -> io::Result<NamedTempFile> {
    fs::create_dir_all(folder)?;
    let mut new = tempfile::Builder::new();
    #[cfg(unix)]
    new.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    new.tempfile_in(folder)
}

fn beside(file: &Path, text: &str) -> io::Result<NamedTempFile> {
    let mut new = common(file.parent().unwrap_or(file))?;
    new.write_all(text.as_bytes())?;
    Ok(new)
}

/// The same file, opened, and its length.
pub fn open(root: &Path, path: &Path) -> io::Result<(File, u64)> {
    if !leads_below(path) {
        return Err(refused(path, "is not below the folder that it belongs to"));
    }
    let file = unfollowed(root, path).map_err(|error| explain(root, path, error))?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(refused(path, "is not a regular file"));
    }
    Ok((file, found.len()))
}

/// Returns true if a relative path stays below its folder and is not in `.git`.
pub fn leads_below(path: &Path) -> bool {
    let is_plain = |part: Component| match part {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        Component::CurDir => true,
        _ => false,
    };
    path.file_name().is_some() && path.components().all(is_plain)
}

/// The first part of `path` below `root` that is a symbolic link, as a path below `root`.
pub fn link_in(root: &Path, path: &Path) -> Option<PathBuf> {
    let is_link = |part: &&Path| !part.as_os_str().is_empty() && root.join(part).is_symlink();
    // The link nearest to the root.
    path.ancestors().filter(is_link).last().map(Path::to_owned)
}

#[cfg(unix)]
fn unfollowed(root: &Path, path: &Path) -> io::Result<File> {
    use nix::{
        fcntl::{self, OFlag},
        sys::stat::Mode,
    };
    let always = OFlag::O_CLOEXEC | OFlag::O_RDONLY;
    let nofollow = always | OFlag::O_NOFOLLOW;
    let mut folder = fcntl::open(root, always | OFlag::O_DIRECTORY, Mode::empty())?;
    for part in path.parent().into_iter().flat_map(Path::components) {
        let flags = nofollow | OFlag::O_DIRECTORY;
        folder = fcntl::openat(&folder, part.as_os_str(), flags, Mode::empty())?;
    }
    let name = path.file_name().unwrap_or_default();
    // Opening a pipe would wait for a writer.
    let flags = nofollow | OFlag::O_NONBLOCK | OFlag::O_NOCTTY;
    let file = fcntl::openat(&folder, name, flags, Mode::empty())?;
    Ok(File::from(file))
}

/// The standard library can't open relative to a folder here.
#[cfg(not(unix))]
fn unfollowed(root: &Path, path: &Path) -> io::Result<File> {
    let whole = root.join(path);
    if link_in(root, path).is_some() || !fs::symlink_metadata(&whole)?.is_file() {
        return Err(ErrorKind::InvalidData.into());
    }
    File::open(whole)
}

/// Names the kind of the file that could not be opened.
fn explain(root: &Path, path: &Path, error: io::Error) -> io::Error {
    if let Some(link) = link_in(root, path) {
        return refused(&link, "is a symbolic link, which git sq does not follow");
    }
    match fs::symlink_metadata(root.join(path)) {
        Ok(found) if !found.is_file() => refused(path, "is not a regular file"),
        _ if error.kind() == ErrorKind::NotADirectory => ErrorKind::NotFound.into(),
        _ => error,
    }
}

fn refused(path: &Path, why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("{} {why}", path.display()))
}
