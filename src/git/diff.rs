//! Which paths differ between two commits, and which of them a pathspec names.

use std::collections::BTreeSet;

use gix::{
    bstr::{BStr, BString},
    diff::tree::{Recorder, State as DiffState, recorder::Change},
    prelude::FindExt as _,
};

use super::{Error, ErrorKind, Oid, Repo, Result, error::Doing, repository::missing};

/// The paths of files that differ between two commits; a rename is a path that went and one that came.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    paths: BTreeSet<BString>,
}

impl Changes {
    /// How many paths differ.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    /// Whether nothing differs.
    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The paths in order; what is not UTF-8 in them is replaced.
    pub fn paths(&self) -> impl Iterator<Item = String> {
        self.paths.iter().map(ToString::to_string)
    }
}

/// Git pathspecs, ready to match.
#[derive(Debug, Clone)]
pub struct Pathspecs {
    search: gix_pathspec::Search,
}

impl Pathspecs {
    /// Parses pathspecs as they stand in a question; they are relative to the root of the repository.
    ///
    /// # Errors
    /// The one that is none, and why.
    pub fn parse(specs: &[String]) -> Result<Self> {
        let bad = |spec: &str, why: String| {
            Error::new(
                ErrorKind::Other,
                format!("{spec:?} is not a pathspec: {why}"),
            )
            .help("see `git help glossary`, under pathspec")
        };
        let mut patterns = Vec::with_capacity(specs.len());
        for spec in specs {
            let pattern = gix_pathspec::parse(spec.as_bytes(), gix_pathspec::Defaults::default())
                .map_err(|error| bad(spec, error.to_string()))?;
            if !pattern.attributes.is_empty() {
                return Err(bad(spec, "git sq does not look at attributes".into()));
            }
            patterns.push(pattern);
        }
        let root = std::path::Path::new("/");
        let search = gix_pathspec::Search::from_specs(patterns, None, root)
            .map_err(|error| bad(&specs.join(" "), error.to_string()))?;
        Ok(Self { search })
    }

    /// Whether they name any of these paths.
    pub fn match_any(&mut self, changes: &Changes) -> bool {
        changes.paths.iter().any(|path| self.matches(path.as_ref()))
    }

    fn matches(&mut self, path: &BStr) -> bool {
        self.search
            .pattern_matching_relative_path(path, Some(false), &mut |_, _, _, _| false)
            .is_some_and(|found| !found.is_excluded())
    }
}

impl Repo {
    /// The paths that differ between two commits.
    ///
    /// # Errors
    /// When an object is missing.
    pub fn changes(&self, from: Oid, to: Oid) -> Result<Changes> {
        let (from, to) = (self.tree_of(from)?, self.tree_of(to)?);
        if from == to {
            return Ok(Changes::default());
        }
        let objects = &self.inner.objects;
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let lhs = objects
            .find_tree_iter(&from.0, &mut left)
            .map_err(|_| missing("tree", from))?;
        let rhs = objects
            .find_tree_iter(&to.0, &mut right)
            .map_err(|_| missing("tree", to))?;
        let mut recorder = Recorder::default();
        gix::diff::tree(lhs, rhs, DiffState::default(), objects, &mut recorder)
            .doing("compare two commits")?;
        let paths = recorder.records.into_iter().filter_map(|change| {
            let (mode, path) = match change {
                Change::Addition {
                    entry_mode, path, ..
                }
                | Change::Deletion {
                    entry_mode, path, ..
                }
                | Change::Modification {
                    entry_mode, path, ..
                } => (entry_mode, path),
            };
            mode.is_no_tree().then_some(path)
        });
        Ok(Changes {
            paths: paths.collect(),
        })
    }
}
