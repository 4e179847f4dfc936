//! A history of many commits, entries for each of them, and git's own way to write notes in bulk.

use std::fs;

use git_sq::{
    entry::{Line, Ts},
    git::{Oid, Repo},
    store::LOCAL_REF,
};
use jiff::Timestamp;
use serde_json::{Value, json};

pub use git_sq_test_support::World;

/// When the history begins, in seconds since 1970.
const BEGINNING: i64 = 1_600_000_000;

/// Up to this many notes, git is asked to add one after the other.
const ONE_BY_ONE: usize = 1_000;

/// A commit's id and the text of its entry, oldest first.
pub struct Entries(pub Vec<(String, String)>);

impl Entries {
    /// An entry for each commit.
    pub fn on(commits: &[String]) -> Self {
        Self(
            commits
                .iter()
                .enumerate()
                .map(|(number, commit)| {
                    let text = String::from_utf8(
                        Line::of(&entry(number, commit)).unwrap().as_bytes().to_vec(),
                    )
                    .unwrap();
                    (commit.clone(), text)
                })
                .collect(),
        )
    }

    /// The entries as the store takes them.
    pub fn lines(&self) -> Vec<(Oid, Line)> {
        self.0
            .iter()
            .enumerate()
            .map(|(number, (commit, _))| {
                let line = Line::of(&entry(number, commit)).unwrap();
                (commit.parse().unwrap(), line)
            })
            .collect()
    }

    /// The texts alone, sorted.
    pub fn texts(&self) -> Vec<&str> {
        let mut texts: Vec<&str> = self.0.iter().map(|(_, text)| text.as_str()).collect();
        texts.sort_unstable();
        texts
    }
}

/// One session's answer, with every second one a change, so that nobody takes the sessions for silent.
pub fn entry(number: usize, commit: &str) -> Value {
    let seconds = BEGINNING + i64::try_from(number).unwrap() * 60 + 1;
    let ts = Ts::from(Timestamp::from_second(seconds).unwrap());
    json!({
        "ts": ts,
        "kind": "rederive",
        "id": format!("{number:026}"),
        "sid": format!("s{number}"),
        "repo_head_sha": commit,
        "v": 1,
        "tool": "git-sq/0.1.0",
        "results": [{
            "q_id": "q1",
            "last_rederived_ts": ts,
            "delta": number % 2 == 1,
            "note": format!("answer {number}"),
        }],
    })
}

/// A world whose history has that many commits and asks one question.
pub fn with_history(commits: usize) -> World {
    let world = World::new();
    let store = git_sq_test_support::store(&["q1"]);
    let mut stream = String::new();
    for number in 0..commits {
        let time = BEGINNING + i64::try_from(number).unwrap() * 60;
        stream += &header("refs/heads/main", time);
        if number == 0 {
            stream += "M 100644 inline standing_questions.json\n";
            stream += &lines([format!("data {}", store.len()), store.clone()]);
        }
    }
    import(&world, &stream);
    world.git(&["reset", "--quiet", "--hard"]).ok();
    world
}

/// The ids of all commits, oldest first.
pub fn commits(world: &World) -> Vec<String> {
    world.git(&["rev-list", "--reverse", "HEAD"]).ok().lines().map(str::to_owned).collect()
}

/// The repository, opened as the program opens it.
pub fn repo(world: &World) -> Repo {
    // Who writes stands in the world's home, which the program under test sees and this one does not.
    world.git_ok("config user.name 'Ada Example'");
    world.git_ok("config user.email ada@example.org");
    Repo::open(&world.dir).unwrap()
}

/// The tree of a revision.
pub fn tree(world: &World, revision: &str) -> String {
    let tree = format!("{revision}^{{tree}}");
    world.git(&["rev-parse", "--verify", &tree]).ok()
}

/// Lets git write the notes, in the way that a user would; where there are many, as copies of notes on the texts.
pub fn git_writes(world: &World, entries: &Entries) {
    let texts = world.root().join("texts");
    fs::create_dir_all(&texts).unwrap();
    let paths: Vec<String> = (0..entries.0.len())
        .map(|number| {
            let path = texts.join(number.to_string());
            fs::write(&path, format!("{}\n", entries.0[number].1)).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    let hash = ["hash-object", "-w", "--stdin-paths"];
    let blobs = with_input(world, &hash, &lines(paths));
    let blobs: Vec<&str> = blobs.lines().collect();
    let pairs = || blobs.iter().zip(entries.0.iter().map(|(commit, _)| commit));
    if entries.0.len() <= ONE_BY_ONE {
        for (blob, commit) in pairs() {
            world.git_ok(&format!("notes --ref=sq add -C {blob} {commit}"));
        }
        return;
    }
    // A note on each text that is the text itself; copied to the commit, then taken away.
    let notes = blobs.iter().map(|blob| format!("M 100644 {blob} {blob}"));
    let stream = header(LOCAL_REF, BEGINNING) + &lines(notes);
    import(world, &stream);
    let copies = lines(pairs().map(|(blob, commit)| format!("{blob} {commit}")));
    with_input(world, &["notes", "--ref=sq", "copy", "--stdin"], &copies);
    let remove = ["notes", "--ref=sq", "remove", "--stdin"];
    with_input(world, &remove, &lines(&blobs));
}

/// How a commit begins in a stream for `git fast-import`.
fn header(name: &str, time: i64) -> String {
    format!("commit {name}\ncommitter Ada Example <ada@example.org> {time} +0000\ndata 5\nwork\n")
}

fn lines(items: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut text = String::new();
    for item in items {
        text += item.as_ref();
        text.push('\n');
    }
    text
}

fn import(world: &World, stream: &str) {
    with_input(world, &["fast-import", "--quiet"], stream);
}

fn with_input(world: &World, args: &[&str], input: &str) -> String {
    world.git_with_input(args, input.as_bytes()).ok()
}
