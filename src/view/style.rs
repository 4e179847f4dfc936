use anstyle::{AnsiColor, Style as Ansi};
use textwrap::{
    Options, WordSeparator, WordSplitter, WrapAlgorithm,
    core::{Word, display_width},
    fill,
};

use crate::entry::clip_with;
use crate::{
    finding::Severity,
    metrics::{Mark, Standing},
};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
    pub unicode: bool,
    /// The columns of the terminal; `None` if the output goes elsewhere.
    pub width: Option<usize>,
}

/// Each mark with its sign, in Unicode and in ASCII, and what it says; in the order of a legend.
pub const MARKS: [(Mark, [&str; 2], &str); 5] = [
    (Mark::Same, ["●", "o"], "same"),
    (Mark::Delta, ["▲", "D"], "delta"),
    (Mark::Flagged, ["!", "!"], "flagged"),
    (Mark::Disputed, ["×", "x"], "disputed"),
    (Mark::None, ["·", "."], "not answered"),
];

/// The row of a mark.
pub fn marked(mark: Mark) -> (Mark, [&'static str; 2], &'static str) {
    let not_asked = (mark, [" ", " "], "not asked");
    MARKS.into_iter().find(|(listed, ..)| *listed == mark).unwrap_or(not_asked)
}

/// Characters that the last column of a table keeps, however narrow the terminal is.
const LEAST: usize = 10;

impl Style {
    fn paint(self, ansi: Ansi, text: &str) -> String {
        if self.colour && !text.is_empty() {
            format!("{ansi}{text}{ansi:#}")
        } else {
            text.to_owned()
        }
    }

    /// Shortens a text of one line so that the line fits the terminal; the rest of the line takes `others` columns.
    pub fn fit(self, text: &str, others: usize) -> String {
        let ellipsis = if self.unicode { "…" } else { "..." };
        match self.width {
            Some(width) => clip_with(text, width.saturating_sub(others).max(LEAST), ellipsis),
            None => text.to_owned(),
        }
    }

    /// Breaks lines between words: the first line begins in `column`, the others are indented.
    pub fn wrap(self, text: &str, column: usize, indent: usize) -> String {
        let Some(width) = self.width else {
            return text.to_owned();
        };
        let (before, others) = (" ".repeat(column), " ".repeat(indent));
        let options = Options::new(width)
            .initial_indent(&before)
            .subsequent_indent(&others)
            .word_separator(WordSeparator::Custom(words))
            .word_splitter(WordSplitter::NoHyphenation)
            .wrap_algorithm(WrapAlgorithm::FirstFit)
            .break_words(false);
        // Of a text without words, no indentation is left either.
        fill(text, options).get(column..).unwrap_or_default().to_owned()
    }

    pub fn error(self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    pub fn warning(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default().bold(), text)
    }

    pub fn severity(self, severity: Severity) -> String {
        match severity {
            Severity::Error => self.error("error:"),
            Severity::Warning => self.warning("warning:"),
        }
    }

    pub fn finding(self, severity: Severity, text: &str) -> String {
        let label = self.severity(severity);
        let column = display_width(&label) + 1;
        format!("{label} {}\n", self.wrap(text, column, column))
    }

    /// A text in the colour of a standing.
    pub fn standing(self, standing: Standing, text: &str) -> String {
        match standing {
            Standing::Fails | Standing::Stale => self.error(text),
            Standing::Holds | Standing::Fresh => self.dim(text),
            _ => self.warning(text),
        }
    }

    pub fn mark(self, mark: Mark) -> String {
        let (_, signs, _) = marked(mark);
        let text = signs[usize::from(!self.unicode)];
        match mark {
            Mark::Same => text.to_owned(),
            Mark::Delta => self.place(text),
            Mark::Flagged | Mark::Disputed => self.warning(text),
            Mark::None | Mark::Unasked => self.dim(text),
        }
    }

    pub fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    pub fn place(self, text: &str) -> String {
        self.paint(AnsiColor::Cyan.on_default(), text)
    }

    pub fn commit(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default(), text)
    }

    pub fn name(self, text: &str) -> String {
        self.paint(Ansi::new().bold(), text)
    }

    pub fn dim(self, text: &str) -> String {
        self.paint(Ansi::new().dimmed(), text)
    }
}

/// The words of a text; text in backticks counts as one word, so that it can be copied.
fn words<'a>(line: &'a str) -> Box<dyn Iterator<Item = Word<'a>> + 'a> {
    let mut is_quoted = false;
    let words = line.split_inclusive(move |c| {
        is_quoted ^= c == '`';
        c == ' ' && !is_quoted
    });
    Box::new(words.map(Word::from))
}
