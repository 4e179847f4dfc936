//! A marked paragraph in a text that people write: put behind it, and taken out to the byte.

const BEGIN: &str = "<!-- git sq: begin; `git sq agent remove` takes this out -->";
const END: &str = "<!-- git sq: end -->";

/// The text with the paragraph, as this version writes it.
pub fn put(text: Option<&str>, paragraph: &str) -> String {
    let Some(text) = text else {
        return format!("{}\n", block(paragraph, "\n"));
    };
    let found = find(text);
    // One that is there keeps its own line ends: behind a lone CR, our LF makes another of the text.
    let written = found.map_or(text, |(start, end)| &text[start..end]);
    let eol = if written.contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let block = block(paragraph, eol);
    match found {
        Some((start, end)) => format!("{}{block}{}", &text[..start], &text[end..]),
        None if text.is_empty() || text.ends_with('\n') => format!("{text}{eol}{block}{eol}"),
        None => format!("{text}{eol}{eol}{block}"),
    }
}

/// The text without the paragraph, whichever version wrote it; None where nothing else is in it.
pub fn take(text: &str) -> Option<String> {
    let Some((start, end)) = find(text) else {
        return Some(text.to_owned());
    };
    // As this program wrote them, whatever the rest of the text has.
    let eol = if text[start..end].contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    };
    let cut = |text: &'_ str| text.strip_suffix(eol).unwrap_or(text).to_owned();
    match (&text[..start], &text[end..]) {
        ("", "\n") => None,
        // There was no line feed at the end.
        (before, "") => Some(cut(&cut(before))),
        (before, after) => Some(cut(before) + after.strip_prefix(eol).unwrap_or(after)),
    }
}

fn block(paragraph: &str, eol: &str) -> String {
    let lines = [BEGIN].into_iter().chain(paragraph.lines()).chain([END]);
    lines.collect::<Vec<_>>().join(eol)
}

/// Where the paragraph is, with its marks.
fn find(text: &str) -> Option<(usize, usize)> {
    // From the last beginning before an end: one that lost its end is not ours to pair with the next.
    let end = text.find(END)?;
    let start = text[..end].rfind("<!-- git sq: begin")?;
    Some((start, end + END.len()))
}
