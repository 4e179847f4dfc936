use unicode_segmentation::UnicodeSegmentation as _;

/// Bytes that count as one character at least: a family of four in emoji takes 25; accents pile up.
const BYTES: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misfit {
    Empty,
    SeveralLines,
    TooLong(usize),
}

pub fn length(text: &str) -> usize {
    let characters = text.graphemes(true).count();
    characters.max(text.len().div_ceil(BYTES))
}

/// Accepts a text of one line within a limit, and not empty.
pub fn fits(text: &str, limit: usize) -> Result<(), Misfit> {
    if text.trim().is_empty() {
        return Err(Misfit::Empty);
    }
    if text.contains(['\n', '\r', '\0', '\u{85}', '\u{2028}', '\u{2029}']) {
        return Err(Misfit::SeveralLines);
    }
    match length(text) {
        length if length > limit => Err(Misfit::TooLong(length)),
        _ => Ok(()),
    }
}

/// Trims a given text; the reason why it does not fit is added to `reasons`.
pub fn fitting(what: &str, text: &str, max: usize, reasons: &mut Vec<String>) -> String {
    let text = text.trim();
    let reason = match fits(text, max) {
        Ok(()) => return text.to_owned(),
        Err(Misfit::Empty) => format!("the {what} is empty"),
        Err(Misfit::SeveralLines) => format!("the {what} has more than one line"),
        Err(Misfit::TooLong(length)) => {
            format!("the {what} has {length} characters (limit {max})")
        }
    };
    reasons.push(reason);
    String::new()
}

/// The text on one line: runs of blanks and controls become one space, and none stay at the ends.
pub fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

pub fn clip(text: &str, most: usize) -> String {
    clip_with(text, most, "…")
}

/// The `ellipsis` counts towards `most`.
pub fn clip_with(text: &str, most: usize, ellipsis: &str) -> String {
    if length(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(length(ellipsis));
    let mut end = 0;
    for cluster in text.graphemes(true).take(room) {
        if end + cluster.len() > room * BYTES {
            break;
        }
        end += cluster.len();
    }
    text[..end].to_owned() + ellipsis
}
