//! Text from the log or the repository made harmless: for a terminal, for a CI system, and as data for a model.

use crate::entry::is_unseen;

/// The text with every character that could steer a terminal, or hide the rest, written as an escape.
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

/// Commands that a CI system obeys anywhere in a line of output.
const ANYWHERE: [&str; 3] = ["##[", "##vso[", "##teamcity["];

/// Commands that it obeys at the start of a line, blanks aside: GitHub's, and GitLab's sections; each with what is
/// printed instead.
const AT_START: [(&str, &str); 3] =
    [("::", ": :"), ("section_start:", "section_start :"), ("section_end:", "section_end :")];

/// A whole output in which the commands of CI systems are defused, since names and texts in it may hold them. Values in
/// JSON and XML stay what they are.
pub fn without_commands(text: &str) -> String {
    let hash = match text.trim_start().chars().next() {
        Some('{' | '[') => "\\u0023",
        Some('<') => "&#35;",
        _ => "# ",
    };
    text.split_inclusive(['\n', '\r'])
        .map(|line| {
            let line = ANYWHERE.iter().fold(line.to_owned(), |line, command| {
                line.replace(command, &format!("{hash}{}", &command[1..]))
            });
            let (margin, rest) = line.split_at(margin(&line));
            let found = AT_START
                .iter()
                .find_map(|(command, instead)| Some((rest.strip_prefix(command)?, instead)));
            found.map_or_else(|| line.clone(), |(rest, instead)| format!("{margin}{instead}{rest}"))
        })
        .collect()
}

/// The length of the blanks and colours at the start of a line.
fn margin(line: &str) -> usize {
    let mut rest = line;
    loop {
        let blank = rest.trim_start();
        let colour = blank.strip_prefix("\u{1b}[").and_then(|code| Some(code.split_once('m')?.1));
        match colour {
            Some(after) => rest = after,
            None => return line.len() - blank.len(),
        }
    }
}

/// Several lines, made harmless one by one.
pub fn escape_lines(text: &str, between: &str) -> String {
    text.lines().map(escape).collect::<Vec<_>>().join(between)
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

/// A line of a diff, with its tabs and the carriage return at its end, without which it would not apply.
pub fn escape_diff(line: &str) -> String {
    let (text, end) = line.strip_suffix('\r').map_or((line, ""), |text| (text, "\r"));
    text.split('\t').map(escape).collect::<Vec<_>>().join("\t") + end
}

/// Lines of foreign text as a block of data: fenced with more backticks than the text has in a row.
pub fn fence(lines: impl IntoIterator<Item: AsRef<str>>) -> String {
    fenced("text", lines.into_iter().map(|line| escape(line.as_ref())))
}

/// The same of a diff.
pub fn fence_diff(diff: &str) -> String {
    fenced("diff", diff.split_terminator('\n').map(escape_diff))
}

fn fenced(language: &str, lines: impl Iterator<Item = String>) -> String {
    let text: String = lines.map(|line| line + "\n").collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest.max(2) + 1);
    format!("{ticks}{language}\n{text}{ticks}\n")
}
