//! Replaces files as a whole, so that readers and crashes meet either the old content or the new.

use std::{
    io::{self, Write},
    path::Path,
};

use tempfile::NamedTempFile;

/// Replaces the file at `path`, whose folder has to exist.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> io::Result<()> {
    stage(path, bytes)?.persist(path)?;
    Ok(())
}

/// Writes a temporary file beside `path`, ready to be persisted there.
pub fn stage(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    // Before it has its name, so that no crash leaves it empty.
    file.as_file().sync_all()?;
    Ok(file)
}
