//! Paths that documents name, and that are not there.

use std::collections::HashSet;

use super::{
    place::Place,
    tree::{Tree, first, folder, pattern},
};
use crate::{
    evidence::{joined, lines_and_code},
    git,
};

pub struct Named {
    pub place: Place,
    /// Where it may be: from the root, and from the document's folder.
    pub paths: Vec<String>,
    /// True if it is a mistake even if it never existed: agents are told of it, and its folder is there.
    pub is_mistaken: bool,
}

/// README, CONTRIBUTING, and documents for agents.
const ENTRANCES: &str = r"(?i)(^|/)((readme|contributing)[^/]*\.(md|mdx|markdown|rst|adoc|txt)|README|(AGENTS|CLAUDE|GEMINI)\.md)$|^\.github/copilot-instructions\.md$|^\.cursor/rules/";

/// Beside these words, a path is named because it is absent.
const ABSENT: &str = r"(?i-u)\boptional|\bno longer\b|\bremoved?\b|\bdeleted?\b|\bdoes not use\b";

/// A span of code, or the target of a link.
const NAMES: &str = r"(?-u)`([^`\n]+)`|\]\(<?([^)\s>]+)";

/// Nothing but a path, with a line perhaps.
const PATH: &str =
    r#"(?-u)^["'(,]*(?:\./)?((?:\.\./)*[\w.][\w.+@-]*(?:/[\w.+@-]+)*)(?:/|[:#?].*)?["'),;.]*$"#;

/// The paths that documents name outside of code, and that are absent.
pub fn absent(tree: &Tree) -> git::Result<Vec<Named>> {
    let told = pattern(ABSENT)?;
    let ignored = tree.text(".gitignore")?.unwrap_or_default();
    let mut absent = Vec::new();
    for document in tree.own(ENTRANCES)? {
        let text = tree.text(document)?.unwrap_or_default();
        let (lines, mut seen) = (lines_and_code(&text), HashSet::new());
        let is_for_agents = ["AGENTS.md", "CLAUDE.md"].iter().any(|end| document.ends_with(end));
        for (number, (line, is_code)) in (1..).zip(&lines) {
            let near = &lines[number - number.min(3)..lines.len().min(number + 2)];
            if *is_code || near.iter().any(|(line, _)| told.is_match(line.as_bytes())) {
                continue;
            }
            for path in paths_in(line, document)? {
                let from = ["", folder(document)].into_iter();
                let paths: Vec<_> = from.filter_map(|from| joined(from, path)).collect();
                let is_there = |path: &String| tree.has(path) || is_ignored(&ignored, path);
                if !seen.insert(path) || paths.iter().any(is_there) || tree.has_anywhere(path) {
                    continue;
                }
                let mut folders = paths.iter().map(|path| folder(path));
                let has_folder = folders.any(|folder| !folder.is_empty() && tree.has(folder));
                absent.push(Named {
                    place: Place {
                        file: document.clone(),
                        lines: vec![number],
                        says: path.to_owned(),
                        ..Place::default()
                    },
                    paths,
                    is_mistaken: has_folder && is_for_agents,
                });
            }
        }
    }
    Ok(absent)
}

/// The paths in spans of code and in links; without a folder only in links.
fn paths_in<'l>(line: &'l str, document: &str) -> git::Result<Vec<&'l str>> {
    let spans = pattern(NAMES)?;
    // What users or members of a workspace put into dot folders of their own.
    let is_root = matches!(folder(document), "" | ".github") || document.starts_with(".cursor/");
    let is_for_users = !is_root || document.to_ascii_lowercase().starts_with("readme");
    let mut paths = Vec::new();
    for found in spans.captures_iter(line.as_bytes()) {
        let (code, target) = (found.get(1), found.get(2));
        let span = code.or(target).map_or("", |part| &line[part.range()]);
        for word in span.split_whitespace().filter(|word| !word.contains("://")) {
            let path = first(PATH, word).map_or("", |path| &word[path]);
            let is_theirs = is_for_users && path.starts_with('.') && !path.starts_with("..");
            if target.is_some() && !path.is_empty() || path.contains('/') && !is_theirs {
                paths.push(path);
            }
        }
    }
    Ok(paths)
}

/// True if a plain line of `.gitignore` names a part of the path.
fn is_ignored(ignored: &str, path: &str) -> bool {
    let mut lines = ignored.lines().map(|line| line.trim().trim_matches('/'));
    lines.any(|line| path.split('/').any(|part| part == line))
}
