use serde::Serialize;

use super::{Output, Style, asides, count, escape, joined};
use crate::{
    facts::{Found, Since, State},
    quote,
};

/// The facts that were asked for.
#[derive(Debug, Serialize)]
pub struct FactsDocument {
    pub facts: Vec<Found>,
    pub unknown: Vec<String>,
    /// The number of those that `--all` would show, too.
    pub hidden: usize,
    /// True if they were named by id: then their questions are shown.
    #[serde(skip)]
    pub is_named: bool,
}

impl Output for FactsDocument {
    const SCHEMA: &'static str = "sq.facts/v1";

    fn text(&self, style: Style) -> String {
        let shown = &self.facts;
        let wrong = shown.iter().filter(|found| found.state.is_wrong()).count();
        let mut text = match shown.len() {
            0 => "No facts.\n".into(),
            _ if self.is_named => String::new(),
            all => format!("{}, {wrong} wrong today\n\n", count(all, "fact")),
        };
        for found in shown {
            text += &fact_text(found, style);
            if self.is_named {
                let question = serde_json::to_string_pretty(&found.question).unwrap_or_default();
                let probe = escape(&quote::word(&found.question["probe"].to_string()));
                text += &format!("{question}\n\nIts history: git sq trace --probe {probe}\n");
            }
        }
        if !self.is_named && !shown.is_empty() {
            text += "\nNothing was written.\n  git sq facts N        the question\n";
            text += "  git sq facts --add N  add it to the store\n";
        }
        if self.hidden > 0 {
            text += &format!("  git sq facts --all    {} more, less certain\n", self.hidden);
        }
        text + &asides(&[], &self.unknown, style)
    }
}

fn fact_text(found: &Found, style: Style) -> String {
    let count = |number, noun| count(usize::try_from(number).unwrap_or(0), noun);
    let wrong = |what: &str, since: &Since| {
        style.error(&format!("{what} for {}", count(since.days, "day")))
    };
    let (state, since) = match &found.state {
        State::Differs { since, .. } => (wrong("differs", since), Some(since)),
        State::Missing { since } => (wrong("missing", since), Some(since)),
        State::Never => (style.warning("never there"), None),
        State::Holds { broke: 0 } => (style.good("holds"), None),
        State::Holds { broke } => {
            let state = format!("holds, broke {}", count(*broke, "time"));
            (style.good(&state), None)
        }
    };
    let asked = found.asked.iter().map(|id| format!(" (asked as {})", escape(id)));
    let about = style.name(&escape(&found.about)) + &asked.collect::<String>();
    let mut text = format!("{}  {state}: {about}\n", found.id);
    for place in &found.places {
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
        if let State::Differs { was, .. } = &found.state {
            text += &format!("; before, both said {was}");
        }
        text.push('\n');
    }
    text
}
