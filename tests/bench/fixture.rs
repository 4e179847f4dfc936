//! Repositories of a chosen size, made in seconds: history and notes come in as streams, each in one pack.

use std::{
    collections::HashMap,
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread::sleep,
    time::Duration,
};

use git_sq::{
    entry::Line,
    git::{Oid, Repo},
    store::{self, KEPT_REF, LOCAL_REF},
};
use git_sq_test_support::{World, program, refs, words};

use crate::{
    contest::{run, run_gate},
    entries::{Conduct, Log, commit_time, question_names},
    fanout::note_paths,
    history::{STORE, path, text, write_commit, write_file},
};

/// The sides of a merge, and where theirs is found.
const OURS: &str = "refs/sides/ours";
const THEIRS: &str = "refs/sides/theirs";
const TRACKING: &str = "refs/notes/remotes/origin/sq";

/// The longest chain of deltas that notes are stored in: `git gc` gives such notes chains of nine on average, and so
/// does this; left alone, a stream's chains are three times as long, and everybody reads more slowly.
const DEPTH: &str = "--depth=17";

/// How many lines are new on each side of a merge.
const NEW_LINES: usize = 100;

/// Sessions on a branch that is merged late, and the commits on main since their time, in sessions.
const LATE: usize = 50;
const LATER: usize = 250;

/// A history without notes, from which repositories are made.
pub struct History<'w> {
    world: &'w World,
    dir: PathBuf,
    /// Oldest first.
    commits: Vec<String>,
    /// The blob of the question store.
    store: String,
    questions: usize,
}

impl<'w> History<'w> {
    /// A history of that many commits; one of ten is a merge, and each changes one file.
    pub fn new(world: &'w World, length: usize, questions: usize) -> Self {
        let dir = world.root().join("history");
        run(world.command("git").args(["init", "--quiet", "--bare"]).arg(&dir));
        let marks = world.root().join("marks");
        let export = format!("--export-marks={}", marks.display());
        import(world, &dir, &[&export], |stream| {
            (0..length).try_for_each(|number| write_commit(stream, number, questions))
        });
        let marks = fs::read_to_string(marks).unwrap();
        let mut commits = vec![String::new(); length];
        for mark in marks.lines() {
            let (number, id) = mark[1..].split_once(' ').unwrap();
            id.clone_into(&mut commits[number.parse::<usize>().unwrap() - 1]);
        }
        let store = world.git_ok_in(&dir, &format!("rev-parse main:{STORE}"));
        Self { world, dir, commits, store: store.trim().to_owned(), questions }
    }

    /// How many commits there are.
    pub fn len(&self) -> usize {
        self.commits.len()
    }

    /// A repository with this history, a worktree, and notes on that many commits, HEAD among them.
    pub fn with_notes(&self, notes: usize, conduct: Conduct) -> Fixture<'w> {
        let world = self.world;
        let dir = world.root().join(format!("notes-{notes}-{conduct:?}"));
        run(world.command("git").args(["init", "--quiet", "--initial-branch=main"]).arg(&dir));
        link_packs(&self.dir.join("objects/pack"), &dir.join(".git/objects/pack"));
        let step = self.commits.len() / notes;
        let newest = self.commits.len() - 1;
        let mut fixture = Fixture {
            world,
            dir,
            commits: self.commits.clone(),
            store: self.store.clone(),
            questions: self.questions,
            conduct,
            noted: (0..notes).rev().map(|place| newest - place * step).collect(),
            start: String::new(),
        };
        fixture.import_notes();
        fixture.start = fixture.id_of(LOCAL_REF);
        let tip = fixture.commits.last().unwrap();
        run(&mut fixture.git(&["update-ref", "refs/heads/main", tip]));
        run(&mut fixture.git(&["reset", "--quiet", "--hard"]));
        // Files as young as the index would be read again by every `git status`.
        sleep(Duration::from_millis(1100));
        run(&mut fixture.git(&["status"]));
        fixture.set_commit_graph(true);
        fixture
    }
}

/// A repository to measure in.
pub struct Fixture<'w> {
    world: &'w World,
    pub dir: PathBuf,
    /// Oldest first.
    commits: Vec<String>,
    store: String,
    questions: usize,
    conduct: Conduct,
    /// The numbers of the commits that carry a note.
    noted: Vec<usize>,
    /// The notes commit to go back to.
    start: String,
}

impl Fixture<'_> {
    /// How many commits carry a note.
    pub fn notes(&self) -> usize {
        self.noted.len()
    }

    pub fn first(&self) -> &str {
        &self.commits[0]
    }

    /// Git in this repository.
    pub fn git(&self, args: &[&str]) -> Command {
        let mut command = self.world.command("git");
        command.current_dir(&self.dir).args(args);
        command
    }

    /// Our program in this repository, without git in between.
    pub fn sq(&self, args: &[&str]) -> Command {
        let mut command = self.world.command(program().to_str().unwrap());
        command.current_dir(&self.dir).args(args);
        command
    }

    /// Opens it as our program does.
    pub fn repo(&self) -> Repo {
        Repo::open(&self.dir).unwrap()
    }

    /// A new line for HEAD, and HEAD's id.
    pub fn line_for_head(&self, salt: usize) -> (String, Line) {
        self.line_for(self.commits.len() - 1, salt)
    }

    /// A new line for the `back`-th newest commit that carries a note, and that commit's id.
    pub fn line_for_noted(&self, back: usize, salt: usize) -> (String, Line) {
        let number = self.noted[self.noted.len() - 1 - back % self.noted.len()];
        self.line_for(number, salt)
    }

    fn line_for(&self, number: usize, salt: usize) -> (String, Line) {
        let commit = &self.commits[number];
        (commit.clone(), self.log(&self.repo()).line(number, commit, salt))
    }

    fn log<'l>(&'l self, repo: &'l Repo) -> Log<'l> {
        let step = self.commits.len() / self.noted.len();
        let Self { store, questions, conduct, .. } = self;
        Log { repo, store, questions: *questions, conduct: *conduct, step }
    }

    /// The names of its questions.
    pub fn questions(&self) -> Vec<String> {
        question_names(self.questions)
    }

    /// Puts the log back to where it was.
    pub fn reset(&self) {
        self.set_log(&self.start);
    }

    fn set_log(&self, to: &str) {
        for name in [LOCAL_REF, KEPT_REF] {
            run(&mut self.git(&["update-ref", name, to]));
        }
    }

    /// Writes or removes the commit-graph.
    pub fn set_commit_graph(&self, wanted: bool) {
        if wanted {
            run(&mut self.git(&["commit-graph", "write", "--reachable", "--no-progress"]));
        } else {
            fs::remove_file(self.dir.join(".git/objects/info/commit-graph")).unwrap();
        }
    }

    /// The small cache, which a run with nothing new reads alone.
    pub fn snapshot(&self) -> PathBuf {
        self.dir.join(".git/sq/cache/snapshot")
    }

    /// Has the caches written, and then makes one commit and one record; gives the commit to go back to, and the small
    /// cache from before.
    pub fn one_more(&self) -> (String, Vec<u8>) {
        self.reset();
        run_gate(&mut self.sq(&["check"]));
        let kept = fs::read(self.snapshot()).unwrap();
        let before = self.id_of("HEAD");
        fs::write(self.dir.join(path(0)), text(0, usize::MAX)).unwrap();
        run(&mut self.git(&["commit", "--quiet", "--all", "--message", "one more"]));
        let record = "record --sid one-more --delta 'q1=one more' --cite";
        run(&mut self.sq(&refs(&words(&format!("{record} q1={}:1", path(0))))));
        (before, kept)
    }

    /// Merges a branch whose entries are older than the newest ones of main; gives the same as [`Fixture::one_more`].
    pub fn merge_late(&self) -> (String, Vec<u8>) {
        self.reset();
        run_gate(&mut self.sq(&["check"]));
        let kept = fs::read(self.snapshot()).unwrap();
        let before = self.id_of("HEAD");
        let step = self.commits.len() / self.noted.len();
        let fork = self.commits.len() - 1 - LATER * step;
        import(self.world, &self.dir, &[], |stream| {
            (0..LATE).try_for_each(|place| {
                let time = commit_time(fork + place * step);
                write_header(stream, "refs/heads/late", time)?;
                if place == 0 {
                    writeln!(stream, "from {}", self.commits[fork])?;
                }
                write_file(stream, &format!("late/file{place}"), &text(place, fork))?;
                writeln!(stream)
            })
        });
        let late = self.world.git_ok_in(&self.dir, "rev-list --reverse -n 50 late");
        let repo = self.repo();
        let lines = late.lines().zip(0..).map(|(commit, place)| {
            let line = self.log(&repo).line(fork + place * step, commit, 7);
            (commit.parse().unwrap(), line)
        });
        store::append(&repo, &lines.collect::<Vec<_>>(), "Notes added").unwrap();
        run(&mut self.git(&["merge", "--quiet", "--no-edit", "late"]));
        (before, kept)
    }

    /// Takes that commit and its record back.
    pub fn one_less(&self, before: &str) {
        run(&mut self.git(&["reset", "--quiet", "--hard", before]));
        self.reset();
    }

    /// Makes two logs that have grown apart: [`NEW_LINES`] lines on each side, half of them on the same commits.
    pub fn grow_apart(&self) {
        for (side, name) in [OURS, THEIRS].into_iter().enumerate() {
            self.reset();
            let first = side * NEW_LINES / 2;
            let repo = self.repo();
            let lines: Vec<(Oid, Line)> = (first..first + NEW_LINES)
                .map(|back| {
                    let number = self.commits.len() - 1 - back;
                    let commit = &self.commits[number];
                    let line = self.log(&repo).line(number, commit, side + 1);
                    (commit.parse().unwrap(), line)
                })
                .collect();
            store::append(&repo, &lines, "Notes added").unwrap();
            run(&mut self.git(&["update-ref", name, LOCAL_REF]));
        }
        run(&mut self.git(&["update-ref", TRACKING, THEIRS]));
        for (key, value) in [("url", "nowhere"), ("sq", "true")] {
            run(&mut self.git(&["config", &format!("remote.origin.{key}"), value]));
        }
        // What is merged is packed, so that all that stands loose is what a merge wrote.
        run(&mut self.git(&["repack", "-d", "-q"]));
    }

    /// Puts the log back to our side of the merge, and takes away what the last merge wrote.
    pub fn unmerge(&self) {
        self.set_log(OURS);
        for folder in fs::read_dir(self.dir.join(".git/objects")).unwrap() {
            let folder = folder.unwrap();
            if folder.file_name().len() == 2 {
                fs::remove_dir_all(folder.path()).unwrap();
            }
        }
    }

    /// What a revision names.
    pub fn id_of(&self, revision: &str) -> String {
        self.world.git_ok_in(&self.dir, &format!("rev-parse {revision}")).trim().to_owned()
    }

    fn import_notes(&self) {
        let number_of: HashMap<&str, usize> =
            self.noted.iter().map(|&n| (self.commits[n].as_str(), n)).collect();
        let paths = note_paths(number_of.keys().copied().collect());
        let repo = self.repo();
        let log = self.log(&repo);
        import(self.world, &self.dir, &[DEPTH], |stream| {
            write_header(stream, LOCAL_REF, commit_time(self.commits.len()))?;
            let mut paths = paths.iter();
            paths.try_for_each(|(commit, path)| {
                write_note(stream, path, &log.line(number_of[commit], commit, 0))
            })
        });
    }

    /// Gives the log a history: each note comes with a commit of its own, a minute after its line. Gives the commit
    /// that had them all.
    pub fn bring_one_by_one(&mut self) -> String {
        let paths = note_paths(self.noted.iter().map(|&n| self.commits[n].as_str()).collect());
        let paths: HashMap<&str, &String> = paths.iter().map(|(a, path)| (*a, path)).collect();
        for name in [LOCAL_REF, KEPT_REF] {
            run(&mut self.git(&["update-ref", "-d", name]));
        }
        let repo = self.repo();
        let log = self.log(&repo);
        import(self.world, &self.dir, &[DEPTH], |stream| {
            self.noted.iter().try_for_each(|&number| {
                let commit = self.commits[number].as_str();
                write_header(stream, LOCAL_REF, commit_time(number) + 120)?;
                write_note(stream, paths[commit], &log.line(number, commit, 0))
            })
        });
        self.set_commit_graph(true);
        let start = self.id_of(LOCAL_REF);
        std::mem::replace(&mut self.start, start)
    }

    /// Puts another log in place of this one.
    pub fn go_back_to(&mut self, start: String) {
        self.start = start;
        self.reset();
        self.set_commit_graph(true);
    }
}

fn write_note(stream: &mut impl Write, path: &str, line: &Line) -> io::Result<()> {
    let text = line.as_bytes();
    write!(stream, "M 100644 inline {path}\ndata {}\n", text.len() + 1)?;
    stream.write_all(text)?;
    stream.write_all(b"\n\n")
}

/// Hands a stream to `git fast-import`.
fn import(
    world: &World,
    dir: &Path,
    args: &[&str],
    write: impl FnOnce(&mut BufWriter<std::process::ChildStdin>) -> io::Result<()>,
) {
    let mut command = world.command("git");
    command
        .current_dir(dir)
        .args(["-c", "fastimport.unpackLimit=1", "fast-import", "--quiet"])
        .args(args)
        .stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stream = BufWriter::new(child.stdin.take().unwrap());
    write(&mut stream).and_then(|()| stream.flush()).unwrap();
    drop(stream);
    assert!(child.wait().unwrap().success(), "git fast-import failed");
}

fn write_header(stream: &mut impl Write, name: &str, time: i64) -> io::Result<()> {
    write!(
        stream,
        "commit {name}\ncommitter Ada Example <ada@example.org> {time} +0000\ndata 5\nwork\n"
    )
}

fn link_packs(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for file in fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        let to = to.join(file.file_name());
        if fs::hard_link(file.path(), &to).is_err() {
            fs::copy(file.path(), &to).unwrap();
        }
    }
}
