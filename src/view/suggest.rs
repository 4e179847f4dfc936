use serde::Serialize;

use super::{Output, Style, asides, count, escape, joined};
use crate::{
    facts::{Since, State, Suggestion},
    quote,
};

/// The suggestions that were asked for.
#[derive(Debug, Serialize)]
pub struct Suggested {
    pub suggestions: Vec<Suggestion>,
    pub unknown: Vec<String>,
    /// The number of those that `--all` would show, too.
    pub hidden: usize,
    /// True if they were named by number: then their questions are shown.
    #[serde(skip)]
    pub is_named: bool,
}

impl Output for Suggested {
    const SCHEMA: &'static str = "sq.question.suggest/v1";

    fn text(&self, style: Style) -> String {
        let shown = &self.suggestions;
        let wrong = shown.iter().filter(|suggestion| suggestion.state.is_wrong()).count();
        let mut text = match shown.len() {
            0 => "No suggestions.\n".into(),
            _ if self.is_named => String::new(),
            all => format!("{}, {wrong} wrong today\n\n", count(all, "suggestion")),
        };
        for suggestion in shown {
            text += &suggestion_text(suggestion, style);
            if self.is_named {
                let question =
                    serde_json::to_string_pretty(&suggestion.question).unwrap_or_default();
                let probe = escape(&quote::word(&suggestion.question["probe"].to_string()));
                text += &format!("{question}\n\nIts history: git sq trace --probe {probe}\n");
            }
        }
        if !self.is_named && !shown.is_empty() {
            text += "\nNothing was written.\n  git sq question suggest N        the question\n";
            text += "  git sq question suggest --add N  add it to the store\n";
        }
        if self.hidden > 0 {
            text +=
                &format!("  git sq question suggest --all    {} more, less certain\n", self.hidden);
        }
        text + &asides(&[], &self.unknown, style)
    }
}

fn suggestion_text(suggestion: &Suggestion, style: Style) -> String {
    let count = |number, noun| count(usize::try_from(number).unwrap_or(0), noun);
    let wrong = |what: &str, since: &Since| {
        style.error(&format!("{what} for {}", count(since.days, "day")))
    };
    let (state, since) = match &suggestion.state {
        State::Contradicted { since, .. } => (wrong("contradicted", since), Some(since)),
        State::Gone { since } => (wrong("gone", since), Some(since)),
        State::Never => (style.warning("never there"), None),
        State::Holds { broke: 0 } => (style.good("holds"), None),
        State::Holds { broke } => {
            let state = format!("holds, broke {}", count(*broke, "time"));
            (style.good(&state), None)
        }
    };
    let asked = suggestion.asked.iter().map(|id| format!(" (asked as {})", escape(id)));
    let about = style.name(&escape(&suggestion.about)) + &asked.collect::<String>();
    let mut text = format!("{:>2}  {state}: {about}\n", suggestion.number);
    for place in &suggestion.places {
        let lines = joined(place.lines.iter().map(usize::to_string), ",");
        let at = escape(&format!("{}:{lines}", place.file));
        let at = format!("{at:32}");
        let says = style.fit(&escape(&place.says), 8 + at.chars().count());
        text += &format!("      {}  {says}\n", style.place(&at));
    }
    if let Some(since) = since {
        let merged = if since.is_merge { "merged a change of" } else { "changed" };
        let commit = style.commit(&since.commit[..10]);
        let (path, author) = (escape(&since.path), escape(&since.author));
        text += &format!("      {commit} {merged} {path} ({author})");
        if let State::Contradicted { was, .. } = &suggestion.state {
            text += &format!("; before, both said {was}");
        }
        text.push('\n');
    }
    text
}
