//! Names quoted for a shell, in commands that are suggested, and encoded for a URL.

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

/// A path as it stands in a URL, where letters, digits and `plain` stay.
pub fn percent(path: &str, plain: &[u8]) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || plain.contains(&byte);
    let bytes = path.bytes().map(|byte| match byte {
        byte if is_plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    bytes.collect()
}
