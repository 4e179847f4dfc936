//! Colours, where they are enabled.

use anstyle::{AnsiColor, Style as Ansi};

use crate::{finding::Severity, metrics::Mark};

/// What the terminal can show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
    /// Whether it shows more than ASCII.
    pub unicode: bool,
}

impl Style {
    fn paint(self, ansi: Ansi, text: &str) -> String {
        if self.colour {
            format!("{ansi}{text}{ansi:#}")
        } else {
            text.to_owned()
        }
    }

    /// An error.
    pub fn error(self, text: &str) -> String {
        self.paint(AnsiColor::Red.on_default().bold(), text)
    }

    /// A warning, or something that can't be known.
    pub fn warning(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default().bold(), text)
    }

    /// The label of a finding.
    pub fn severity(self, severity: Severity) -> String {
        match severity {
            Severity::Error => self.error("error:"),
            Severity::Warning => self.warning("warning:"),
        }
    }

    /// What a session did about a question, in one character.
    pub fn mark(self, mark: Mark) -> String {
        let (unicode, ascii) = match mark {
            Mark::Same => ("●", "o"),
            Mark::Delta => ("▲", "D"),
            Mark::Quiet => ("!", "!"),
            Mark::None => ("·", "."),
        };
        let text = if self.unicode { unicode } else { ascii };
        match mark {
            Mark::Same => text.to_owned(),
            Mark::Delta => self.paint(AnsiColor::Cyan.on_default(), text),
            Mark::Quiet => self.warning(text),
            Mark::None => self.dim(text),
        }
    }

    /// Success.
    pub fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    /// A commit, in git's own colour for it.
    pub fn commit(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default(), text)
    }

    /// A name.
    pub fn name(self, text: &str) -> String {
        self.paint(Ansi::new().bold(), text)
    }

    /// Less important text.
    pub fn dim(self, text: &str) -> String {
        self.paint(Ansi::new().dimmed(), text)
    }
}
