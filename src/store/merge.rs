//! The union of notes: the set of lines of all sides, in order; no line is ever removed.

use crate::entry::lines_of;

/// Merges the texts of one annotated commit.
/// Lines are raw bytes: lines that this program can't read survive. The result is sorted, without duplicates and blank
/// lines, and ends with a line feed, so the order and number of merges make no difference.
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
