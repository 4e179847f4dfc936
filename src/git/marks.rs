//! Rules of a commit's own `.gitignore` and `.gitattributes` files for paths, which need not exist.

use gix::{
    bstr::{BString, ByteSlice},
    index::entry::Mode,
};
use gix_worktree::{
    Stack,
    attributes::{self, StateRef, search::MetadataCollection},
    glob::pattern::Case,
    ignore,
    stack::{
        State,
        state::{Attributes, Ignore, attributes::Source, ignore::Source as IgnoreSource},
    },
};

use super::{Oid, Repo};

/// The files that mark others, of one commit; what this clone alone ignores does not count.
pub struct Marks {
    repo: gix::Repository,
    stack: Stack,
}

impl Repo {
    /// `files` are the paths and blobs of a commit.
    pub fn marks<'f>(&self, files: impl Iterator<Item = (&'f String, &'f Oid)>) -> Marks {
        let is_mark =
            |path: &str| matches!(path.rsplit('/').next(), Some(".gitignore" | ".gitattributes"));
        let mut marking: Vec<(BString, gix::ObjectId)> = files
            .filter(|(path, _)| is_mark(path))
            .map(|(path, blob)| (path.as_str().into(), blob.0))
            .collect();
        marking.sort();
        // Nothing comes from outside of the commit.
        let attributes = Attributes::new(
            attributes::Search::default(),
            None,
            Source::IdMapping,
            MetadataCollection::default(),
        );
        let [overrides, globals] = [(), ()].map(|()| ignore::Search::default());
        let parse = ignore::search::Ignore::default();
        let ignore = Ignore::new(overrides, globals, None, IgnoreSource::IdMapping, parse);
        let state = State::for_add(attributes, ignore);
        Marks {
            repo: self.inner.clone(),
            stack: Stack::new("", state, Case::Sensitive, Vec::new(), marking),
        }
    }
}

impl Marks {
    /// Returns true if git ignores it as a file or as a folder, or whatever would be in it.
    pub fn is_ignored(&mut self, path: &str) -> bool {
        let inside = format!("{path}/file");
        [(path, false), (path, true), (&inside, false)].into_iter().any(|(path, is_folder)| {
            let mode = is_folder.then_some(Mode::DIR);
            let found = self.stack.at_entry(path.as_bytes().as_bstr(), mode, &self.repo.objects);
            found.is_ok_and(|found| found.is_excluded())
        })
    }

    /// Returns true if one of the attributes is set.
    pub fn has_attribute(&mut self, path: &str, names: &[&str]) -> bool {
        let mut matches = self.stack.selected_attribute_matches(names.iter().copied());
        let path = path.as_bytes().as_bstr();
        let Ok(found) = self.stack.at_entry(path, None, &self.repo.objects) else {
            return false;
        };
        found.matching_attributes(&mut matches);
        matches.iter_selected().any(|found| match found.assignment.state {
            StateRef::Set => true,
            StateRef::Value(value) => value.as_bstr() == "true",
            StateRef::Unset | StateRef::Unspecified => false,
        })
    }
}
