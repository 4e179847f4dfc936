use jiff::Timestamp;
use serde::Serialize;

use super::{Output, Style, asides, count, escape};
use crate::{
    entry::Ts,
    evidence::{Found, Trace, part_text, traced_text},
    git::Oid,
    question::{Probe, Question},
    timeline::short,
};

#[derive(Debug, Serialize)]
pub struct Traced {
    /// Null if the probe was given on the command line.
    pub q_id: Option<String>,
    pub q_version: Option<u32>,
    /// For `agree` and `subset`, the place of each part.
    pub places: Vec<String>,
    #[serde(flatten)]
    trace: Trace,
    pub warnings: Vec<String>,
    pub unknown: Vec<String>,
    #[serde(skip)]
    keep: Vec<String>,
}

impl Traced {
    pub fn new(question: Option<&Question>, probe: &Probe, trace: Trace) -> Self {
        Self {
            q_id: question.map(|question| question.id.clone()),
            q_version: question.map(|question| question.version),
            places: probe.places(),
            warnings: Vec::new(),
            unknown: unknown(&trace).into_iter().collect(),
            trace,
            keep: Vec::new(),
        }
    }

    pub fn is_gone(&self) -> bool {
        let last = self.trace.changes.last();
        last.is_some_and(|last| last.now.value().is_none())
    }

    /// Adds how to keep a probe of no question, which these options give.
    pub fn keep(&mut self, options: &str, has_store: bool) {
        if !has_store {
            self.keep.push("git sq init --empty".into());
        }
        let options = escape(options);
        self.keep.push(format!("git sq question add NAME 'QUESTION?' {options}"));
    }
}

fn unknown(trace: &Trace) -> Option<String> {
    let (commit, error, number) = trace.unknown.as_ref()?;
    let others = match number {
        1 => String::new(),
        more => format!(" and {}", count(more - 1, "other commit")),
    };
    Some(format!("the answer at {}{others}: {error}", short(*commit)))
}

impl Output for Traced {
    const SCHEMA: &'static str = "sq.trace/v1";

    fn text(&self, style: Style) -> String {
        let mut text = String::new();
        let places: Vec<String> = self.places.iter().map(|place| escape(place)).collect();
        let width = places.iter().map(|place| place.chars().count()).max().unwrap_or(0);
        for (place, part) in places.iter().zip(&self.trace.parts) {
            let value = match &part.now {
                Found::Gone(_) => "missing".into(),
                value @ Found::Value(_) => part_text(value),
            };
            let author = escape(&part.author);
            let others = width + " since 0123456789 2026-01-01 ".len() + 1 + author.chars().count();
            let (place, value) =
                (style.place(&format!("{place:width$}")), style.fit(&escape(&value), others));
            let since = since(part.commit, part.committed, style);
            text += &format!("{place} {} since {since} {author}\n", style.name(&value));
        }
        if !self.trace.parts.is_empty() {
            text.push('\n');
        }
        for change in self.trace.changes.iter().rev() {
            let merge = if change.is_merge { " (merge)" } else { "" };
            // Whoever began did not remove what is not there yet.
            let is_absent = change.before.is_none() && change.now.value().is_none();
            let author = if is_absent {
                String::new()
            } else {
                format!(" {}{merge}", escape(&change.author))
            };
            let column = 10 + 1 + 10 + author.chars().count() + 2;
            let moved: Vec<&str> = change.moved.iter().map(|&part| &*self.places[part]).collect();
            let moved = match moved.as_slice() {
                [] => String::new(),
                moved => format!(" ({} changed)", moved.join(", ")),
            };
            let says = traced_text(change.before.as_ref(), &change.now, &change.parts) + &moved;
            let says = style.wrap(&escape(&says), column, 4);
            let since = since(change.commit, change.committed, style);
            text += &format!("{since}{author}: {says}\n");
        }
        if !self.keep.is_empty() {
            let keep = self.keep.join("\n  ");
            text += &format!("\nTo keep track of it:\n  {keep}\n");
        }
        text + &asides(&self.warnings, &self.unknown, style)
    }
}

/// The commit and its day.
fn since(commit: Oid, committed: Timestamp, style: Style) -> String {
    let day = Ts::from(committed);
    format!("{} {}", style.commit(&short(commit)), &day.as_str()[..10])
}
