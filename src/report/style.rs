//! Colours, where they are enabled.

use anstyle::{AnsiColor, Style as Ansi};

use crate::finding::Severity;

/// Paints words, or returns them as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub colour: bool,
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
