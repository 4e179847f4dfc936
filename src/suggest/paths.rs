//! Paths that documents name, and that are not there.

use super::tree::{Tree, folder, lines, pattern};
use crate::{evidence::joined, git};

/// A path that a document names.
#[derive(Debug)]
pub struct Named {
    pub document: String,
    pub line: usize,
    pub path: String,
    /// Where it may be: from the root, and from the document's folder.
    pub places: Vec<String>,
}

/// README, CONTRIBUTING, and documents for agents.
const ENTRANCES: &str = r"(?i)(^|/)((readme|contributing)[^/]*\.(md|mdx|markdown|rst|adoc|txt)|README|(AGENTS|CLAUDE|GEMINI)\.md)$|^\.github/copilot-instructions\.md$|^\.cursor/rules/";

/// Those in which a path that never existed is a mistake.
const AGENTS: &str = r"(^|/)(AGENTS|CLAUDE)\.md$";

/// Beside these words, a path is named because it is absent.
const ABSENT: &str = r"(?i)\boptional|\bno longer\b|\bremoved?\b|\bdeleted?\b|\bdoes not use\b";

/// A span of code, or the target of a link.
const NAMES: &str = r"`([^`\n]+)`|\]\(<?([^)\s>]+)";

/// Nothing but a path, with a line perhaps.
const PATH: &str =
    r#"^["'(,]*(?:\./)?((?:\.\./)*[\w.][\w.+@-]*(?:/[\w.+@-]+)*)/?(?:[:#?].*)?["'),;.]*$"#;

/// The absent paths of each document; the documents with the lines that name them.
pub fn absent(tree: &Tree) -> git::Result<Vec<Named>> {
    let [entrances, words] = [pattern(ENTRANCES)?, pattern(ABSENT)?];
    let [names, path] = [pattern(NAMES)?, pattern(PATH)?];
    let ignored = tree.text(".gitignore")?.unwrap_or_default();
    // A README tells users what to put into dot folders of their own.
    let is_theirs = |document: &str, path: &str| {
        path.starts_with('.')
            && !path.starts_with("..")
            && document.to_ascii_lowercase().contains("readme")
    };
    let mut absent: Vec<Named> = Vec::new();
    let files = tree.own.iter().map(|file| &file.path);
    for document in files.filter(|path| entrances.is_match(path.as_bytes())) {
        let text = tree.text(document)?.unwrap_or_default();
        let lines = lines(&text)?;
        for (number, (_, line, is_code)) in lines.iter().enumerate() {
            let near = &lines[number.saturating_sub(2)..lines.len().min(number + 3)];
            let is_told = |(_, line, _): &(usize, &str, bool)| words.is_match(line.as_bytes());
            for found in names.captures_iter(line.as_bytes()).filter(|_| !is_code) {
                let (code, link) = (found.get(1), found.get(2));
                let Some(part) = code.or(link) else { continue };
                for word in line[part.range()]
                    .split_whitespace()
                    .filter(|word| !word.contains("://"))
                {
                    let Some(found) = path.captures(word.as_bytes()) else {
                        continue;
                    };
                    let named = found.get(1).map_or("", |path| &word[path.range()]);
                    let places = ["", folder(document)].into_iter();
                    let mut places: Vec<_> =
                        places.filter_map(|from| joined(from, named)).collect();
                    places.dedup();
                    let is_new = !absent
                        .iter()
                        .any(|one| one.document == *document && one.path == named);
                    if is_new
                        && (link.is_some() || named.contains('/') && !is_theirs(document, named))
                        && !tree.has_anywhere(named)
                        && !places
                            .iter()
                            .any(|place| tree.has(place) || is_ignored(&ignored, place))
                        && !near.iter().any(is_told)
                    {
                        absent.push(Named {
                            document: document.clone(),
                            line: number + 1,
                            path: named.to_owned(),
                            places,
                        });
                    }
                }
            }
        }
    }
    Ok(absent)
}

impl Named {
    /// True if it is a mistake although it never existed: it stands in a document for agents, and its folder is there.
    pub fn is_mistaken(&self, tree: &Tree) -> bool {
        let is_for_agents =
            pattern(AGENTS).is_ok_and(|agents| agents.is_match(self.document.as_bytes()));
        let mut folders = self.places.iter().map(|place| folder(place));
        is_for_agents && folders.any(|folder| !folder.is_empty() && tree.has(folder))
    }
}

/// True if a plain line of `.gitignore` names the path, or a folder of it.
fn is_ignored(ignored: &str, path: &str) -> bool {
    let lines = ignored.lines().map(|line| line.trim().trim_matches('/'));
    lines.filter(|line| !line.is_empty()).any(|line| {
        let is_part = path.split('/').any(|part| part == line);
        let extension = line.strip_prefix('*').filter(|end| end.starts_with('.'));
        is_part
            || path
                .strip_prefix(line)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            || extension.is_some_and(|end| path.ends_with(end))
    })
}
