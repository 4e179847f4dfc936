//! What is wrong with a question store, with the place marked.

use std::{fmt, ops::Range};

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the document.
    pub span: Range<usize>,
    /// What is wrong there, as a label.
    pub message: String,
    /// What to do about it, where that is not plain from the message.
    pub help: Option<String>,
}

impl Problem {
    /// A problem whose message says all there is to say.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
        }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A question store that cannot be used, with every problem that was found in it.
#[derive(Debug)]
pub struct StoreError {
    source: NamedSource<String>,
    /// At least one, in the order of the document.
    pub problems: Vec<Problem>,
}

impl StoreError {
    /// Marks `problems` in `text`, which was read from `name`.
    pub fn new(name: &str, text: &str, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| problem.span.start);
        Self {
            source: NamedSource::new(name, text.to_owned()),
            problems,
        }
    }

    /// Where the store was read from, as the reader knows it.
    pub fn name(&self) -> &str {
        self.source.name()
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let name = self.source.name();
        match self.problems.len() {
            1 => write!(f, "the question store {name} can't be used"),
            n => write!(
                f,
                "the question store {name} can't be used: {n} places are wrong"
            ),
        }
    }
}

impl std::error::Error for StoreError {}

impl Diagnostic for StoreError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let mut helps: Vec<&str> = Vec::new();
        for help in self.problems.iter().filter_map(|p| p.help.as_deref()) {
            if !helps.contains(&help) {
                helps.push(help);
            }
        }
        (!helps.is_empty()).then(|| Box::new(helps.join("\n")) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.problems.iter().map(|problem| {
            LabeledSpan::new_with_span(Some(problem.message.clone()), problem.span.clone())
        })))
    }
}
