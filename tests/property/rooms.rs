//! The rooms of `src` and their one direction, read from the `use` lines.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The text of each file of `src`, by its module: `git::refs` for `git/refs.rs` and `git` for `git/mod.rs`.
fn modules() -> BTreeMap<String, String> {
    fn collect(dir: &Path, prefix: &str, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(dir).unwrap().map(Result::unwrap) {
            let path = entry.path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let name =
                if prefix.is_empty() { stem.to_owned() } else { format!("{prefix}::{stem}") };
            if path.is_dir() {
                collect(&path, &name, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = if stem == "mod" { prefix.to_owned() } else { name };
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut found);
    found.remove("main");
    found
}

/// The `use` items of a file, each as a whole path, with its `pub` if it is a re-export.
fn uses(text: &str) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    for part in format!("\n{text}").split("\nuse ").skip(1) {
        paths(part.split(';').next().unwrap(), "", &mut |path| found.push((false, path)));
    }
    for start in ["\npub use ", "\npub(super) use ", "\npub(crate) use "] {
        for part in format!("\n{text}").split(start).skip(1) {
            paths(part.split(';').next().unwrap(), "", &mut |path| found.push((true, path)));
        }
    }
    found
}

/// Takes `a::{b, c::{d, e}}` apart.
fn paths(tree: &str, prefix: &str, tell: &mut dyn FnMut(String)) {
    let tree = tree.trim();
    let Some((before, rest)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap();
        return tell(format!("{prefix}{name}"));
    };
    let prefix = format!("{prefix}{}", before.trim());
    let inside = rest.trim_end().strip_suffix('}').unwrap();
    let (mut depth, mut start) = (0, 0);
    for (at, c) in inside.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                paths(&inside[start..at], &prefix, tell);
                start = at + 1;
            }
            _ => {}
        }
    }
    if !inside[start..].trim().is_empty() {
        paths(&inside[start..], &prefix, tell);
    }
}

/// The module and the item that a path of a file names; `None` for another crate.
fn resolve(
    modules: &BTreeMap<String, String>,
    from: &str,
    path: &str,
    depth: usize,
) -> Option<String> {
    let mut at: Vec<&str> = from.split("::").filter(|part| !part.is_empty()).collect();
    let mut parts: Vec<&str> = path.split("::").collect();
    match parts[0] {
        "crate" => at.clear(),
        "self" => {}
        "super" => _ = at.pop(),
        _ if modules.contains_key(&[at.join("::"), parts[0].to_owned()].join("::")) => {
            parts.insert(0, "self");
        }
        _ => return None,
    }
    parts.remove(0);
    while parts.first() == Some(&"super") {
        at.pop();
        parts.remove(0);
    }
    let mut module = at.join("::");
    while let Some(part) = parts.first() {
        let inner =
            if module.is_empty() { (*part).to_owned() } else { format!("{module}::{part}") };
        if !modules.contains_key(&inner) {
            break;
        }
        module = inner;
        parts.remove(0);
    }
    let Some(item) = parts.first().filter(|_| depth < 5) else { return Some(module) };
    // A re-exported item is in the file that defines it.
    let text = modules.get(&module)?;
    let known = uses(text).into_iter().filter(|(is_public, _)| *is_public);
    let original = known.map(|(_, path)| path).find(|path| path.rsplit("::").next() == Some(item));
    Some(match original {
        Some(path) => resolve(modules, &module, &path, depth + 1).unwrap_or(module),
        None => module,
    })
}

fn room(module: &str) -> &str {
    module.split("::").next().unwrap()
}

/// Each room with those whose items it uses.
fn arrows(modules: &BTreeMap<String, String>) -> BTreeMap<&str, BTreeSet<String>> {
    let mut arrows: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in modules.iter().filter(|(name, _)| *name != "lib") {
        let used = uses(text)
            .into_iter()
            .filter_map(|(_, path)| resolve(modules, name, &path, 0))
            .map(|other| room(&other).to_owned())
            .filter(|other| other != room(name));
        arrows.entry(room(name)).or_default().extend(used);
    }
    arrows
}

/// Those that lead back to themselves.
fn tied<'a>(arrows: &BTreeMap<&'a str, BTreeSet<String>>) -> Vec<&'a str> {
    let mut circles = Vec::new();
    for &start in arrows.keys() {
        let mut reached: BTreeSet<&str> = BTreeSet::new();
        let mut next: Vec<&str> = vec![start];
        while let Some(name) = next.pop() {
            let used = arrows.get(name).into_iter().flatten().map(String::as_str);
            next.extend(used.filter(|other| reached.insert(other)));
        }
        circles.extend(Some(start).filter(|start| reached.contains(start)));
    }
    circles
}

#[test]
fn no_rooms_use_each_other_in_a_circle() {
    let modules = modules();
    let arrows = arrows(&modules);
    assert!(arrows["cli"].contains("view") && arrows["view"].contains("project"), "{arrows:#?}");
    assert_eq!(tied(&arrows), Vec::<&str>::new(), "{arrows:#?}");
}

/// Files of one room that use each other, which a redesign of what judges is to end.
const TIED: [&str; 3] = ["project::brief", "project::recording", "project::second"];

/// A folder's own file and what is below it are one.
#[test]
fn no_files_use_each_other_in_a_circle() {
    let modules = modules();
    let arrows: BTreeMap<&str, BTreeSet<String>> = modules
        .iter()
        .map(|(name, text)| {
            let used = uses(text)
                .into_iter()
                .filter(|(is_public, _)| !is_public)
                .filter_map(|(_, path)| resolve(&modules, name, &path, 0))
                .filter(|other| !is_within(other, name) && !is_within(name, other));
            (name.as_str(), used.collect())
        })
        .collect();
    assert_eq!(tied(&arrows), TIED);
}

fn is_within(inner: &str, outer: &str) -> bool {
    inner == outer || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with("::"))
}

#[test]
fn gix_stops_at_git_and_reading_at_project() {
    let modules = modules();
    for (name, text) in &modules {
        assert!(room(name) == "git" || !text.contains("gix::"), "{name} names gix");
    }
    // What commands read, they read through `project`; a repository is opened, written to and asked for its settings.
    let log = ["Log", "LogTips"];
    for (name, text) in modules.iter().filter(|(name, _)| room(name) == "cli") {
        for (_, path) in uses(text) {
            let reads = path.starts_with("crate::store::") || path.starts_with("crate::git::");
            let item = path.rsplit("::").next().unwrap();
            assert!(!reads || !log.contains(&item), "{name} reads the log: {path}");
        }
    }
}

#[test]
fn nothing_is_decided_by_the_words_of_a_message() {
    for (name, text) in modules() {
        for line in text.lines() {
            for asks in ["contains(", "ends_with("] {
                let of_message = ["message", "what", "why", "reason", "changed"]
                    .iter()
                    .filter_map(|word| line.split_once(&format!("{word}.{asks}")))
                    .any(|(_, asked)| asked.starts_with(|c: char| c == '"' || c.is_uppercase()));
                // git's own messages, and serde's, are translated in one place each.
                let is_foreign = name == "git::refusal" || name == "question::parse";
                assert!(!of_message || is_foreign, "{name}: {}", line.trim());
            }
        }
    }
}
