//! Lines of a file: pinned to the blob that a commit has, and found again later.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Oid, Repo, Result};

/// The state of a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CitedFate {
    Stands,
    /// The lines were changed since.
    Changed,
    /// The file no longer exists.
    Gone,
    /// The lookup failed, or this clone's log has no such entry.
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pinned {
    At(Oid, Vec<u8>),
    NoFile,
    /// The file's number of lines, which is too small.
    TooFar(u32),
}

impl Repo {
    /// Pins lines of a file at `commit` to its blob; `lines` are the first and the last, counted from 1.
    pub fn pin_lines(&self, commit: Oid, path: &str, lines: [u32; 2]) -> Result<Pinned> {
        let Some((blob, bytes)) = self.file_at(commit, path)? else {
            return Ok(Pinned::NoFile);
        };
        let all = lines_of(&bytes);
        let [from, to] = lines.map(|line| line as usize);
        Ok(match all.get(from.wrapping_sub(1)..to) {
            Some(cited) => Pinned::At(blob, cited.join(&b'\n')),
            None => Pinned::TooFar(u32::try_from(all.len()).unwrap_or(u32::MAX)),
        })
    }

    /// Lines of a version of a file, counted from 1; `None` if it has too few.
    pub fn lines_of_blob(&self, blob: Oid, [from, to]: [u32; 2]) -> Result<Option<Vec<u8>>> {
        let bytes = self.blob(blob)?;
        Ok(lines_of(&bytes)
            .get((from as usize).wrapping_sub(1)..to as usize)
            .map(|lines| lines.join(&b'\n')))
    }

    /// The fate of cited lines, and the line at which they begin now, if they stand.
    pub fn fate_of_lines(
        &self,
        commit: Oid,
        path: &str,
        lines: [u32; 2],
        blob: Oid,
    ) -> Result<(CitedFate, Option<u32>)> {
        let Some((_, now)) = self.file_at(commit, path)? else {
            return Ok((CitedFate::Gone, None));
        };
        Ok(follow(&lines_of(&self.blob(blob)?), lines, &lines_of(&now)))
    }
}

/// Splits a file into lines; a line feed ends a line and begins none.
fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
        .collect()
}

/// Finds the lines `from` to `to` of `then` in `now`, nearest to their old place.
fn follow(then: &[&[u8]], [from, to]: [u32; 2], now: &[&[u8]]) -> (CitedFate, Option<u32>) {
    let first = (from as usize).wrapping_sub(1);
    let block = then.get(first..to as usize).unwrap_or_default();
    if block.is_empty() {
        // The cited blob is too short for these lines.
        return (CitedFate::Unknown, None);
    }
    let nearest = places(block, now).into_iter().min_by_key(|place| place.abs_diff(first));
    match nearest.map(|place| u32::try_from(place + 1)) {
        Some(Ok(line)) => (CitedFate::Stands, Some(line)),
        Some(Err(_)) => (CitedFate::Unknown, None),
        None => (CitedFate::Changed, None),
    }
}

/// The indices at which `block` begins in `lines`, in linear time, by the prefix function of Knuth, Morris and Pratt:
/// for each line, the number of lines up to it that are a prefix of `block`.
pub fn places<T: PartialEq>(block: &[T], lines: &[T]) -> Vec<usize> {
    let all: Vec<Option<&T>> =
        block.iter().map(Some).chain([None]).chain(lines.iter().map(Some)).collect();
    let mut matched = vec![0; all.len()];
    for end in 1..all.len() {
        let mut length = matched[end - 1];
        while length > 0 && all[end] != all[length] {
            length = matched[length - 1];
        }
        matched[end] = length + usize::from(all[end] == all[length]);
    }
    (0..lines.len())
        .filter(|end| matched[block.len() + 1 + end] == block.len())
        .map(|end| end + 1 - block.len())
        .collect()
}
