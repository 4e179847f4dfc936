use serde::Serialize;

use super::{Output, Style, asides, count, escape};
use crate::{
    quote,
    suggest::{State, Suggestion, Suggestions},
};

/// The suggestions that were asked for.
#[derive(Debug, Serialize)]
pub struct Suggested {
    #[serde(flatten)]
    pub found: Suggestions,
    /// The number of those that `--all` would show, too.
    pub hidden: usize,
    /// True if they were named by number: then their questions are shown.
    #[serde(skip)]
    pub is_named: bool,
}

/// The column of what a place says.
const COLUMN: usize = 40;

impl Output for Suggested {
    const SCHEMA: &'static str = "sq.question.suggest/v1";

    fn text(&self, style: Style) -> String {
        let shown = &self.found.suggestions;
        let mut text = String::new();
        if !self.is_named {
            let is_wrong = |one: &&Suggestion| one.state.is_wrong();
            let (all, wrong) = (shown.len(), shown.iter().filter(is_wrong).count());
            text = match all {
                0 => "No suggestions.\n".into(),
                _ => format!("{}, {wrong} wrong today\n\n", count(all, "suggestion")),
            };
        }
        for one in shown {
            text += &suggestion(one, style);
            if self.is_named {
                text += &serde_json::to_string_pretty(&one.question).unwrap_or_default();
                let probe = serde_json::to_string(&one.question.probe).unwrap_or_default();
                let probe = escape(&quote::word(&probe));
                text += &format!("\n\nIts history: git sq trace --probe {probe}\n");
            }
        }
        if let Some(one) = shown
            .iter()
            .find(|one| !self.is_named && one.asked.is_none())
        {
            text += "\nNothing was written.\n";
            for (option, what) in [
                ("", "      the question"),
                ("--add ", "add it to the store"),
            ] {
                text += &format!(
                    "  git sq question suggest {option}{:<4}  {what}\n",
                    one.number
                );
            }
        }
        if self.hidden > 0 {
            text += &format!(
                "  git sq question suggest --all      {} more, less certain\n",
                self.hidden
            );
        }
        text + &asides(&[], &self.found.unknown, style)
    }
}

fn suggestion(one: &Suggestion, style: Style) -> String {
    let days = |days| count(usize::try_from(days).unwrap_or(0), "day");
    let (state, since) = match &one.state {
        State::Contradicted { was, since } => {
            let state = style.error(&format!("contradicted for {}", days(since.days)));
            (state, Some((since, format!("; before, both said {was}"))))
        }
        State::Gone { since } => (
            style.error(&format!("gone for {}", days(since.days))),
            Some((since, String::new())),
        ),
        State::Never => (style.warning("never there"), None),
        State::Holds { broke: 0 } => (style.good("holds"), None),
        State::Holds { broke } => (
            style.good(&format!("holds, broke {}", count(*broke, "time"))),
            None,
        ),
    };
    let asked = one
        .asked
        .as_ref()
        .map(|id| format!(" (asked as {})", escape(id)));
    let (about, asked) = (style.bold(&escape(&one.about)), asked.unwrap_or_default());
    let mut text = format!("{:>2}  {state}: {about}{asked}\n", one.number);
    for place in &one.places {
        let lines: Vec<String> = place.lines.iter().map(usize::to_string).collect();
        let at = escape(&format!("{}:{}", place.file, lines.join(",")));
        let gap = COLUMN.saturating_sub(6 + at.chars().count()).max(2);
        let says = style.fit(&escape(&place.says), 6 + at.chars().count() + gap);
        text += &format!("      {}{:gap$}{says}\n", style.place(&at), "");
    }
    if let Some((since, was)) = since {
        let verb = if since.is_merge {
            "merged a change of"
        } else {
            "changed"
        };
        let (commit, path, author) = (
            &since.commit[..10],
            escape(&since.path),
            escape(&since.author),
        );
        text += &format!(
            "      {} {verb} {path} ({author}){was}\n",
            style.commit(commit)
        );
    }
    text
}
