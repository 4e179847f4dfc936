//! Tells whether other programs will find this one when they call a hook.

use std::{
    env,
    path::{Component, Path},
};

pub const HOW_TO_INSTALL: &str = "install it with `cargo install --locked --path .` in its sources";

/// Returns true if the program is on the PATH, in a folder that will be there later.
pub fn is_on_path() -> bool {
    // A launcher of npm has no suffix: git for Windows reads its first line.
    let names = [format!("git-sq{}", env::consts::EXE_SUFFIX), "git-sq".to_owned()];
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .filter(|folder| !is_passing(folder))
        .any(|folder| names.iter().any(|name| folder.join(name).is_file()))
}

/// npx, `npm run` and uvx put such folders on the PATH of what they run, and only there.
fn is_passing(folder: &Path) -> bool {
    let of_uvx = |part: Component| part.as_os_str().to_string_lossy().starts_with("archive-v");
    folder.ends_with("node_modules/.bin") || folder.components().any(of_uvx)
}
