//! What a person does where a hook file is not this program's to write.

use std::path::Path;

use super::{GitHook, shown};

pub fn to_create(hook: GitHook, path: &Path) -> Vec<String> {
    let (name, path) = (hook.name(), shown(path));
    vec![
        format!(
            "{name}: git sq does not write to the folder that core.hooksPath names; create {path} with these lines, and run `chmod u+x {path}`:"
        ),
        "#!/bin/sh".to_owned(),
        hook.command(),
    ]
}

pub fn to_add(hook: GitHook, path: &Path, is_idle: bool) -> Vec<String> {
    let (name, path) = (hook.name(), shown(path));
    let idle = if is_idle { format!(", and run `chmod u+x {path}`") } else { String::new() };
    let place = hook.place();
    vec![
        format!(
            "{name}: git sq does not edit {path}; have it run this shell command {place}{idle}:"
        ),
        hook.command(),
    ]
}

/// For a file that calls the program, but is not executable.
pub fn to_run(hook: GitHook, path: &Path) -> Vec<String> {
    let (name, path) = (hook.name(), shown(path));
    vec![
        format!("{name}: {path} is not executable, so it does not run:"),
        format!("chmod u+x {path}"),
    ]
}
