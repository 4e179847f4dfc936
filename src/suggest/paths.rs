//! Paths that documents name, and that are not there.

use super::{
    document::{self, Line},
    tree::{Tree, folder, join},
};
use crate::{git, question::regex};

/// A path that a document names.
#[derive(Debug, Clone)]
pub struct Named {
    pub document: String,
    pub line: usize,
    pub path: String,
    /// Where it is looked for: from the root, and from the document's folder.
    pub places: Vec<String>,
}

/// Beside these words, a path is named because it is not there.
const ABSENT: &str = r"(?i)\boptional|\bno longer\b|\bremoved?\b|\bdeleted?\b|\bdoes not use\b";

/// A span of code, or the target of a link.
const NAMES: &str = r"`([^`\n]+)`|\]\(<?([^)\s>]+)";

/// The paths that README, CONTRIBUTING and documents for agents name, and that are gone or never were.
pub fn absent(tree: &Tree) -> git::Result<Vec<Named>> {
    let mut absent: Vec<Named> = Vec::new();
    let (Ok(names), Ok(words)) = (regex(NAMES), regex(ABSENT)) else {
        return Ok(absent);
    };
    let ignored = tree.text(".gitignore")?.unwrap_or_default();
    for document in tree.own().filter(|path| document::is_entrance(path)) {
        let Some(text) = tree.text(document)? else {
            continue;
        };
        let lines = document::lines(&text);
        let says_absent = |line: &Line| words.is_match(line.text.as_bytes());
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_fenced) {
            let near = number.saturating_sub(2)..(number + 3).min(lines.len());
            for found in names.captures_iter(line.text.as_bytes()) {
                let (code, link) = (found.get(1), found.get(2));
                let part = code.or(link).map_or(0..0, |part| part.range());
                let named = line.text[part].split_whitespace();
                for path in named.filter_map(|word| path_in(word, link.is_some())) {
                    let mut places = vec![path.to_owned(), join(folder(document), path)];
                    places.dedup();
                    let is_known = |one: &Named| one.document == document && one.path == path;
                    if !places.iter().any(|place| tree.exists(place))
                        && !tree.exists_anywhere(path)
                        && !places.iter().any(|place| is_ignored(&ignored, place))
                        && !lines[near.clone()].iter().any(says_absent)
                        && !absent.iter().any(is_known)
                    {
                        absent.push(Named {
                            document: document.to_owned(),
                            line: number + 1,
                            path: path.to_owned(),
                            places,
                        });
                    }
                }
            }
        }
    }
    Ok(absent)
}

/// The path that a word names; a name without a folder counts only as the target of a link.
fn path_in(word: &str, is_link: bool) -> Option<&str> {
    let word = word.split(['#', '?']).next()?;
    let word = word.trim_matches(|c: char| "\"'(),;:".contains(c));
    let word = word.trim_end_matches('.').trim_start_matches("./");
    let word = match word.rsplit_once(':') {
        Some((path, line)) if line.starts_with(|c: char| c.is_ascii_digit()) => path,
        _ => word,
    };
    let path = word.trim_end_matches('/');
    let is_plain = |c: char| c.is_alphanumeric() || "_-./+@".contains(c);
    let is_path = (is_link || path.contains('/'))
        && path.starts_with(|c: char| c.is_alphanumeric() || "._".contains(c))
        && path.chars().all(is_plain)
        && !path
            .split('/')
            .any(|part| part.is_empty() || part.trim_start_matches('.').is_empty());
    is_path.then_some(path)
}

/// True if a plain line of `.gitignore` names the path, or a folder of it.
fn is_ignored(ignored: &str, path: &str) -> bool {
    ignored
        .lines()
        .map(|line| line.trim().trim_matches('/'))
        .any(|line| {
            let extension = line.strip_prefix("*.");
            let has_extension = extension.is_some_and(|end| path.ends_with(&format!(".{end}")));
            let is_part = !line.contains('/') && path.split('/').any(|part| part == line);
            !line.is_empty()
                && (path == line
                    || path.starts_with(&format!("{line}/"))
                    || is_part
                    || has_extension)
        })
}
