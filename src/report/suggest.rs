use serde::Serialize;

use super::{Output, Style, asides, count, escape};
use crate::suggest::{State, Suggestion, Suggestions};

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
        for one in shown {
            text += &suggestion(one, style);
            if self.is_named {
                text += &serde_json::to_string_pretty(&one.question).unwrap_or_default();
                text += "\n";
            }
        }
        if !self.is_named {
            let open = shown.iter().find(|one| one.asked.is_none());
            text = head(shown) + &text;
            if let Some(Suggestion { number, .. }) = open {
                text += &format!(
                    "\nNothing was written.\n  git sq question suggest {number}        the question with its probe\n  git sq question suggest --add {number}  add it to the store\n"
                );
            }
            if self.hidden > 0 {
                text += &format!(
                    "  git sq question suggest --all    {} more, less certain\n",
                    self.hidden
                );
            }
        }
        text + &asides(&[], &self.found.unknown, style)
    }
}

fn head(shown: &[Suggestion]) -> String {
    let is_wrong = |one: &&Suggestion| !matches!(one.state, State::Holds { .. });
    match (
        count(shown.len(), "question"),
        shown.iter().filter(is_wrong).count(),
    ) {
        _ if shown.is_empty() => "No suggestions: no fact stands in two places.\n".into(),
        (all, 0) => format!("{all} for this repository; today every answer is as it should be\n\n"),
        (all, wrong) => format!(
            "{all} for this repository; {} today\n\n",
            count(wrong, "contradiction")
        ),
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
        let (commit, path, author) = (
            &since.commit[..10],
            escape(&since.path),
            escape(&since.author),
        );
        text += &format!(
            "      {} changed {path} ({author}){was}\n",
            style.commit(commit)
        );
    }
    text
}
