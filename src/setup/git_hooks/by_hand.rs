//! What a person does where a hook file is not this program's to write.

use std::path::Path;

use super::{GitHook, shown};
use crate::quote;

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
        format!("{name}: git sq does not edit {path}; add this line to it {place}{idle}:"),
        hook.command(),
    ]
}

/// A shell script that calls a hook in another language.
pub fn to_call(hook: GitHook, path: &Path) -> Vec<String> {
    let name = hook.name();
    // Under its own name: it may look at that.
    let own = path.with_file_name("own").join(name);
    let [own, path] = [&own, path].map(|path| quote::word(&path.display().to_string()));
    let call = format!("own=${{0%/*}}/own/{name}; [ ! -x \"$own\" ] || \"$own\" \"$@\"");
    let [first, second] = match hook {
        GitHook::PrePush => [hook.command(), call],
        GitHook::PostRewrite => [call, hook.command()],
    };
    vec![
        format!(
            "{name}: {path} is not a shell script; move it to {own}, and put an executable file with these lines in its place:"
        ),
        "#!/bin/sh".to_owned(),
        first,
        second,
    ]
}

/// Returns true if a shell runs the script, as it does where the first line names nothing.
pub fn is_of_shell(script: &[u8]) -> bool {
    let first = script.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let Some(words) = first.strip_prefix(b"#!") else {
        return !script.contains(&0);
    };
    let is_shell = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or_default();
        matches!(name, "sh" | "bash" | "dash" | "ash" | "ksh" | "zsh")
    };
    String::from_utf8_lossy(words).split_ascii_whitespace().any(is_shell)
}
