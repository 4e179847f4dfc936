//! Text from the log or the repository made harmless: for a terminal, and as data for a model.

use crate::entry::is_unseen;

/// The text with every character that could steer a terminal, or hide what follows, written as an escape.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (c, is_printed) in printed(text) {
        if is_printed {
            safe.push(c);
        } else {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)));
        }
    }
    safe
}

/// Each character, and whether it is printed as it is.
///
/// Joiners and selectors are invisible, but emoji and words of Persian or of Indic scripts need them. They are printed
/// after a character that is printed and not ASCII; a joiner also after a selector, and nothing after a joiner, so that
/// they can't be strung together to hide a message.
pub(super) fn printed(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = '\\';
    text.chars().map(move |c| {
        let is_printed = match modifier(c) {
            0 => !c.is_control() && !is_unseen(c),
            rank => !before.is_ascii() && modifier(before) < rank,
        };
        before = if is_printed { c } else { '\\' };
        (c, is_printed)
    })
}

/// 1 for the selectors, which choose between text and emoji; 2 for the joiners; 0 for all other characters.
fn modifier(c: char) -> u8 {
    match c {
        '\u{fe0e}' | '\u{fe0f}' => 1,
        '\u{200c}' | '\u{200d}' => 2,
        _ => 0,
    }
}

/// Lines of foreign text as a block of data: fenced with more backticks than the text has in a row.
pub fn fence(lines: &[String]) -> String {
    let text: String = lines.iter().map(|line| escape(line) + "\n").collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest.max(2) + 1);
    format!("{ticks}text\n{text}{ticks}\n")
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
    fn what_belongs_together_stays_together() {
        for whole in [
            "👨\u{200d}👩\u{200d}👧\u{200d}👦 and 👩🏽\u{200d}💻",
            "❤\u{fe0f}\u{200d}🔥 ☎\u{fe0e}",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "ශ\u{dca}\u{200d}රී",
        ] {
            assert_eq!(escape(whole), whole);
        }
    }

    #[test]
    fn invisible_characters_are_written_as_escapes() {
        for (text, expected) in [
            ("git\u{200d} push", "git\\u200d push"),
            ("\u{200d}é", "\\u200dé"),
            ("1\u{fe0f} \u{200c}", "1\\ufe0f \\u200c"),
            ("é\u{200d}\u{200c}\u{200d}", "é\u{200d}\\u200c\\u200d"),
            ("❤\u{fe0f}\u{fe0e}\u{fe00}", "❤\u{fe0f}\\ufe0e\\ufe00"),
            ("é\u{202e}\u{200d}", "é\\u202e\\u200d"),
            ("é\u{200b}é", "é\\u200bé"),
            ("😀\u{e0130}\u{e01ef}", "😀\\ue0130\\ue01ef"),
            (
                "\u{3164}\u{34f}\u{fff9}\u{180e}",
                "\\u3164\\u034f\\ufff9\\u180e",
            ),
        ] {
            assert_eq!(escape(text), expected);
            assert_eq!(escape(expected), expected);
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        let block = fence(&["x ```` y".to_owned(), "``".to_owned()]);
        assert_eq!(block, "`````text\nx ```` y\n``\n`````\n");
    }
}
