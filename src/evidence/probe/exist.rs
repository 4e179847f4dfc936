//! The paths that files name, against those that are there.

use std::cell::LazyCell;

use serde_json::Value;

use super::{Run, Stop, compare::once, gone, memo::InFile, text};
use crate::{
    git::{self, EntryAt, FileAt, Pathspecs},
    question::{Exist, regex},
};

impl Run<'_> {
    /// The captured paths that are absent.
    pub(super) fn exist(&mut self, exist: &Exist) -> Result<Value, Stop> {
        let regex = regex(&exist.pattern).or_else(gone)?;
        let key = serde_json::to_string(exist).unwrap_or_default();
        let (repo, commit) = (self.repo, self.commit);
        let all = LazyCell::new(|| repo.entries_at(commit));
        let mut absent: Vec<Value> = Vec::new();
        let linked = self.linked_files(&exist.paths)?;
        let files = match self.some_files(&exist.paths) {
            Err(Stop::Gone(_)) if !linked.is_empty() => linked,
            files => [files?, linked].concat(),
        };
        for file in files {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let named = self.in_file(&key, file, |text| InFile {
                taken: text::lines(text).flat_map(|line| text::all(&regex, line)).collect(),
                count: 0,
            })?;
            for path in named.taken {
                let text = path.as_str().unwrap_or_default();
                if !self.has(&folder, text)? && !matches(&folder, text, exist.anywhere, &all)? {
                    absent.push(path);
                }
            }
        }
        Ok(once(absent.into_iter()))
    }

    /// The files to which symbolic links that match lead.
    fn linked_files(&self, paths: &[String]) -> Result<Vec<FileAt>, Stop> {
        let mut files = Vec::new();
        for (link, target) in self.repo.links_at(self.commit, &mut Pathspecs::parse(paths)?)? {
            let folder = link.rsplit_once('/').map_or("", |(folder, _)| folder);
            let path = text::joined(folder, &target).filter(|_| !target.starts_with('/'));
            let blob = path.as_ref().and_then(|path| self.repo.blob_at(self.commit, path).ok()?);
            files.extend(path.zip(blob).map(|(path, blob)| FileAt {
                path,
                blob,
                executable: false,
            }));
        }
        Ok(files)
    }

    /// Returns true if there is a file or folder of this very name, or may be one.
    fn has(&self, folder: &str, path: &str) -> Result<bool, Stop> {
        for from in ["", folder] {
            if let Some(path) = text::joined(from, path)
                && self.repo.may_have(self.commit, &path)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns true if the path is a pattern that matches one of `all` the paths, or the bare name of one.
fn matches(
    folder: &str,
    path: &str,
    anywhere: bool,
    all: &LazyCell<git::Result<Vec<EntryAt>>, impl FnOnce() -> git::Result<Vec<EntryAt>>>,
) -> git::Result<bool> {
    let is_pattern = path.contains(['*', '?', '[']);
    let name = Some(path.trim_end_matches('/')).filter(|name| anywhere && !name.contains('/'));
    if !is_pattern && name.is_none() {
        return Ok(false);
    }
    let all = LazyCell::force(all).as_ref().map_err(Clone::clone)?;
    let is_named = |path: &String| path.rsplit('/').next() == name;
    let from = ["", folder].into_iter().filter_map(|from| text::joined(from, path));
    let patterns = from.chain(name.map(|name| format!("**/{name}"))).filter(|_| is_pattern);
    let specs: Vec<String> = patterns.map(|pattern| format!(":(glob){pattern}")).collect();
    let mut specs = Pathspecs::parse(&specs).ok().filter(|_| !specs.is_empty());
    let mut is_matched = |path| specs.as_mut().is_some_and(|specs| specs.match_path(path));
    Ok(all.iter().any(|entry| is_named(&entry.path) || is_matched(&entry.path)))
}
