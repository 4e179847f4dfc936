//! What it costs to add to the log: one line, a whole `record`, a crowd of writers, and a merge.

use std::{
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use git_sq::{
    entry::Line,
    git::Repo,
    store::{LOCAL_REF, append as append_lines, fold},
};
use git_sq_test_support::variables;

use crate::{
    contest::{Outcome, alternate, run, timed},
    entries::as_written,
    fixture::Fixture,
};

/// What makes this program one writer of a crowd.
pub const WRITER: &str = "--append-one-line";

const WRITERS: usize = 8;

/// The store's append of one line to a commit that has a note, with opening the repository; against `git notes
/// append` of such a line to another.
pub fn append(fixture: &Fixture, rounds: usize) -> Outcome {
    alternate(
        rounds,
        |round| {
            fixture.reset();
            let (commit, line) = fixture.line_for_noted(2 * round, round + 1);
            let lines = [(commit.parse().unwrap(), line)];
            let (time, appended) =
                timed(|| append_lines(&fixture.repo(), &lines, "Notes added by 'git sq'"));
            appended.unwrap();
            time
        },
        |round| {
            fixture.reset();
            let (commit, line) = fixture.line_for_noted(2 * round + 1, round + 1);
            run(&mut git_append(fixture, &commit, &line))
        },
    )
}

/// `git sq record` of all answers; against `git status` and `git notes append` of such a line.
pub fn record(fixture: &Fixture, rounds: usize) -> Outcome {
    let names = fixture.questions().join(",");
    alternate(
        rounds,
        |round| {
            fixture.reset();
            let sid = format!("bench-{round}");
            run(&mut fixture.sq(&["record", "--sid", &sid, "--same", &names]))
        },
        |round| {
            fixture.reset();
            let (head, line) = fixture.line_for_head(round + 1);
            run(&mut fixture.git(&["status"])) + run(&mut git_append(fixture, &head, &line))
        },
    )
}

/// The union of two logs that have grown apart, in this process; against git's own merge of the two.
///
/// # Panics
/// When the two come to different trees.
pub fn union(fixture: &Fixture, rounds: usize) -> Outcome {
    fixture.grow_apart();
    let tree = || fixture.id_of(&format!("{LOCAL_REF}^{{tree}}"));
    let mut trees = (String::new(), String::new());
    let outcome = alternate(
        rounds,
        |_| {
            fixture.unmerge();
            let (time, folded) = timed(|| fold(&fixture.repo(), &[]));
            folded.unwrap();
            trees.0 = tree();
            time
        },
        |_| {
            fixture.unmerge();
            let merge =
                "notes --ref=sq merge --quiet -s cat_sort_uniq refs/notes/remotes/origin/sq";
            let time = run(&mut fixture.git(&merge.split(' ').collect::<Vec<_>>()));
            trees.1 = tree();
            time
        },
    );
    assert_eq!(trees.0, trees.1, "the union is not the one that git makes");
    outcome
}

/// Lines that are still there, and the time for each of them.
pub struct Kept {
    pub lines: usize,
    pub of: usize,
    pub time: Duration,
}

impl Kept {
    /// The time for each line that was kept.
    pub fn each(&self) -> Duration {
        self.time / u32::try_from(self.lines.max(1)).unwrap_or(u32::MAX)
    }
}

/// Several processes at once, each appending line after line to one commit, a new process for each line on both sides;
/// what became of ours, and of git's.
pub fn crowd(fixture: &Fixture, program: &Path, appends: usize) -> [Kept; 2] {
    let gits = compete(fixture, appends, |commit, line| git_append(fixture, commit, line));
    let ours = compete(fixture, appends, |commit, line| {
        let mut command = Command::new(program);
        command.env_clear().envs(variables(&fixture.sq(&[])));
        command.current_dir(&fixture.dir).args([WRITER, commit, text(line)]);
        command
    });
    [ours, gits]
}

/// Appends a line from the command line, as one writer of a crowd.
pub fn append_one_line(commit: &str, line: &str) {
    let lines = [(commit.parse().unwrap(), as_written(line))];
    let repo = Repo::open(Path::new(".")).unwrap();
    append_lines(&repo, &lines, "Notes added by 'git sq'").unwrap();
}

fn compete(fixture: &Fixture, appends: usize, command: impl Fn(&str, &Line) -> Command) -> Kept {
    fixture.reset();
    let head = fixture.line_for_head(0).0;
    let before = lines_on(fixture, &head);
    let writers: Vec<Vec<Command>> = (0..WRITERS)
        .map(|writer| {
            (0..appends)
                .map(|append| {
                    let (head, line) = fixture.line_for_head(1 + writer * appends + append);
                    command(&head, &line)
                })
                .collect()
        })
        .collect();
    let (time, ()) = timed(|| {
        thread::scope(|scope| {
            for commands in writers {
                scope.spawn(move || {
                    for mut append in commands {
                        // Git's own appends may fail beside one another; what counts is what is kept.
                        let _ = append.stdout(Stdio::null()).stderr(Stdio::null()).status();
                    }
                });
            }
        });
    });
    Kept { lines: lines_on(fixture, &head) - before, of: WRITERS * appends, time }
}

fn lines_on(fixture: &Fixture, commit: &str) -> usize {
    let output = fixture.git(&["notes", "--ref=sq", "show", commit]).output();
    String::from_utf8_lossy(&output.unwrap().stdout)
        .into_owned()
        .lines()
        .filter(|line| !line.is_empty())
        .count()
}

fn git_append(fixture: &Fixture, commit: &str, line: &Line) -> Command {
    fixture.git(&["notes", "--ref=sq", "append", "-m", text(line), commit])
}

fn text(line: &Line) -> &str {
    str::from_utf8(line.as_bytes()).unwrap()
}
