use serde::Serialize;

use super::{Output, Style, asides, count, escape};
use crate::suggest::{Shown, State, Suggestion, Suggestions};

/// The suggestions that were asked for, and the number of the others.
#[derive(Debug, Serialize)]
pub struct Suggested {
    #[serde(flatten)]
    pub found: Suggestions,
    pub hidden: usize,
    /// True if single suggestions were named: then their questions are shown.
    #[serde(skip)]
    pub is_named: bool,
}

/// Columns before what a place says.
const COLUMN: usize = 32;

impl Output for Suggested {
    const SCHEMA: &'static str = "sq.question.suggest/v1";

    fn text(&self, style: Style) -> String {
        let Self {
            found,
            hidden,
            is_named,
        } = self;
        let shown = &found.suggestions;
        let mut text = String::new();
        if !is_named {
            text += &head(shown);
        }
        for one in shown {
            text += &suggestion(one, style);
            if *is_named {
                text += &serde_json::to_string_pretty(&one.question).unwrap_or_default();
                text += "\n";
            }
        }
        if !is_named && !shown.is_empty() {
            let first = shown
                .iter()
                .find(|one| one.asked.is_none())
                .map_or(1, |one| one.number);
            text += "\nNothing was written.\n";
            text += &format!("  git sq question suggest --add {first:<6} adds it to the store\n");
            text += &format!(
                "  git sq question suggest {first:<12} shows the question with its probe\n"
            );
        }
        if *hidden > 0 {
            text += &format!(
                "  git sq question suggest --all        shows {hidden} more, less certain\n"
            );
        }
        text + &asides(&[], &found.unknown, style)
    }
}

fn head(shown: &[Suggestion]) -> String {
    let of = |state: State| shown.iter().filter(|one| one.state == state).count();
    match (shown.len(), of(State::Contradicted) + of(State::Gone)) {
        (0, _) => "No suggestions: no fact was found that stands in two places.\n".into(),
        (all, 0) => format!(
            "{} for this repository; all hold today\n\n",
            count(all, "question")
        ),
        (all, wrong) => format!(
            "{} for this repository; {wrong} {} wrong today\n\n",
            count(all, "question"),
            if wrong == 1 { "is" } else { "are" }
        ),
    }
}

fn suggestion(one: &Suggestion, style: Style) -> String {
    let age = one
        .since
        .as_ref()
        .map(|since| count(usize::try_from(since.days).unwrap_or(0), "day"));
    let age = age.unwrap_or_default();
    let state = match one.state {
        State::Contradicted => style.error(&format!("contradicted for {age}")),
        State::Gone => style.error(&format!("gone for {age}")),
        State::Never => style.warning("never there"),
        State::Holds { broke: 0 } => style.good("holds"),
        State::Holds { broke } => style.good(&format!("holds, broke {}", count(broke, "time"))),
    };
    let asked = one
        .asked
        .as_ref()
        .map(|id| format!(" (asked as {})", escape(id)));
    let mut text = format!(
        "{:>2}  {state}: {}{}\n",
        one.number,
        style.bold(&escape(&one.about)),
        asked.unwrap_or_default()
    );
    for place in &one.places {
        text += &place_line(place, style);
    }
    if let Some(since) = &one.since {
        let was = since
            .was
            .as_ref()
            .map(|was| format!("; both said {was} before"));
        text += &format!(
            "      {} changed {} ({}){}\n",
            style.commit(&since.commit[..10]),
            escape(&since.path),
            escape(&since.author),
            was.unwrap_or_default()
        );
    }
    text
}

fn place_line(place: &Shown, style: Style) -> String {
    let lines: Vec<String> = place.lines.iter().map(usize::to_string).collect();
    let at = escape(&format!("{}:{}", place.file, lines.join(",")));
    let gap = COLUMN.saturating_sub(at.chars().count()).max(2);
    let says = style.fit(&escape(&place.says), 6 + at.chars().count() + gap);
    format!("      {}{:gap$}{says}\n", style.place(&at), "")
}
