//! Lines of a file: pinned to the blob that a commit has, and found again later.

use super::{ErrorKind, Oid, Repo, Result};

/// What became of lines that were cited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They stand in the file one after another, from this line on.
    Holds(u32),
    /// They do not.
    Changed,
    /// The file is no more.
    Gone,
    /// The cited blob is not here, or has no such lines.
    Unknown,
}

/// Lines of a file at a commit, or why there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pinned {
    /// The file's blob, and the lines in it.
    At(Oid, Vec<u8>),
    NoFile,
    /// The file has only so many lines.
    TooFar(u32),
}

impl Repo {
    /// The blob in which the cited lines are at `commit`; `lines` are the first and the last, counted from 1.
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

    /// What became of lines of `blob` in the file at `path` of `commit`.
    pub fn fate_of_lines(
        &self,
        commit: Oid,
        path: &str,
        lines: [u32; 2],
        blob: Oid,
    ) -> Result<Fate> {
        let Some((_, now)) = self.file_at(commit, path)? else {
            return Ok(Fate::Gone);
        };
        match self.blob(blob) {
            Ok(then) => Ok(follow(&lines_of(&then), lines, &lines_of(&now))),
            Err(error) if error.kind == ErrorKind::Missing => Ok(Fate::Unknown),
            Err(error) => Err(error),
        }
    }
}

/// The lines of a file; a line feed ends a line and begins none.
fn lines_of(bytes: &[u8]) -> Vec<&[u8]> {
    bytes
        .split_inclusive(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\n").unwrap_or(line))
        .collect()
}

/// Where the lines `from` to `to` of `then` stand in `now`: nearest to where they stood.
fn follow(then: &[&[u8]], [from, to]: [u32; 2], now: &[&[u8]]) -> Fate {
    let first = (from as usize).wrapping_sub(1);
    let Some(block) = then
        .get(first..to as usize)
        .filter(|block| !block.is_empty())
    else {
        return Fate::Unknown;
    };
    let nearest = places(block, now)
        .into_iter()
        .min_by_key(|place| place.abs_diff(first));
    match nearest.map(|place| u32::try_from(place + 1)) {
        Some(Ok(line)) => Fate::Holds(line),
        Some(Err(_)) => Fate::Unknown,
        None => Fate::Changed,
    }
}

/// The indices at which `block` begins in `lines`. It takes linear time, by the prefix function of Knuth, Morris and
/// Pratt: for each line, how many lines up to it are the beginning of `block`.
fn places(block: &[&[u8]], lines: &[&[u8]]) -> Vec<usize> {
    let border = [None];
    let all: Vec<Option<&&[u8]>> = block
        .iter()
        .map(Some)
        .chain(border)
        .chain(lines.iter().map(Some))
        .collect();
    let mut matched = vec![0; all.len()];
    for end in 1..all.len() {
        let mut length = matched[end - 1];
        while length > 0 && all[end] != all[length] {
            length = matched[length - 1];
        }
        matched[end] = length + usize::from(all[end] == all[length]);
    }
    let ends = (0..lines.len()).filter(|end| matched[block.len() + 1 + end] == block.len());
    ends.map(|end| end + 1 - block.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_feed_ends_a_line_and_begins_none() {
        for (text, lines) in [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\n\n", 2)] {
            assert_eq!(lines_of(text.as_bytes()).len(), lines, "{text:?}");
        }
    }

    #[test]
    fn lines_are_found_again_where_they_stand_together() {
        let then = b"a\nb\nc\nd\n\xff\0";
        for (now, lines, fate) in [
            (&then[..], [2, 3], Fate::Holds(2)),
            (b"new\na\nb\nc\nd\n", [2, 3], Fate::Holds(3)),
            (b"b\nc", [2, 3], Fate::Holds(1)),
            (b"b\nc\nx\nx\nb\nc\n", [2, 3], Fate::Holds(1)),
            (b"x\nx\nx\nb\nb\nc\n\nb\nc\n", [2, 3], Fate::Holds(5)),
            (b"b\nnew\nc\n", [2, 3], Fate::Changed),
            (b"b\r\nc\n", [2, 3], Fate::Changed),
            (b"", [2, 3], Fate::Changed),
            (b"x\n\xff\0\n", [5, 5], Fate::Holds(2)),
            (&then[..], [5, 6], Fate::Unknown),
            (&then[..], [0, 1], Fate::Unknown),
            (&then[..], [3, 2], Fate::Unknown),
            (&then[..], [3, 1], Fate::Unknown),
        ] {
            let found = follow(&lines_of(then), lines, &lines_of(now));
            assert_eq!(found, fate, "{now:?} {lines:?}");
        }
    }

    #[test]
    fn many_alike_lines_take_no_longer() {
        let then = vec![&b""[..]; 200_000];
        let now = vec![&b""[..]; 300_000];
        assert_eq!(follow(&then, [50_001, 150_000], &now), Fate::Holds(50_001));
    }
}
