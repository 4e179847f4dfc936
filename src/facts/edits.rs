//! Changes of lines: in the files of the worktree, and as a diff.

use std::{cmp::Reverse, collections::BTreeMap, io};

use super::found::{Edit, Part};
use crate::{
    file,
    git::{self, Error, Repo},
};

impl Edit {
    /// Changes parts of a line of this text.
    pub fn new(file: &str, text: &str, line: usize, parts: Vec<Part>, value: String) -> Self {
        let whole = text.split_inclusive('\n').nth(line - 1).unwrap_or_default();
        let before = whole.lines().next().unwrap_or_default();
        Self {
            file: file.to_owned(),
            line,
            before: before.to_owned(),
            after: replaced(before, &parts),
            end: whole[before.len()..].to_owned(),
            parts,
            value,
            url: None,
        }
    }
}

/// Writes edits into the files of the worktree, and nothing else: line ends and modes stay.
/// # Errors
/// If a file differs from HEAD, or else from the index, or does not have the lines; then nothing is written.
pub fn write(repo: &Repo, edits: &[&Edit], from_index: bool) -> git::Result<Vec<String>> {
    let root = repo.worktree().ok_or_else(|| {
        Error::refused(
            "a bare repository has no files to change",
            "run it in a clone with a worktree",
        )
    })?;
    let mut files: Vec<String> = edits.iter().map(|edit| edit.file.clone()).collect();
    files.sort_unstable();
    files.dedup();
    if let Some(changed) = repo.differing(&files, from_index)?.first() {
        let (done, way) = if from_index { ("staged", "stage") } else { ("committed", "commit") };
        return Err(Error::refused(
            format!("{changed} has changes that are not {done}"),
            format!("nothing was changed; {way} or stash them, and run it again"),
        ));
    }
    let mut texts = Vec::new();
    for name in &files {
        let unread = |error: io::Error| {
            if error.kind() == io::ErrorKind::NotFound {
                let (why, help) = repo.not_checked_out(name);
                return Error::refused(format!("{name} {why}"), ["nothing was changed", &help]);
            }
            Error::refused(format!("could not read {name}: {error}"), "nothing was changed")
        };
        let bytes = file::read(&root, name.as_ref(), file::MOST).map_err(unread)?;
        let text =
            String::from_utf8(bytes).map_err(|_| unread(io::Error::other("it is not UTF-8")))?;
        let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        for ((_, line), edits) in by_line(edits.iter().copied().filter(|edit| edit.file == *name)) {
            let is_other = || unread(io::Error::other(format!("line {line} is not what it was")));
            let text = lines.get_mut(line - 1).ok_or_else(is_other)?;
            *text = edited(text, &edits).ok_or_else(is_other)?;
        }
        texts.push((root.join(name), lines.concat()));
    }
    for (path, text) in texts {
        file::replace(&path, &text).map_err(Error::file("write", &path))?;
    }
    Ok(files)
}

/// The edits as a diff without context, which `git apply --unidiff-zero` takes.
pub fn patch<'e>(edits: impl Iterator<Item = &'e Edit>) -> String {
    let (mut patch, mut before) = (String::new(), "");
    for ((file, line), edits) in by_line(edits) {
        if file != before {
            patch += &format!("--- a/{file}\n+++ b/{file}\n");
            before = file;
        }
        let Edit { before: text, end, .. } = edits[0];
        let after = replaced(text, edits.iter().flat_map(|edit| &edit.parts));
        let end = if end.is_empty() { "\n\\ No newline at end of file\n" } else { end };
        patch += &format!("@@ -{line} +{line} @@\n-{text}{end}+{after}{end}");
    }
    patch
}

/// The edits of each line of a file.
fn by_line<'e>(edits: impl Iterator<Item = &'e Edit>) -> BTreeMap<(&'e str, usize), Vec<&'e Edit>> {
    let mut lines: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for edit in edits {
        lines.entry((&*edit.file, edit.line)).or_default().push(edit);
    }
    lines
}

/// A line with all of its edits; `None` if it is another one.
fn edited(line: &str, edits: &[&Edit]) -> Option<String> {
    let is_same = edits.iter().all(|edit| line.starts_with(&edit.before));
    is_same.then(|| replaced(line, edits.iter().flat_map(|edit| &edit.parts)))
}

/// A line with other text in some of its parts; of two that overlap, the one that begins first counts, or the longer one.
pub fn replaced<'p>(line: &str, parts: impl IntoIterator<Item = &'p Part>) -> String {
    let mut parts: Vec<&Part> = parts.into_iter().collect();
    parts.sort_by_key(|(range, _)| (range.start, Reverse(range.end)));
    let (mut text, mut end) = (String::new(), 0);
    for (range, value) in parts {
        if range.start >= end {
            text += &line[end..range.start];
            text += value;
            end = range.end;
        }
    }
    text + &line[end..]
}
