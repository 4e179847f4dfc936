//! Puts entries into the text of a settings file (JSON, with comments or without) and takes them out to the byte.
//!
//! Putting in only ever inserts: an entry behind the last one of its container, a comma behind that one, and where a
//! container is missing, the container. So taking out what was inserted gives the text as it was. A container that was
//! there and is empty gets its first entry on the line of its bracket; one that was made has it on a line of its own,
//! and goes with its last entry.

mod layout;

use jsonc_parser::ast::Value as Node;
use serde_json::Value;

use layout::{Layout, Leaf, nested, pretty};

/// An entry of an array in a settings file.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The keys that lead to the array.
    pub path: Vec<&'static str>,
    pub value: Value,
}

/// Why a file can't take an entry, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    pub line: usize,
    pub column: usize,
    pub why: String,
}

/// What the commands have in common that we plant, in any version.
const MARKS: [&str; 2] = ["git sq hook ", "git-sq hook "];

/// The text with all entries, as this version writes them.
pub fn merge(text: &str, entries: &[Entry]) -> Result<String, Misfit> {
    let mut text = text.to_owned();
    for entry in entries {
        let layout = Layout::parse(&text)?;
        let found = layout.find(entry)?;
        let is_current = |leaf: &Leaf| layout.value(leaf.at) == *entry.leaf();
        text = match found.as_slice() {
            [] => layout.insert(entry)?,
            leaves if leaves.iter().any(is_current) => continue,
            [leaf, ..] => layout.replace(leaf, entry.leaf()),
        };
    }
    Ok(text)
}

/// The text without these entries, whichever version wrote them; None where nothing else is in it.
pub fn unmerge(text: &str, entries: &[Entry]) -> Result<Option<String>, Misfit> {
    let mut text = text.to_owned();
    // Nothing of ours: whatever else it is, it is none of our business.
    if !text.contains("git sq") && !text.contains("git-sq") {
        return Ok(Some(text));
    }
    for entry in entries.iter().rev() {
        loop {
            let layout = Layout::parse(&text)?;
            let found = layout.find(entry)?;
            let Some(leaf) = found.last() else { break };
            match layout.without(leaf) {
                Some(rest) => text = rest,
                None => return Ok(None),
            }
        }
    }
    Ok(Some(text))
}

/// A file with nothing but these entries.
pub fn created(entries: &[Entry]) -> Result<String, Misfit> {
    let Some((first, rest)) = entries.split_first() else {
        return Ok(String::new());
    };
    let whole = nested(&first.path, &first.value);
    merge(&(pretty(&whole, "  ", "", "\n") + "\n"), rest)
}

impl Entry {
    /// The part of the value that is ours alone: people may add to what is around it.
    fn leaf(&self) -> &Value {
        match &self.value["hooks"][0] {
            Value::Null => &self.value,
            handler => handler,
        }
    }

    fn owns(&self, node: &Node) -> bool {
        match (node, self.leaf()) {
            (Node::StringLit(text), Value::String(own)) => text.value == own.as_str(),
            (Node::Object(handler), Value::Object(_)) => ["command", "bash"].iter().any(|key| {
                let command = handler.get_string(key);
                command.is_some_and(|it| MARKS.iter().any(|mark| it.value.contains(mark)))
            }),
            _ => false,
        }
    }
}
