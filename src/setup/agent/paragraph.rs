//! A marked paragraph in a text that people write: appended to it, and removed without a trace.

const BEGIN: &str = "<!-- git sq: begin; `git sq agent remove` takes this out -->";
const END: &str = "<!-- git sq: end -->";

pub fn put(text: Option<&str>, paragraph: &str) -> String {
    let Some(text) = text else {
        return format!("{}\n", block(paragraph, "\n"));
    };
    let found = find(text);
    // An existing paragraph keeps its own line ends: after a lone CR, a LF would change the text.
    let written = found.map_or(text, |(start, end)| &text[start..end]);
    let eol = if written.contains("\r\n") { "\r\n" } else { "\n" };
    let block = block(paragraph, eol);
    match found {
        Some((start, end)) => format!("{}{block}{}", &text[..start], &text[end..]),
        None if text.is_empty() || text.ends_with('\n') => format!("{text}{eol}{block}{eol}"),
        None => format!("{text}{eol}{eol}{block}"),
    }
}

/// The text without the paragraph of any version; `None` if nothing else is in it.
pub fn take(text: &str) -> Option<String> {
    let Some((start, end)) = find(text) else {
        return Some(text.to_owned());
    };
    // The line ends of the paragraph, whatever the rest of the text has.
    let eol = if text[start..end].contains("\r\n") { "\r\n" } else { "\n" };
    let cut = |text: &'_ str| text.strip_suffix(eol).unwrap_or(text).to_owned();
    match (&text[..start], &text[end..]) {
        ("", "\n") => None,
        // The text did not end with a line feed.
        (before, "") => Some(cut(&cut(before))),
        (before, after) => Some(cut(before) + after.strip_prefix(eol).unwrap_or(after)),
    }
}

fn block(paragraph: &str, eol: &str) -> String {
    [BEGIN].into_iter().chain(paragraph.lines()).chain([END]).collect::<Vec<_>>().join(eol)
}

fn find(text: &str) -> Option<(usize, usize)> {
    // From the last beginning before an end: an earlier one has lost its own end.
    let end = text.find(END)?;
    let start = text[..end].rfind("<!-- git sq: begin")?;
    Some((start, end + END.len()))
}
