//! Names in commands that are suggested: quoted for a shell, harmless to a terminal.

use crate::report::escape;

/// A word as a shell takes it.
pub fn word(text: &str) -> String {
    let is_bare = |c: char| c.is_alphanumeric() || "_-./+:@%=,".contains(c);
    let text = escape(text);
    if !text.is_empty() && text.chars().all(is_bare) {
        return text;
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A path as a shell takes it and git takes it for a path.
pub fn path(text: &str) -> String {
    if text.starts_with(['-', ':']) {
        word(&format!("./{text}"))
    } else {
        word(text)
    }
}
