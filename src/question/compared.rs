//! The names of the places that a probe compares.

use super::{Probe, TextOf, TextTake, ValueOf};

impl Probe {
    /// Returns true if the same answer means the same content of the places that it reads; what is counted may be another.
    pub fn is_one_value(&self) -> bool {
        match self {
            Self::Value(_) | Self::Text(_) | Self::Tree(_) => true,
            Self::Agree(parts) => parts.iter().all(Self::is_one_value),
            _ => false,
        }
    }

    /// The places of its parts: their files, and what is read there if two are in the same one.
    pub fn places(&self) -> Vec<String> {
        let files: Vec<String> = self.parts().iter().map(Self::place).collect();
        let is_shared = |file| files.iter().filter(|other| *other == file).count() > 1;
        self.parts()
            .iter()
            .zip(&files)
            .map(|(part, file)| match part.what() {
                Some(what) if is_shared(file) => format!("{file}:{what}"),
                _ => file.clone(),
            })
            .collect()
    }

    /// The file that it names, or its pathspecs.
    pub fn place(&self) -> String {
        self.file().cloned().unwrap_or_else(|| self.paths().join(" "))
    }

    /// The one file or pathspec that it reads; `None` if it compares several.
    pub fn only_place(&self) -> Option<String> {
        (self.parts().is_empty() && self.paths().len() < 2).then(|| self.place())
    }

    /// The part of its file or files that it reads.
    fn what(&self) -> Option<String> {
        match self {
            Self::Value(value) => Some(value.pointer.clone()),
            Self::Text(TextOf { lines: Some([from, to]), .. }) if from == to => {
                Some(from.to_string())
            }
            Self::Text(TextOf { lines: Some([from, to]), .. }) => Some(format!("{from}-{to}")),
            Self::Text(text) => text.pattern.clone().or_else(|| text.section.clone()),
            Self::Grep(grep) => grep.pattern.clone().or_else(|| grep.text.clone()),
            _ => None,
        }
    }

    /// Returns true if it reads its value as a version.
    pub fn is_version(&self) -> bool {
        self.reading().0
    }

    /// Whether it reads its value as a version, and how much of that it compares.
    pub fn reading(&self) -> (bool, Option<usize>) {
        match self {
            Self::Value(ValueOf { kind, precision, .. })
            | Self::Text(TextOf { kind, precision, .. }) => (kind.is_some(), *precision),
            _ => (false, None),
        }
    }

    /// Returns true if it stands for several values, each of which has to agree.
    pub fn takes_every(&self) -> bool {
        matches!(self, Self::Text(TextOf { take: TextTake::Every, .. }))
    }
}
