//! Something that a document says is there, and that is not.

use super::place::Place;

pub struct Claim {
    pub place: Place,
    pub topic: Topic,
    pub target: Target,
    /// True if it is wrong even if it never was right, as a link is.
    pub is_broken_anyway: bool,
    /// False if only `--all` shows it.
    pub is_likely: bool,
}

/// The groups of claims that are asked about together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Topic {
    Paths,
    /// Paths in URLs of the repository itself.
    Urls,
    /// Commands of one tool, by its number in `commands::TOOLS`.
    Commands(usize),
}

pub enum Target {
    /// A file or a folder.
    Path { path: String, from: From },
    /// A file of this name in any folder.
    Anywhere(String),
    /// A name that one of these files defines, for the tool.
    Defined { name: String, files: Vec<String>, tool: usize },
}

/// The folder from which a path is seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    Root,
    /// That of the document.
    Document,
    Either,
}

impl From {
    pub fn folders(self, document: &str) -> impl Iterator<Item = &str> {
        let root = (self != Self::Document).then_some("");
        let own = (self != Self::Root).then_some(super::tree::folder(document));
        root.into_iter().chain(own)
    }
}
