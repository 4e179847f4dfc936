//! The first thing that an answer depends on and that changed since it was given.

use std::fmt;

use crate::entry::CitedLines;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exposure {
    /// A watched file, or one of its lines that matter, as `path` or `path:line`.
    Watched(String),
    /// A line that matters went, at this place before, and none came.
    Gone(String),
    /// A cited block that no longer stands.
    Cited(CitedLines),
    /// The answer of the question's probe.
    Probe,
}

impl fmt::Display for Exposure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Watched(place) | Self::Gone(place) => write!(f, "{place} changed"),
            Self::Cited(cite) => write!(f, "{cite}, which was cited, changed"),
            Self::Probe => write!(f, "the answer of its probe changed"),
        }
    }
}
