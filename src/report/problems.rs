//! Errors in a question store, with labels in its text.

use std::fmt;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};

use super::{Style, escape, escape::printed};
use crate::question::StoreError;

/// How wide the report may be, in columns.
const WIDTH: usize = 100;

/// The longest line that is shown, in bytes; the renderer can't point into lines of 65,536 and more.
const MAX_LINE: usize = 2000;

/// The report for people.
pub fn problems_text(error: &StoreError, style: Style) -> String {
    if error.text.lines().any(|line| line.len() > MAX_LINE) {
        return places_text(error, style);
    }
    let theme = if style.colour {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let pointed = Pointed::new(error);
    let mut out = String::new();
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(WIDTH)
        .with_links(false);
    if handler.render_report(&mut out, &pointed).is_err() {
        return format!("fatal: {}\n", pointed.message);
    }
    out
}

/// The report without the text: each problem with its line and column, counted from 1.
fn places_text(error: &StoreError, style: Style) -> String {
    let mut out = format!("{} {}\n", style.error("fatal:"), escape(&error.to_string()));
    for problem in &error.problems {
        let before = &error.text.as_bytes()[..problem.span.start.min(error.text.len())];
        let line = before.split(|&byte| byte == b'\n').count();
        let column = before
            .rsplit(|&byte| byte == b'\n')
            .next()
            .map_or(0, <[u8]>::len)
            + 1;
        let (name, message) = (escape(&error.name), escape(&problem.message));
        out.push_str(&format!("  {name}:{line}:{column}: {message}\n"));
        if let Some(help) = &problem.help {
            out.push_str(&format!("    {}\n", style.dim(help)));
        }
    }
    out
}

/// The error for the renderer, with nothing in it that could steer a terminal.
#[derive(Debug)]
struct Pointed {
    message: String,
    source: NamedSource<String>,
    labels: Vec<LabeledSpan>,
    help: Option<String>,
}

impl Pointed {
    fn new(error: &StoreError) -> Self {
        let labels = error.problems.iter().map(|problem| {
            // What is wrong at the very end is marked behind it.
            let length = problem.span.len().max(1);
            let message = escape(&problem.message);
            LabeledSpan::new(Some(message), problem.span.start, length)
        });
        let mut helps: Vec<&str> = Vec::new();
        for help in error.problems.iter().filter_map(|p| p.help.as_deref()) {
            if !helps.contains(&help) {
                helps.push(help);
            }
        }
        Self {
            message: escape(&error.to_string()),
            source: NamedSource::new(escape(&error.name), same_length(&error.text) + " "),
            labels: labels.collect(),
            help: (!helps.is_empty()).then(|| helps.join("\n")),
        }
    }
}

/// The text with unsafe characters replaced; all byte offsets stay the same.
fn same_length(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (c, is_printed) in printed(text) {
        if is_printed || matches!(c, '\n' | '\t') {
            safe.push(c);
        } else {
            safe.extend(std::iter::repeat_n('?', c.len_utf8()));
        }
    }
    safe
}

impl fmt::Display for Pointed {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Pointed {}

impl Diagnostic for Pointed {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let help = self.help.as_ref()?;
        Some(Box::new(help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}
