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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_goes_in_and_comes_out_to_the_byte() {
        for text in [
            "",
            "\n",
            "# Rules",
            "# Rules\n",
            "# Rules\n\n\n",
            "# Rules\r\n\r\nNo tabs.\r\n",
            "one\r\ntwo",
            "one\rtwo\r",
        ] {
            let with = put(Some(text), "Ask.\nAnswer.");
            assert_eq!(take(&with).as_deref(), Some(text), "{with:?}");
            assert_eq!(put(Some(&with), "Ask.\nAnswer."), with);
            let other = put(Some(&with), "Ask again.");
            assert_eq!(take(&other).as_deref(), Some(text), "{other:?}");
        }
        let made = put(None, "Ask.");
        assert_eq!(made, format!("{BEGIN}\nAsk.\n{END}\n"));
        assert_eq!(take(&made), None);
    }

    #[test]
    fn what_people_wrote_around_it_stays() {
        let lost = put(Some("# Rules\n"), "Ask.").replace(END, "") + "Never push to main.\n";
        assert_eq!(take(&put(Some(&lost), "Ask.")), Some(lost));
        let with = put(Some("# Rules\n"), "Ask.") + "\nMore.\n";
        assert_eq!(take(&with).as_deref(), Some("# Rules\n\nMore.\n"));
        assert_eq!(take("no mark"), Some("no mark".to_owned()));
    }
}
