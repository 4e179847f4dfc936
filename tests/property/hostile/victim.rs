//! A repository whose log is attacked, and the program run in it, in little time and memory.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use git_sq_test_support::{World, program, words};

use super::{PATIENCE, mutate::Noise};

/// Commands that read all there is, one by one.
const READING: &str = "check; check --format json; check --base HEAD~1 --format json; brief; brief --format markdown;
    status; status --format json; log; log --format json; log --all --kind all --oneline; show q1; show HEAD;
    show s1 --format json; state show --format json; tension list; tension next; doctor; doctor --format json;
    export --kind all; question lint; question history q1 --format json; session current; carry --dry-run;
    verify --answers --format json";

const WRITING: &str = "record --same q1=x; record --delta q1=y --format json; state set --status fine;
    session start --sid s3; session end; tension open What --type gap --source x; sync; sync --format json; carry;
    doctor --fix";

/// One of some commands.
fn one_of(commands: &str, noise: &mut Noise) -> String {
    let commands: Vec<&str> = commands.split(';').collect();
    noise.pick(&commands).trim().to_owned()
}

/// More than any of this needs, in kilobytes of address space.
const MEMORY: u32 = 1 << 20;

/// How often the program ended with which code, and the longest that it took.
pub static FIGURES: Mutex<(BTreeMap<i32, u32>, Duration)> =
    Mutex::new((BTreeMap::new(), Duration::ZERO));

/// Whether a character does anything to a terminal but to appear there.
pub fn steers(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// A clone with a log that it shares with a remote.
pub struct Victim {
    pub world: World,
    /// The commits, newest first; the remote lacks the newest.
    pub commits: [String; 2],
    /// What is to be restored: all that is no object, and the first objects.
    base: Vec<(PathBuf, Vec<u8>)>,
}

impl Victim {
    pub fn new() -> Self {
        let world = World::asked();
        world.git_ok("clone --quiet --bare . ../remote.git");
        world.git_ok("remote add origin ../remote.git");
        world.git_ok("fetch --quiet");
        world.git_ok("branch --quiet --set-upstream-to=origin/main");
        world.sq_ok("init --no-hooks");
        // No process outlives its round.
        world.git_ok("config sq.pushTimeout 0");
        world.record("s1").ok();
        world.sq_ok("sync");
        let first = world.head();
        let commits = [world.commit("Two"), first];
        world.sq_ok("session start --sid s2");
        world.sq_ok("state set --status fine");
        world.sq_ok("tension open Why --type gap --source x --curiosity 1 --intrusiveness 1");
        world.sq_ok("check");
        // The remote can have whatever the clone has.
        let objects = world.dir.join(".git/objects");
        let alternates = world.root().join("remote.git/objects/info/alternates");
        fs::create_dir_all(alternates.parent().unwrap()).unwrap();
        fs::write(alternates, format!("{}\n", objects.display())).unwrap();
        let mut base = Vec::new();
        for folder in ["repo", "remote.git"] {
            files(&world.root().join(folder), &mut base);
        }
        Self { world, commits, base }
    }

    /// Files as they were in the beginning, below `.git`, whose path contains this.
    pub fn base(&self, part: &str) -> Vec<(PathBuf, Vec<u8>)> {
        let git = self.path("");
        let is_meant = |path: &Path| {
            path.strip_prefix(&git).is_ok_and(|path| path.to_string_lossy().contains(part))
        };
        self.base.iter().filter(|(path, _)| is_meant(path)).cloned().collect()
    }

    /// A path below `.git`.
    pub fn path(&self, path: &str) -> PathBuf {
        self.world.dir.join(".git").join(path)
    }

    /// Makes everything as it was in the beginning, but for objects that were added.
    pub fn restore(&self) {
        let root = self.world.root();
        for folder in ["repo/.git", "remote.git"] {
            self.clear(&root.join(folder));
        }
        for (path, bytes) in &self.base {
            if fs::read(path).is_ok_and(|now| now == *bytes) {
                continue;
            }
            remove(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        // Git wants the folder.
        fs::create_dir_all(root.join("remote.git/refs")).unwrap();
    }

    /// Removes what was not there in the beginning.
    fn clear(&self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                if entry.file_name() != "objects" {
                    self.clear(&path);
                    // Where it is empty.
                    let _ = fs::remove_dir(&path);
                }
            } else if !self.base.iter().any(|(known, _)| *known == path) {
                remove(&path);
            }
        }
    }

    /// Writes a file below `.git`, whatever is in its way.
    pub fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        let parent = path.parent().unwrap();
        if !parent.is_dir() {
            remove(parent);
            fs::create_dir_all(parent).unwrap();
        }
        remove(&path);
        fs::write(path, bytes).unwrap();
    }

    /// Writes an object, however odd it is.
    pub fn object(&self, kind: &str, bytes: &[u8]) -> String {
        let args = ["hash-object", "-t", kind, "-w", "--stdin", "--literally"];
        self.world.git_with_input(&args, bytes).ok().trim().to_owned()
    }

    /// Runs the program; it ends with a documented code, and prints nothing that steers.
    #[track_caller]
    pub fn survives(&self, line: &str, input: Option<&[u8]>, hostile: &[u8]) -> i32 {
        let root = self.world.root();
        let file = |name: &str| root.join(name);
        let mut run = self.world.command("sh");
        let limit = format!("ulimit -v {MEMORY} 2>/dev/null\nexec \"$@\"");
        run.args(["-c", &limit, "sh"]).arg(program()).args(words(line));
        if let Some(input) = input {
            fs::write(file("input"), input).unwrap();
            run.stdin(File::open(file("input")).unwrap());
        }
        run.stdout(File::create(file("out")).unwrap());
        run.stderr(File::create(file("err")).unwrap());
        // Where a remote takes nothing, a dozen attempts with pauses in between.
        let patience = PATIENCE * if line.starts_with("sync") { 9 } else { 1 };
        let (code, took) = in_time(&mut run, patience);
        let context = || {
            format!("{line} ended with {code:?} after {took:?} on \"{}\"", hostile.escape_ascii())
        };
        let text = |name| {
            let bytes = fs::read(file(name)).unwrap();
            String::from_utf8(bytes).unwrap_or_else(|_| panic!("no UTF-8: {}", context()))
        };
        let (out, err) = (text("out"), text("err"));
        let code = code.unwrap_or_else(|| panic!("{err}{}", context()));
        assert!(matches!(code, 0 | 1 | 3 | 128 | 129), "{err}{}", context());
        assert!(!out.contains(steers) && !err.contains(steers), "{out:?} {err:?} {}", context());
        if line.contains("format json") && !out.is_empty() {
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(&out);
            assert!(parsed.is_ok(), "{out} {}", context());
        }
        let mut figures = FIGURES.lock().unwrap();
        *figures.0.entry(code).or_default() += 1;
        figures.1 = figures.1.max(took);
        code
    }

    /// Runs two of the reading commands, or one that writes and one that reads what came of it.
    pub fn read_or_write(&self, noise: &mut Noise, hostile: &[u8]) {
        let first = if noise.is_one_in(3) { WRITING } else { READING };
        for commands in [first, READING] {
            self.survives(&one_of(commands, noise), None, hostile);
        }
    }
}

/// How it ended, and how long it took; None where it was ended by a signal, or took too long.
fn in_time(run: &mut Command, patience: Duration) -> (Option<i32>, Duration) {
    let start = Instant::now();
    let mut child = run.spawn().unwrap();
    while start.elapsed() < patience {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), start.elapsed());
        }
        thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    let _ = child.wait();
    (None, start.elapsed())
}

/// Adds all files of a folder, with what is in them.
fn files(folder: &Path, found: &mut Vec<(PathBuf, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            files(&entry.path(), found);
        } else if !entry.path().to_string_lossy().ends_with(".sample") {
            found.push((entry.path(), fs::read(entry.path()).unwrap()));
        }
    }
}

/// Removes a file or a folder, or nothing.
fn remove(path: &Path) {
    if fs::remove_file(path).is_err() {
        let _ = fs::remove_dir_all(path);
    }
}
