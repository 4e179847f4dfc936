//! The history of the code, by numbers: which commit changes which file, and which commits contain which.

use std::io::{self, Write};

use crate::entries::{commit_time, question_store};

/// Files in the worktree.
pub const FILES: usize = 1000;

/// Folders that these files are in.
pub const PARTS: usize = 20;

/// Commits from one merge to the next.
const ROUND: usize = 10;

/// The store of the questions.
pub const STORE: &str = "context/standing_questions.json";

pub fn path(file: usize) -> String {
    format!("src/part{:02}/file{file:03}.rs", file % PARTS)
}

pub fn text(file: usize, change: usize) -> String {
    let steps: String = (0..20)
        .map(|number| format!("pub fn step_{number}() -> u32 {{ {} }}\n", number * file))
        .collect();
    format!("// Part of file {file}, change {change}.\n{steps}")
}

/// The file that a commit changes. A stride that shares no factor with the number of files visits all of them.
fn changed_by(number: usize) -> usize {
    number * 387 % FILES
}

/// Returns true if a commit contains an earlier one: of ten, the sixth and seventh stand on a side branch, the next two
/// on main, and the last merges both.
pub fn contains(number: usize, earlier: usize) -> bool {
    let [place, other] = [number, earlier].map(|commit| commit % ROUND);
    let is_on_side = |place: usize| place == 5 || place == 6;
    if number / ROUND != earlier / ROUND || place == ROUND - 1 {
        return true;
    }
    match place {
        5 | 6 => other <= 2 || is_on_side(other),
        7 | 8 => !is_on_side(other),
        _ => true,
    }
}

/// The file of a part that changed last in the history of a commit, and the number of the change.
pub fn changed_last(part: usize, number: usize) -> (usize, usize) {
    let mut commits = (1..=number).rev().filter(|earlier| contains(number, *earlier));
    let found = commits.find(|commit| changed_by(*commit) % PARTS == part);
    found.map_or((part, 0), |commit| (changed_by(commit), commit))
}

/// Returns true if a part changed between two commits.
pub fn has_changed(part: usize, before: usize, number: usize) -> bool {
    let (_, last) = changed_last(part, number);
    last > before || last > 0 && !contains(before, last)
}

/// One commit of the history, for `git fast-import`.
pub fn write_commit(stream: &mut impl Write, number: usize, questions: usize) -> io::Result<()> {
    writeln!(stream, "commit refs/heads/main\nmark :{}", number + 1)?;
    writeln!(stream, "committer Ada Example <ada@example.org> {} +0000", commit_time(number))?;
    writeln!(stream, "data 5\nwork")?;
    match number % ROUND {
        _ if number == 0 => {}
        // A mark is one more than the number.
        5 | 7 => writeln!(stream, "from :{}", number - 2)?,
        9 => writeln!(stream, "from :{number}\nmerge :{}", number - 2)?,
        _ => writeln!(stream, "from :{number}")?,
    }
    if number == 0 {
        write_file(stream, STORE, &question_store(questions))?;
        (0..FILES).try_for_each(|file| write_file(stream, &path(file), &text(file, 0)))?;
    } else {
        let file = changed_by(number);
        write_file(stream, &path(file), &text(file, number))?;
    }
    if number % ROUND == ROUND - 1 {
        // What the side branch changed: a stream merges no files.
        for side in [number - 4, number - 3] {
            let file = changed_by(side);
            write_file(stream, &path(file), &text(file, side))?;
        }
    }
    writeln!(stream)
}

pub fn write_file(stream: &mut impl Write, path: &str, text: &str) -> io::Result<()> {
    write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len())
}
