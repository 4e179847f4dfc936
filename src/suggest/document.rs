//! Documents: which files are read as such, and their lines.

use std::ops::Range;

use super::tree::name;

const WORDS: [&str; 15] = [
    "readme",
    "contribut",
    "install",
    "setup",
    "set-up",
    "getting",
    "start",
    "build",
    "develop",
    "hacking",
    "require",
    "msrv",
    "agents",
    "claude",
    "gemini",
];

/// True of documents that tell people how to install, build or develop.
pub fn is_guide(path: &str) -> bool {
    let name = name(path).to_ascii_lowercase();
    is_prose(&name) && WORDS.iter().any(|word| name.contains(word)) || is_for_agents(path)
}

/// True of documents that everyone keeps up to date first: README, CONTRIBUTING, and those for coding agents.
pub fn is_entrance(path: &str) -> bool {
    let name = name(path).to_ascii_lowercase();
    let is_first = name.starts_with("readme") || name.starts_with("contributing");
    is_first && is_prose(&name) || is_for_agents(path)
}

pub fn is_for_agents(path: &str) -> bool {
    matches!(name(path), "AGENTS.md" | "CLAUDE.md" | "GEMINI.md")
        || path == ".github/copilot-instructions.md"
        || path.starts_with(".cursor/rules/")
}

fn is_prose(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, extension)| extension);
    matches!(
        extension,
        None | Some("md" | "mdx" | "markdown" | "rst" | "adoc" | "txt")
    )
}

/// A line of a document.
pub struct Line<'t> {
    pub text: &'t str,
    /// In the document, in bytes.
    pub place: Range<usize>,
    /// True inside a block of code.
    pub is_fenced: bool,
}

/// The lines of a Markdown text; fences are told apart line by line.
pub fn lines(text: &str) -> Vec<Line<'_>> {
    let (mut fence, mut start) = (None, 0);
    let lines = text.split_inclusive('\n').map(|line| {
        let (place, mark) = (start..start + line.len(), fence_of(line));
        start = place.end;
        let is_fenced = fence.is_some() || mark.is_some();
        match (fence, mark) {
            (None, Some((kind, length, _))) => fence = Some((kind, length)),
            (Some((kind, length)), Some((closing, long, true)))
                if kind == closing && long >= length =>
            {
                fence = None;
            }
            _ => {}
        }
        Line {
            text: line.trim_end(),
            place,
            is_fenced,
        }
    });
    lines.collect()
}

/// The character of a fence, its length, and whether nothing follows it.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let line = line.trim_start_matches([' ', '\t', '>']).trim_end();
    let kind = line.chars().next().filter(|kind| "`~".contains(*kind))?;
    let rest = line.trim_start_matches(kind);
    let length = line.len() - rest.len();
    (length >= 3 && !rest.contains('`')).then_some((kind, length, rest.is_empty()))
}
