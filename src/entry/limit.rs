use unicode_segmentation::UnicodeSegmentation as _;

/// Bytes that count as one character at least: a family of four in emoji takes 25; accents pile up.
const BYTES: usize = 32;

pub fn length(text: &str) -> usize {
    text.graphemes(true).count().max(text.len().div_ceil(BYTES))
}

/// Trims a given text; why it does not fit on one line of at most `max` characters is added to `reasons`.
pub fn fitting(what: &str, text: &str, max: usize, reasons: &mut Vec<String>) -> String {
    let (text, length) = (text.trim(), length(text.trim()));
    reasons.push(if text.is_empty() {
        format!("the {what} is empty")
    } else if text.contains(['\n', '\r', '\0', '\u{85}', '\u{2028}', '\u{2029}']) {
        format!("the {what} has more than one line")
    } else if length > max {
        format!("the {what} has {length} characters (limit {max})")
    } else {
        return text.to_owned();
    });
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
