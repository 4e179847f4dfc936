//! The whole program on hostile notes trees, files of its own, settings and hook input.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use git_sq_test_support::{World, program, words};

use super::{
    PATIENCE, Target, corpus,
    mutate::{Noise, mutated},
};

pub fn targets() -> Vec<Target> {
    vec![
        ("notes trees", Box::new(notes_trees())),
        ("files of its own", Box::new(own_files())),
        ("settings", Box::new(settings())),
        ("standard input", Box::new(standard_input())),
    ]
}

/// Commands that read all there is.
const READING: [&str; 10] = [
    "check",
    "check --format json",
    "log --format json",
    "log",
    "brief --format markdown",
    "state show --format json",
    "tension list",
    "doctor --format json",
    "show q1",
    "status --format json",
];

/// More than any of this needs, in kilobytes.
const MEMORY: u32 = 4 << 20;

/// Whether a character does anything to a terminal but to appear there.
pub fn steers(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// A world with a log, in which the program is run on what is hostile.
struct Victim {
    world: World,
    log: String,
}

impl Victim {
    fn new() -> Self {
        let world = World::asked();
        world.record("s1").ok();
        world.sq_ok("session start --sid s2");
        world.sq_ok("state set --status fine");
        world.sq_ok("tension open Why --type gap --source x --curiosity 1 --intrusiveness 1");
        world.sq_ok("check");
        let log = world.git_ok("rev-parse refs/notes/sq");
        Self { world, log }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.world.dir.join(".git").join(path)
    }

    /// Makes the log what it was in the beginning.
    fn restore_log(&self) {
        fs::write(self.path("refs/notes/sq"), &self.log).unwrap();
    }

    /// Runs it in little time and memory; it ends with a documented code, and prints nothing that steers.
    #[track_caller]
    fn survives(&self, line: &str, input: Option<&[u8]>, hostile: &[u8]) -> i32 {
        let root = self.world.root();
        let file = |name: &str| root.join(name);
        let mut run = self.world.command("sh");
        let limit = format!("ulimit -v {MEMORY} 2>/dev/null\nexec \"$@\"");
        run.args(["-c", &limit, "sh"])
            .arg(program())
            .args(words(line));
        if let Some(input) = input {
            fs::write(file("input"), input).unwrap();
            run.stdin(File::open(file("input")).unwrap());
        }
        run.stdout(File::create(file("out")).unwrap());
        run.stderr(File::create(file("err")).unwrap());
        let code = in_time(&mut run);
        let context = || {
            format!(
                "{line} ended with {code:?} on \"{}\"",
                hostile.escape_ascii()
            )
        };
        let text = |name| {
            let bytes = fs::read(file(name)).unwrap();
            String::from_utf8(bytes).unwrap_or_else(|_| panic!("no UTF-8: {}", context()))
        };
        let (out, err) = (text("out"), text("err"));
        let code = code.unwrap_or_else(|| panic!("{err}{}", context()));
        assert!(matches!(code, 0 | 1 | 3 | 128 | 129), "{err}{}", context());
        assert!(
            !out.contains(steers) && !err.contains(steers),
            "{out:?} {err:?} {}",
            context()
        );
        if line.contains("format json") && !out.is_empty() {
            let parsed: Result<serde_json::Value, _> = serde_json::from_str(&out);
            assert!(parsed.is_ok(), "{out} {}", context());
        }
        code
    }

    /// Runs two of the reading commands, or one that writes.
    fn read_or_write(&self, noise: &mut Noise, hostile: &[u8]) {
        if noise.is_one_in(4) {
            let writing = [
                "record --same q1=x",
                "state set --status fine",
                "session end",
            ];
            self.survives(noise.pick(&writing), None, hostile);
        } else {
            self.survives(noise.pick(&READING), None, hostile);
            self.survives(noise.pick(&READING), None, hostile);
        }
    }
}

/// How it ended; None where it was ended by a signal, or took too long.
fn in_time(run: &mut Command) -> Option<i32> {
    let start = Instant::now();
    let mut child = run.spawn().unwrap();
    while start.elapsed() < PATIENCE * 4 {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        thread::sleep(Duration::from_millis(1));
    }
    let _ = child.kill();
    let _ = child.wait();
    None
}

fn object(world: &World, kind: &str, bytes: &[u8]) -> String {
    let args = ["hash-object", "-t", kind, "-w", "--stdin", "--literally"];
    world.git_with_input(&args, bytes).ok().trim().to_owned()
}

fn bytes_of(id: &str) -> Vec<u8> {
    let pairs = (0..id.len()).step_by(2);
    pairs
        .map(|at| u8::from_str_radix(&id[at..at + 2], 16).unwrap())
        .collect()
}

fn notes_trees() -> impl FnMut(&mut Noise) {
    let victim = Victim::new();
    let head = victim.world.head();
    // On the commit that they name.
    let on_head = |line: &Vec<u8>| String::from_utf8_lossy(line).replace("abcdef0", &head);
    let lines: Vec<Vec<u8>> = corpus::lines()
        .iter()
        .map(on_head)
        .map(Into::into)
        .collect();
    move |noise| {
        let world = &victim.world;
        let mut note = Vec::new();
        for _ in 0..=noise.below(4) {
            note.extend(mutated(&lines, noise));
            note.push(b'\n');
        }
        let blob = object(world, "blob", &note);
        let mut tree = object(world, "tree", b"");
        for _ in 0..=noise.below(3) {
            let mut bytes = tree_of(&head, &blob, &tree, noise);
            if noise.is_one_in(8) {
                bytes = mutated(&[bytes], noise);
            }
            tree = object(world, "tree", &bytes);
        }
        let who = "Eve <eve@example.org> 1767225600 +0000";
        let commit = format!("tree {tree}\nauthor {who}\ncommitter {who}\n\nNotes\n");
        let mut commit = commit.into_bytes();
        if noise.is_one_in(6) {
            commit = mutated(&[commit], noise);
        }
        let commit = object(world, "commit", &commit);
        fs::write(victim.path("refs/notes/sq"), commit + "\n").unwrap();
        victim.read_or_write(noise, &note);
    }
}

/// The bytes of a tree in which the blob annotates HEAD, or nearly.
fn tree_of(head: &str, blob: &str, below: &str, noise: &mut Noise) -> Vec<u8> {
    let odd = [
        &head.to_uppercase(),
        &"0".repeat(64),
        "00",
        "a/b",
        ".git",
        "\u{202e}",
    ];
    let modes = [
        "100644", "100755", "120000", "160000", "40000", "0", "7777777",
    ];
    let mut entries = Vec::new();
    for _ in 0..=noise.below(4) {
        let name = match noise.below(8) {
            0 => noise.pick(&odd),
            1 => &head[..2],
            2 => &head[2..],
            _ => head,
        };
        let (mode, id) = match noise.below(4) {
            0 => ("40000", below),
            1 => (noise.pick(&modes), noise.pick(&[head, below, blob])),
            _ => ("100644", blob),
        };
        entries.push((name, mode, id));
    }
    if !noise.is_one_in(4) {
        entries.sort_unstable();
    }
    let entry = |(name, mode, id): &(&str, &str, &str)| {
        [format!("{mode} {name}\0").as_bytes(), &bytes_of(id)].concat()
    };
    entries.iter().flat_map(entry).collect()
}

/// All files in a folder, with what is in them.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push((entry.path(), fs::read(entry.path()).unwrap()));
        }
    }
    found
}

fn own_files() -> impl FnMut(&mut Noise) {
    let victim = Victim::new();
    let base = files(&victim.path("sq"));
    move |noise| {
        let _ = fs::remove_dir_all(victim.path("sq"));
        for (path, bytes) in &base {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        let is_state = |(path, _): &&(PathBuf, Vec<u8>)| path.ends_with("state.json");
        let state = base.iter().find(is_state).unwrap().clone();
        let (path, bytes) = if noise.is_one_in(3) {
            noise.pick(&base)
        } else {
            state
        };
        let bytes = mutated(&[bytes], noise);
        fs::write(path, &bytes).unwrap();
        victim.restore_log();
        victim.read_or_write(noise, &bytes);
    }
}

fn settings() -> impl FnMut(&mut Noise) {
    let victim = Victim::new();
    let path = victim.path("config");
    let base = fs::read(&path).unwrap();
    move |noise| {
        let mut config = base.clone();
        for _ in 0..=noise.below(3) {
            let (key, value) = noise.pick(&corpus::SETTINGS);
            let value = mutated(&[value.as_bytes().to_vec()], noise);
            config.extend(setting(key, &value));
        }
        if noise.is_one_in(8) {
            config = mutated(&[config], noise);
        }
        fs::write(&path, &config).unwrap();
        victim.restore_log();
        victim.read_or_write(noise, &config);
    }
}

/// A value as git's configuration has it.
fn setting(key: &str, value: &[u8]) -> Vec<u8> {
    let (section, name) = key.rsplit_once('.').unwrap();
    let section = match section.split_once('.') {
        Some((section, subsection)) => format!("{section} \"{subsection}\""),
        None => section.to_owned(),
    };
    let mut text = format!("[{section}]\n\t{name} = \"").into_bytes();
    for &byte in value {
        match byte {
            b'\n' => text.extend(b"\\n"),
            b'"' | b'\\' => text.extend([b'\\', byte]),
            byte => text.push(byte),
        }
    }
    text.extend(b"\"\n");
    text
}

fn standard_input() -> impl FnMut(&mut Noise) {
    let victim = Victim::new();
    let old = victim.world.head();
    let new = victim.world.commit("Two");
    let zeros = "0".repeat(40);
    let pairs = [(&old, &new), (&new, &old), (&zeros, &new), (&old, &zeros)];
    let rewritten = pairs.map(|(old, new)| format!("{old} {new}\n{new} {new} more\n").into_bytes());
    let commands = [
        ("hook post-rewrite rebase", rewritten.to_vec()),
        ("record --json -", corpus::lines()),
        ("state set --json -", corpus::lines()),
    ];
    move |noise| {
        let (line, seeds) = noise.pick(&commands);
        let input = mutated(&seeds, noise);
        victim.restore_log();
        let code = victim.survives(line, Some(&input), &input);
        let stops_git = line.starts_with("hook") && code != 0;
        assert!(!stops_git, "{line}: {}", input.escape_ascii());
    }
}
