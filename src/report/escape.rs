//! Text from the log or the repository made harmless: for a terminal, and as data for a model.

use std::fmt::Write as _;

/// The text with every character that could steer a terminal, or hide what follows, written out.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (c, is_safe) in judged(text) {
        if is_safe {
            safe.push(c);
        } else {
            // Writing to a string cannot fail.
            let _ = write!(safe, "\\u{:04x}", u32::from(c));
        }
    }
    safe
}

/// Each character, and whether it may be printed as it is.
///
/// The two joiners decide that between two characters: without them a family in emoji is four people, and words of
/// Persian or of Indic scripts are torn apart or misspelt. So they may stand between two characters that are printed
/// and that none of commands, options and ids is made of: outside ASCII. Beside ASCII, a blank, another joiner or
/// nothing they would only hide. In the same way a selector says once, after a character that has two looks, whether
/// it is meant as text or as emoji.
pub(super) fn judged(text: &str) -> impl Iterator<Item = (char, bool)> {
    let mut before = None;
    let mut rest = text.chars();
    std::iter::from_fn(move || {
        let c = rest.next()?;
        let is_safe = if is_joiner(c) {
            let after = rest.clone().next();
            before.is_some_and(can_be_joined) && after.is_some_and(can_be_joined)
        } else if is_selector(c) {
            before.is_some_and(has_two_looks)
        } else {
            !is_unsafe(c)
        };
        before = Some(c);
        Some((c, is_safe))
    })
}

/// Whether a character only says how its neighbours are joined: U+200C keeps them apart, U+200D makes them one.
fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

/// Whether a joiner may stand beside a character.
fn can_be_joined(c: char) -> bool {
    !c.is_ascii() && !c.is_whitespace() && !is_unsafe(c)
}

/// Whether a character only says how the one before it looks: U+FE0E as text, U+FE0F as emoji.
fn is_selector(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Whether a selector may stand after a character: emoji, and what keycaps are made of.
fn has_two_looks(c: char) -> bool {
    let is_keycap = matches!(c, '0'..='9' | '#' | '*');
    is_keycap || (can_be_joined(c) && !is_selector(c))
}

/// Whether a character could steer a terminal, or hide what follows, whatever stands beside it, or is not seen: then
/// a model reads what people don't.
///
/// The unseen ones are those with the property `Default_Ignorable_Code_Point` (Unicode, `DerivedCoreProperties.txt`)
/// and the interlinear annotations; see <https://www.unicode.org/reports/tr44/>.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0d}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
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
    fn joiners_stand_where_they_join_and_nowhere_else() {
        for whole in [
            "👨\u{200d}👩\u{200d}👧\u{200d}👦 and 👩🏽\u{200d}💻",
            "❤\u{fe0f}\u{200d}🔥",
            "☎\u{fe0e} 1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "ශ\u{dca}\u{200d}රී",
        ] {
            assert_eq!(escape(whole), whole);
            // What is printed twice is as what is printed once.
            assert_eq!(escape(&escape(whole)), whole);
        }
        for (text, expected) in [
            ("git\u{200d} push", "git\\u200d push"),
            ("a\u{200c}b", "a\\u200cb"),
            ("é\u{200d}b", "é\\u200db"),
            ("b\u{200d}é", "b\\u200dé"),
            ("\u{200d}é\u{200c}", "\\u200dé\\u200c"),
            ("é\u{200d}\u{200d}é", "é\\u200d\\u200dé"),
            ("é\u{200d}\u{202e}é", "é\\u200d\\u202eé"),
            ("é\u{200d}\u{a0}é", "é\\u200d\u{a0}é"),
            ("é\u{200b}é", "é\\u200bé"),
            ("😀\u{e0130}\u{e01ef}", "😀\\ue0130\\ue01ef"),
            ("❤\u{fe0f}\u{fe0f}\u{fe00}", "❤\u{fe0f}\\ufe0f\\ufe00"),
            ("a\u{fe0f} \u{fe0f}", "a\\ufe0f \\ufe0f"),
            (
                "\u{3164}\u{34f}\u{fff9}\u{180e}",
                "\\u3164\\u034f\\ufff9\\u180e",
            ),
        ] {
            assert_eq!(escape(text), expected);
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        let block = fence(&["x ```` y".to_owned()]);
        assert_eq!(block, "`````text\nx ```` y\n`````\n");
    }
}
