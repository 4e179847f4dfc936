//! Names in commands that are suggested, quoted for a shell.

/// A word as a shell takes it, on one line.
pub fn word(text: &str) -> String {
    if !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-./+:@%=,".contains(c)) {
        return text.to_owned();
    }
    let text = text.replace('\'', "'\\''").replace(['\n', '\r'], "\\n");
    format!("'{text}'")
}

/// A path as a shell takes it and git takes it for a path.
pub fn path(text: &str) -> String {
    if text.starts_with(['-', ':']) { word(&format!("./{text}")) } else { word(text) }
}
