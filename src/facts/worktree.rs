//! Files of the worktree that differ from the judged ones.

use std::collections::BTreeSet;

use super::{
    At,
    found::Found,
    place::shown,
    tree::{Tree, first, line_at},
};
use crate::{file, git};

pub fn look(tree: &Tree, at: At, facts: &mut [Found]) -> git::Result<()> {
    let Some(root) = tree.repo.worktree() else {
        return Ok(());
    };
    let wrong = || facts.iter().filter(|found| found.state.is_wrong());
    let files: BTreeSet<String> =
        wrong().flat_map(|found| &found.places).map(|place| place.file.clone()).collect();
    let differing = tree.repo.differing(&Vec::from_iter(files), at.is_index())?;
    for found in facts.iter_mut().filter(|found| found.state.is_wrong()) {
        let mut versions = BTreeSet::new();
        let precision = found.places.iter().map(|place| place.version.len()).min().unwrap_or(0);
        let mut names = false;
        for place in &mut found.places {
            // What was deleted, or never checked out, says nothing.
            let text = differing
                .contains(&place.file)
                .then(|| file::read(&root, place.file.as_ref(), file::MOST).ok())
                .flatten()
                .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            if place.pattern.is_empty() {
                let is_back = |path: &String| root.join(path).symlink_metadata().is_ok();
                let is_gone = text.as_ref().is_some_and(|text| !text.contains(&place.says));
                place.worktree = is_gone.then(String::new);
                names |= !is_gone && !place.path.as_ref().is_some_and(is_back);
                continue;
            }
            let version = match &text {
                Some(text) => place.version_in(text, precision),
                None => Some(place.version[..precision].to_vec()),
            };
            versions.insert(version);
            if let Some(text) = text {
                let line = first(&place.pattern, &text).map_or("", |at| line_at(&text, at.start));
                let says = shown(line);
                place.worktree =
                    Some(says).filter(|says| !says.contains(&place.says) || says.is_empty());
            }
        }
        found.is_fixed_in_worktree = match versions.first() {
            Some(version) => versions.len() == 1 && version.is_some(),
            None => !names,
        };
    }
    Ok(())
}
