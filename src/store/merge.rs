//! The union of notes: the set of lines of all sides, in order, nothing ever removed.

use crate::entry::lines_of;

/// Merges the texts of one annotated commit.
///
/// Lines are raw bytes: what this program can't read survives. The result is sorted, has no line twice, no blank
/// line, and a line feed at the end, so that the order and the number of merges make no difference.
pub fn union<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = texts.into_iter().flat_map(lines_of).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut merged = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
    for line in lines {
        merged.extend_from_slice(line);
        merged.push(b'\n');
    }
    merged
}
