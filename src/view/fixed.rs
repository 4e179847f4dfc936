//! The output of `git sq facts --fix`.

use super::{FactsDocument, Style, escape, escape::escape_diff, facts::INDENT};
use crate::facts::{Found, State};

/// Shows what was written, and what is left to a person.
pub fn fixed_text(document: &FactsDocument, diff: &str, style: Style) -> String {
    let mut text = String::new();
    for line in diff.lines() {
        let line = escape_diff(line);
        text += &match line.as_bytes().first() {
            Some(b'+') => style.good(&line),
            Some(b'-') => style.error(&line),
            _ => line,
        };
        text.push('\n');
    }
    let wrong: Vec<&Found> = document.wrong().collect();
    for found in &wrong {
        let Some(fix) = &found.fix else { continue };
        let removed = match &found.state {
            State::Missing { since: Some(since) }
                if since.is_committed() && document.base.is_none() =>
            {
                let did = if since.is_move { "moved" } else { "removed" };
                format!("; {} {did} it", crate::timeline::short(since.commit))
            }
            _ => String::new(),
        };
        for why in &fix.by_hand {
            let line = format!("{}  not changed: {why}{removed}", found.id);
            text += &format!("{}\n", style.wrap(&escape(&line), 0, INDENT));
        }
        for url in fix.edits.iter().filter_map(|edit| edit.url.as_ref()) {
            text += &format!("{}  not tried: {}\n", found.id, escape(url));
        }
    }
    text + match (wrong.is_empty(), diff.is_empty()) {
        (true, _) if document.number_wrong() > 0 => {
            "Nothing was changed: no fix is known. `git sq trace ID` shows what changed.\n"
        }
        (true, _) if document.is_index => "Nothing that is staged is wrong.\n",
        (true, _) => "Nothing is wrong here.\n",
        (false, true) => "Nothing was changed.\n",
        (false, false) => "Nothing was staged.\n",
    }
}
