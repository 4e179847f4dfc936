//! Prints the errors of a question store, each with its line.

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteDiagnostic, MietteError,
    NamedSource, Report, SourceCode, SourceSpan, SpanContents,
};

use super::{Style, escape, escape::printed};
use crate::{
    entry::clip,
    question::{Problem, StoreError},
};

const WIDTH: usize = 100;

/// Length of the longest quoted line, and of the longest message, in characters.
pub const MAX_CHARS: usize = 200;

const MAX_PROBLEMS: usize = 20;

pub fn problems_text(error: &StoreError, style: Style) -> String {
    let shown = &error.problems[..error.problems.len().min(MAX_PROBLEMS)];
    // Text between two errors may be quoted as well.
    let starts = shown.iter().map(|problem| problem.span.start);
    let quoted = starts.clone().min().zip(starts.max()).map(|(first, last)| {
        let begin = first - around(&error.text, first).0.len();
        &error.text[begin..last + around(&error.text, last).1.len()]
    });
    let mut lines = quoted.iter().flat_map(|text| text.lines());
    let is_long = lines.any(|line| line.chars().count() > MAX_CHARS);
    let mut out = String::new();
    if is_long || !error.is_tracked || render(error, shown, style, &mut out).is_err() {
        out = places_text(error, shown, style);
    }
    if shown.len() < error.problems.len() {
        let more = error.problems.len() - shown.len();
        out.push_str(&format!("... and {more} more\n"));
    }
    out
}

/// The two parts of the line with an offset: before it, and from there on.
fn around(text: &str, offset: usize) -> (&str, &str) {
    let (before, after) = text.split_at(offset);
    let begin = before.rfind('\n').map_or(0, |end| end + 1);
    let end = after.find('\n').unwrap_or(after.len());
    (&before[begin..], &after[..end])
}

/// The line and the column of an offset, from 1; the column in bytes.
pub fn position(text: &str, offset: usize) -> (usize, usize) {
    (text[..offset].matches('\n').count() + 1, around(text, offset).0.len() + 1)
}

/// The problems as `path:line:column: message`; lines and columns count from 1, columns in bytes.
fn places_text(error: &StoreError, shown: &[Problem], style: Style) -> String {
    let mut out = format!("{} {}\n", style.error("fatal:"), escape(&error.to_string()));
    for problem in shown {
        let (line, column) = position(&error.text, problem.span.start);
        let (name, message) = (escape(&error.name), message(problem));
        out.push_str(&format!("  {name}:{line}:{column}: {message}\n"));
        if let Some(help) = &problem.help {
            out.push_str(&format!("    {}\n", style.dim(help)));
        }
    }
    out
}

fn render(
    error: &StoreError,
    shown: &[Problem],
    style: Style,
    out: &mut String,
) -> std::fmt::Result {
    let labels = shown.iter().map(|problem| {
        // An error at the end of the text is marked after the end; one of several lines, on the first line.
        let rest_of_line = around(&error.text, problem.span.start).1.trim_end().len();
        let length = problem.span.len().min(rest_of_line).max(1);
        LabeledSpan::new(Some(message(problem)), problem.span.start, length)
    });
    let mut helps: Vec<&str> = shown.iter().filter_map(|p| p.help.as_deref()).collect();
    helps.dedup();
    let mut diagnostic = MietteDiagnostic::new(escape(&error.to_string())).with_labels(labels);
    if !helps.is_empty() {
        diagnostic = diagnostic.with_help(helps.join("\n"));
    }
    let source = NamedSource::new(escape(&error.name), Lines(same_length(&error.text) + " "));
    let report = Report::new(diagnostic).with_source_code(source);
    let theme =
        if style.colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    GraphicalReportHandler::new_themed(theme)
        .with_width(WIDTH)
        .with_links(false)
        .render_report(out, report.as_ref())
}

/// A source that quotes whole lines, and only those that a label points at.
struct Lines(String);

impl SourceCode for Lines {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_lines_before: usize,
        _context_lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        if context_lines_before == 0 {
            // The caller asks only for the line and the column.
            return self.0.read_span(span, 0, 0);
        }
        let end = span.offset() + span.len();
        let (before, after) = (around(&self.0, span.offset()).0, around(&self.0, end).1);
        let start = span.offset() - before.len();
        let whole = SourceSpan::new(start.into(), end + after.len() - start);
        self.0.read_span(&whole, 0, 0)
    }
}

fn message(problem: &Problem) -> String {
    clip(&escape(&problem.message), MAX_CHARS)
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
