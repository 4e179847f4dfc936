//! Pins cited lines to a blob, and later finds what became of them.

use super::{ErrorKind, Oid, Repo, Result};

/// What became of cited lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They are unchanged and begin at this line now.
    Holds(u32),
    /// Some of them were changed or removed.
    Changed,
    /// The file was removed.
    Gone,
    /// The cited blob is missing or has no such lines, so nothing can be compared.
    Unknown,
}

/// Whether a commit has the cited lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinned {
    /// It has them, in this blob.
    At(Oid),
    /// It has no such file.
    NoFile,
    /// The file has only this many lines.
    TooFar(u32),
}

impl Repo {
    /// The blob that holds the cited lines at `commit`; `lines` are the first and the last, counted from 1.
    pub fn pin_lines(&self, commit: Oid, path: &str, lines: [u32; 2]) -> Result<Pinned> {
        let Some((blob, bytes)) = self.file_at(commit, path)? else {
            return Ok(Pinned::NoFile);
        };
        let count = count_lines(&bytes);
        Ok(if lines[1] <= count {
            Pinned::At(blob)
        } else {
            Pinned::TooFar(count)
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
        let Some((now, _)) = self.file_at(commit, path)? else {
            return Ok(Fate::Gone);
        };
        let was = match self.blob(blob) {
            Ok(was) => was,
            Err(error) if error.kind == ErrorKind::Missing => return Ok(Fate::Unknown),
            Err(error) => return Err(error),
        };
        if !(1..=lines[1]).contains(&lines[0]) || lines[1] > count_lines(&was) {
            return Ok(Fate::Unknown);
        }
        if now == blob {
            return Ok(Fate::Holds(lines[0]));
        }
        let diff = self
            .git()
            .args([
                "diff",
                "-U0",
                "--inter-hunk-context=0",
                "--no-ext-diff",
                "--no-textconv",
                "--no-color",
                "--text",
            ])
            .args([blob.to_string(), now.to_string()])
            .run()?;
        Ok(follow(&String::from_utf8_lossy(&diff), lines))
    }
}

fn count_lines(bytes: &[u8]) -> u32 {
    if bytes.is_empty() {
        return 0;
    }
    // A line feed at the end begins no further line.
    let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    let lines = text.split(|&byte| byte == b'\n').count();
    u32::try_from(lines).unwrap_or(u32::MAX)
}

/// Follows lines through a diff without context: a hunk may touch them, and hunks before them move them.
fn follow(diff: &str, [from, to]: [u32; 2]) -> Fate {
    let mut moved: i64 = 0;
    for header in diff.lines().filter_map(|line| line.strip_prefix("@@ -")) {
        let mut ranges = header.split([' ', '+']).filter(|word| !word.is_empty());
        let (Some((start, old)), Some((_, new))) =
            (ranges.next().and_then(range), ranges.next().and_then(range))
        else {
            return Fate::Unknown;
        };
        // A hunk that only adds lines names the line before them.
        let (first, last) = if old == 0 {
            (start + 1, start)
        } else {
            (start, start + old - 1)
        };
        let touches = if old == 0 {
            first > from && first <= to
        } else {
            first <= to && last >= from
        };
        if touches {
            return Fate::Changed;
        }
        if last < from {
            moved += i64::from(new) - i64::from(old);
        }
    }
    u32::try_from(i64::from(from) + moved).map_or(Fate::Unknown, Fate::Holds)
}

/// The first line and the number of lines, from `12,3` or `12`.
fn range(text: &str) -> Option<(u32, u32)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_feed_ends_a_line_and_begins_none() {
        for (text, lines) in [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\n\n", 2)] {
            assert_eq!(count_lines(text.as_bytes()), lines, "{text:?}");
        }
    }

    #[test]
    fn lines_are_followed_through_a_diff() {
        for (hunks, expected) in [
            ("", Fate::Holds(10)),
            ("@@ -9 +9 @@\n", Fate::Holds(10)),
            ("@@ -3,2 +2,0 @@\n", Fate::Holds(8)),
            ("@@ -9,0 +10,3 @@ fn x()\n", Fate::Holds(13)),
            ("@@ -10,0 +11,3 @@\n", Fate::Changed),
            ("@@ -11,0 +12,3 @@\n", Fate::Changed),
            ("@@ -12,0 +13,3 @@\n", Fate::Holds(10)),
            ("@@ -9,2 +9 @@\n", Fate::Changed),
            ("@@ -12 +12,9 @@\n", Fate::Changed),
            ("@@ -13 +13,9 @@\n", Fate::Holds(10)),
            ("@@ -0,0 +1,2 @@\n@@ -20,3 +22,0 @@\n", Fate::Holds(12)),
            ("@@ nonsense\n@@ -x +y @@\n", Fate::Unknown),
        ] {
            assert_eq!(follow(hunks, [10, 12]), expected, "{hunks}");
        }
    }
}
