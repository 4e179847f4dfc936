//! Reads and writes `GIT_CONFIG_PARAMETERS`, in which `git -c` passes settings on; gix does not read it.

/// Parses `GIT_CONFIG_PARAMETERS`: `'key=value'` or `'key'='value'` pairs, quoted as git quotes for a shell.
/// See `git_config_from_parameters` in git's config.c. Returns `None` for text of another form.
pub fn config_parameters(text: &str) -> Option<Vec<String>> {
    let mut pairs = Vec::new();
    let mut rest = text.trim_start_matches(' ');
    while !rest.is_empty() {
        let (mut pair, after) = unquote(rest)?;
        rest = after;
        if let Some(value) = rest.strip_prefix('=') {
            pair.push('=');
            if value.starts_with('\'') {
                let (value, after) = unquote(value)?;
                pair.push_str(&value);
                rest = after;
            } else {
                // `'key'=` alone is a key without a value, which means true.
                pair.push_str("true");
                rest = value;
            }
        }
        pairs.push(pair);
        rest = rest.trim_start_matches(' ');
    }
    Some(pairs)
}

/// Splits off the first word, which is in single quotes; `'\''` and `'\!'` stand for `'` and `!`.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut word = String::new();
    let mut rest = text.strip_prefix('\'')?;
    loop {
        let (part, after) = rest.split_once('\'')?;
        word.push_str(part);
        let next = [("\\''", '\''), ("\\!'", '!')]
            .iter()
            .find_map(|(mark, c)| Some((*c, after.strip_prefix(mark)?)));
        match next {
            Some((c, after)) => {
                word.push(c);
                rest = after;
            }
            None => return Some((word, after)),
        }
    }
}
