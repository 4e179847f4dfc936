//! A marked paragraph in a text that people write: appended to it, and removed without a trace.

const BEGIN: &str = "<!-- git sq: begin; `git sq agent remove` takes this out -->";
const END: &str = "<!-- git sq: end -->";

/// The text with this block, in the place of another one.
pub fn put(text: &str, block: &str) -> String {
    let found = find(text);
    // An existing paragraph keeps its own line ends: after a lone CR, a LF would change the text.
    let written = found.map_or(text, |(start, end)| &text[start..end]);
    let eol = if written.contains("\r\n") { "\r\n" } else { "\n" };
    let block = block.replace('\n', eol);
    match found {
        Some((start, end)) => format!("{}{block}{}", &text[..start], &text[end..]),
        None if text.is_empty() || text.ends_with('\n') => format!("{text}{eol}{block}{eol}"),
        None => format!("{text}{eol}{eol}{block}"),
    }
}

/// The text without the block.
pub fn take(text: &str) -> String {
    let Some((start, end)) = find(text) else {
        return text.to_owned();
    };
    // The line ends of the paragraph, whatever the rest of the text has.
    let eol = if text[start..end].contains("\r\n") { "\r\n" } else { "\n" };
    let cut = |text: &'_ str| text.strip_suffix(eol).unwrap_or(text).to_owned();
    match (&text[..start], &text[end..]) {
        // The text did not end with a line feed.
        (before, "") => cut(&cut(before)),
        (before, after) => cut(before) + after.strip_prefix(eol).unwrap_or(after),
    }
}

/// The block of the text, with plain line feeds.
pub fn found(text: &str) -> Option<String> {
    find(text).map(|(start, end)| text[start..end].replace("\r\n", "\n"))
}

pub fn block(paragraph: &str) -> String {
    [BEGIN].into_iter().chain(paragraph.lines()).chain([END]).collect::<Vec<_>>().join("\n")
}

fn find(text: &str) -> Option<(usize, usize)> {
    // From the last beginning before an end: an earlier one has lost its own end, as an end may its beginning.
    text.match_indices(END).find_map(|(end, _)| {
        let start = text[..end].rfind("<!-- git sq: begin")?;
        Some((start, end + END.len()))
    })
}
