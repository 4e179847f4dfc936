//! Colours, where they are wanted.

use anstyle::{AnsiColor, Style as Ansi};

/// Paints words, or leaves them as they are.
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

    /// All is well.
    pub fn good(self, text: &str) -> String {
        self.paint(AnsiColor::Green.on_default(), text)
    }

    /// A commit, in git's own colour for it.
    pub fn commit(self, text: &str) -> String {
        self.paint(AnsiColor::Yellow.on_default(), text)
    }

    /// A name that the eye looks for.
    pub fn name(self, text: &str) -> String {
        self.paint(Ansi::new().bold(), text)
    }

    /// What matters less.
    pub fn dim(self, text: &str) -> String {
        self.paint(Ansi::new().dimmed(), text)
    }
}
