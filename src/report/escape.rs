//! Text from the log or the repository made harmless: for a terminal, and as data for a model.

use std::fmt::Write as _;

/// The text with every character that could steer a terminal, or hide what follows, written out.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unsafe(c) {
            // Writing to a string cannot fail.
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Whether a character could steer a terminal, or hide what follows.
pub(super) fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2069}'
                | '\u{feff}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Lines of foreign text as a block of data that a model can't take for instructions: fenced with more backticks
/// than the text has in a row.
pub fn fence(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    let longest = lines
        .iter()
        .flat_map(|line| line.split(|c| c != '`').map(str::len))
        .max()
        .unwrap_or(0);
    let ticks = "`".repeat(longest.max(2) + 1);
    let mut block = format!("{ticks}text\n");
    for line in &lines {
        block.push_str(line);
        block.push('\n');
    }
    block + &ticks + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(
            escape("a\u{1b}[2Jé\n\u{202e}b"),
            "a\\u001b[2Jé\\u000a\\u202eb"
        );
    }

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        let block = fence(&["x ```` y".to_owned()]);
        assert_eq!(block, "`````text\nx ```` y\n`````\n");
    }
}
