//! A world of its own for each test: an empty home, a ticking clock, the real program and the real git.

mod chain;
#[cfg(unix)]
pub mod fleet;
mod page;
pub mod race;
mod team;
mod template;

use std::{
    cell::Cell,
    collections::BTreeSet,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::OnceLock,
};

use tempfile::TempDir;

pub use chain::chains;
pub use page::texts_of_page;
pub use team::{Prepare, Team, copy_dir, ended, executable, settle};
pub use template::Template;

/// Seconds since 1970 at which every world begins: 2026-01-01T00:00:00Z.
const BEGINNING: i64 = 1_767_225_600;

/// What a program did.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Output and status in one text, for snapshots.
    pub fn transcript(&self) -> String {
        let mut text = self.stdout.clone();
        if !self.stderr.is_empty() {
            text += "--- stderr\n";
            text += &self.stderr;
        }
        text + &format!("--- exit {}\n", self.code)
    }

    /// The same, if this was its exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{}", self.transcript());
        self
    }

    /// Its standard output, if it exited 0.
    #[track_caller]
    pub fn ok(self) -> String {
        self.exits(0).stdout
    }

    /// Its standard output as json, whatever the exit code.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", self.transcript()))
    }
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// A folder with a home and a repository in it.
pub struct World {
    root: TempDir,
    /// Where commands run.
    pub dir: PathBuf,
    clock: Cell<i64>,
    env: Vec<(String, String)>,
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

/// Where worlds are made: in memory where that is a place for programs and for large files, since half of the time of
/// the tests is a disk's. `TMPDIR` has the last word.
#[cfg(target_os = "linux")]
fn scratch() -> PathBuf {
    use nix::sys::statvfs::{FsFlags, statvfs};
    let memory = Path::new("/dev/shm");
    let is_fit = statvfs(memory).is_ok_and(|found| {
        let refused = FsFlags::ST_RDONLY | FsFlags::ST_NOEXEC;
        let free = found.blocks_available() * found.fragment_size();
        !found.flags().intersects(refused) && free >= 4 << 30
    });
    if is_fit && std::env::var_os("TMPDIR").is_none() {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    }
}

#[cfg(not(target_os = "linux"))]
fn scratch() -> PathBuf {
    std::env::temp_dir()
}

impl World {
    /// A world whose repository `repo` has no commit yet.
    pub fn new() -> Self {
        static MADE: OnceLock<Template> = OnceLock::new();
        Self::copy_of(&MADE, || Self::with_repo("repo", &[]))
    }

    /// A copy of a world that is made once in a test process.
    pub fn copy_of(made: &OnceLock<Template>, make: impl FnOnce() -> Self) -> Self {
        made.get_or_init(|| Template::of(&make())).copy()
    }

    /// A world whose repository asks q1, and has nothing else in its one commit.
    pub fn asked() -> Self {
        static MADE: OnceLock<Template> = OnceLock::new();
        Self::copy_of(&MADE, || {
            let world = Self::new();
            world.ask(&["q1"]);
            world
        })
    }

    /// The same, where a session of this name gave an answer.
    pub fn answered(sid: &str) -> Self {
        let world = Self::asked();
        world.record(sid).ok();
        world
    }

    /// A world whose questions have these keys beside their text and importance 2, in turn q1, q2 and so on.
    pub fn asking(keys: &[&str]) -> Self {
        let world = Self::new();
        world.write("standing_questions.json", keyed(keys));
        world.commit("ask");
        world
    }

    /// A world with a repository in a folder of that name, made by `git init` with more arguments.
    pub fn with_repo(name: &str, init: &[&str]) -> Self {
        let world = Self::without_repo();
        let dir = world.root().join(name);
        fs::create_dir_all(&dir).unwrap();
        let world = world.at(dir);
        let args = ["init", "--quiet", "--initial-branch=main"];
        world.git(&[&args[..], init].concat()).ok();
        world
    }

    /// A world with an empty folder.
    pub fn without_repo() -> Self {
        let root = tempfile::Builder::new().prefix("git-sq-test-").tempdir_in(scratch()).unwrap();
        let home = root.path().join("home");
        // What `git init` puts into a repository: one sample is enough.
        let hooks = home.join("template/hooks");
        fs::create_dir_all(&hooks).unwrap();
        fs::write(hooks.join("update.sample"), "").unwrap();
        fs::write(
            home.join(".gitconfig"),
            "[user]\n\tname = Ada Example\n\temail = ada@example.org\n[init]\n\ttemplateDir = ~/template\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[protocol \"file\"]\n\tallow = always\n[sq]\n\tagentCommands = true\n",
        )
        .unwrap();
        let dir = root.path().canonicalize().unwrap();
        Self { root, dir, clock: Cell::new(BEGINNING), env: Vec::new() }
    }

    /// The same world with commands running elsewhere.
    pub fn at(mut self, dir: impl Into<PathBuf>) -> Self {
        self.dir = dir.into();
        self
    }

    /// The same world with one more variable in the environment.
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.env.push((name.to_owned(), value.into()));
        self
    }

    /// The folder that holds everything, canonical.
    pub fn root(&self) -> PathBuf {
        self.root.path().canonicalize().unwrap()
    }

    /// The user's home.
    pub fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// Moves the clock: seconds that go by.
    pub fn pass(&self, seconds: i64) {
        self.clock.set(self.clock.get() + seconds);
    }

    /// A command in this world's environment; the clock has ticked one minute.
    pub fn command(&self, program: &str) -> Command {
        self.pass(60);
        let mut command = Command::new(program);
        command.env_clear().current_dir(&self.dir).stdin(Stdio::null());
        command.env("PATH", path_without_program());
        for keep in ["TMPDIR", "SYSTEMROOT", "TEMP", "TMP", "PATHEXT", "LLVM_PROFILE_FILE"] {
            if let Some(value) = std::env::var_os(keep) {
                command.env(keep, value);
            }
        }
        let time = format!("{} +0000", self.clock.get());
        command
            .env("HOME", self.home())
            .env("USERPROFILE", self.home())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CEILING_DIRECTORIES", self.root())
            // Else git's words depend on where the world was made.
            .env("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")
            .env("GIT_AUTHOR_DATE", &time)
            .env("GIT_COMMITTER_DATE", &time)
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .env("SQ_TEST_NOW", self.now());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// What the program takes for the time.
    pub fn now(&self) -> String {
        jiff::Timestamp::from_second(self.clock.get()).unwrap().to_string()
    }

    /// Runs git.
    pub fn git(&self, args: &[&str]) -> Ran {
        self.command("git").args(args).output().unwrap().into()
    }

    /// Runs the program.
    pub fn sq(&self, args: &[&str]) -> Ran {
        self.sq_command(args).output().unwrap().into()
    }

    /// Runs git with the words of a line, as a shell splits it.
    pub fn try_git(&self, line: &str) -> Ran {
        self.git(&refs(&words(line)))
    }

    /// What git says to a line, which it has no trouble with.
    #[track_caller]
    pub fn git_ok(&self, line: &str) -> String {
        self.try_git(line).ok()
    }

    /// The same in another folder.
    #[track_caller]
    pub fn git_ok_in(&self, dir: &Path, line: &str) -> String {
        self.git_in(dir, &refs(&words(line))).ok()
    }

    /// Runs `git sq` with the words of a line, as a shell splits it.
    pub fn try_sq(&self, line: &str) -> Ran {
        self.sq(&refs(&words(line)))
    }

    /// What `git sq` says to a line, which it has no trouble with.
    #[track_caller]
    pub fn sq_ok(&self, line: &str) -> String {
        self.try_sq(line).ok()
    }

    /// The same in another folder.
    #[track_caller]
    pub fn sq_ok_in(&self, dir: &Path, line: &str) -> String {
        self.sq_in(dir, &refs(&words(line))).ok()
    }

    /// Runs `git sq` with the words of a line and more variables in the environment.
    pub fn sq_env(&self, line: &str, env: &[(&str, &str)]) -> Ran {
        let mut command = self.sq_command(&refs(&words(line)));
        command.envs(env.iter().copied()).output().unwrap().into()
    }

    /// Runs `git sq` with the words of a line and something on its standard input.
    pub fn sq_input(&self, line: &str, input: &str) -> Ran {
        self.sq_with_input(&refs(&words(line)), input)
    }

    /// The program, ready to run, without git in between: `tests/cli/places.rs` has git start it.
    pub fn sq_command(&self, args: &[&str]) -> Command {
        let mut command = self.command(program().to_str().unwrap());
        command.env("PATH", path_with_program()).args(args);
        command
    }

    /// What `git sq` says to a person, who runs the words of a line on a terminal and has no trouble with it.
    #[track_caller]
    pub fn person_ok(&self, line: &str) -> String {
        self.person(line, "").ok()
    }

    /// The same in another folder.
    #[track_caller]
    pub fn person_ok_in(&self, dir: &Path, line: &str) -> String {
        self.person_in(dir, line).ok()
    }

    /// The same, whether or not there is trouble.
    pub fn person_in(&self, dir: &Path, line: &str) -> Ran {
        self.person_typing_in(dir, line, "")
    }

    /// The same, and the person types something.
    pub fn person_typing_in(&self, dir: &Path, line: &str, typed: &str) -> Ran {
        let mut command = self.sq_command(&refs(&words(line)));
        command.current_dir(dir);
        on_terminal(command, typed)
    }

    /// Runs `git sq` with the words of a line on a terminal, on which a person types something.
    pub fn person(&self, line: &str, typed: &str) -> Ran {
        on_terminal(self.sq_command(&refs(&words(line))), typed)
    }

    /// Runs `git sq` with something on its standard input.
    pub fn sq_with_input(&self, args: &[&str], input: &str) -> Ran {
        let file = self.root().join("input");
        fs::write(&file, input).unwrap();
        let mut command = self.sq_command(args);
        command.stdin(fs::File::open(file).unwrap());
        command.output().unwrap().into()
    }

    /// Runs git in another folder.
    pub fn git_in(&self, dir: &Path, args: &[&str]) -> Ran {
        let mut command = self.command("git");
        command.args(args).current_dir(dir);
        command.output().unwrap().into()
    }

    /// Runs `git sq` in another folder.
    pub fn sq_in(&self, dir: &Path, args: &[&str]) -> Ran {
        let mut command = self.sq_command(args);
        command.current_dir(dir).output().unwrap().into()
    }

    /// Runs a line of a shell in a folder, with the program on the PATH.
    pub fn shell_in(&self, dir: &Path, line: &str) -> Ran {
        let mut shell = self.command("sh");
        shell.env("PATH", path_with_program()).current_dir(dir).args(["-c", line]);
        shell.output().unwrap().into()
    }

    /// Runs git with bytes on its standard input.
    pub fn git_with_input(&self, args: &[&str], input: &[u8]) -> Ran {
        let file = self.root().join("input");
        fs::write(&file, input).unwrap();
        let mut command = self.command("git");
        command.args(args).stdin(fs::File::open(file).unwrap());
        command.output().unwrap().into()
    }

    /// Writes a blob and gives its id.
    pub fn blob(&self, bytes: &[u8]) -> String {
        self.git_with_input(&["hash-object", "-w", "--stdin"], bytes).ok().trim().to_owned()
    }

    /// Makes a tree out of lines as `git ls-tree` prints them, present objects or not.
    pub fn tree(&self, lines: &[String]) -> String {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.git_with_input(&["mktree", "--missing"], text.as_bytes()).ok().trim().to_owned()
    }

    /// Makes the log's local ref a notes commit with this tree, whatever is in it, and forgets what was there.
    pub fn plant_tree(&self, lines: &[String]) {
        let tree = self.tree(lines);
        let commit = self.git(&["commit-tree", "-m", "Notes planted by a test", &tree]);
        self.git(&["update-ref", "refs/notes/sq", commit.ok().trim()]).ok();
        self.git_ok("update-ref -d refs/sq/kept");
    }

    /// Makes the log's local ref hold these notes, byte for byte.
    pub fn plant(&self, notes: &[(&str, &[u8])]) {
        self.plant_tree(
            &notes
                .iter()
                .map(|(anchor, text)| format!("100644 blob {}\t{anchor}", self.blob(text)))
                .collect::<Vec<_>>(),
        );
    }

    /// Adds lines to HEAD's note, as somebody would who writes notes without the tool.
    pub fn plant_lines(&self, lines: &[String]) {
        let head = self.head();
        let listed = self.git(&["notes", "--ref=sq", "list", &head]);
        let mut note = Vec::new();
        if listed.code == 0 {
            note = self.note(&head);
        }
        note.extend(lines.concat().into_bytes());
        self.plant(&[(&head, &note)]);
    }

    /// The bytes of a note of the log's local ref, as plain git has them.
    pub fn note(&self, anchor: &str) -> Vec<u8> {
        let blob = self.git(&["notes", "--ref=sq", "list", anchor]).ok();
        let mut command = self.command("git");
        command.args(["cat-file", "blob", blob.trim()]);
        command.output().unwrap().stdout
    }

    /// Records one answer with `same`, as session `sid`, in a folder.
    pub fn record_in(&self, dir: &Path, sid: &str) -> Ran {
        self.sq_in(dir, &["record", "--sid", sid, "--same", "q1=as it was"])
    }

    /// Records one answer with `same`, as session `sid`.
    pub fn record(&self, sid: &str) -> Ran {
        self.record_in(&self.dir, sid)
    }

    /// The gate's report as json, and its exit code, in another folder.
    pub fn check_in(&self, dir: &Path) -> (serde_json::Value, i32) {
        let ran = self.sq_in(dir, &["check", "--format", "json"]);
        (ran.json(), ran.code)
    }

    /// Adds a linked worktree `side`, on a branch of that name, beside this one, and gives its folder.
    pub fn beside(&self) -> PathBuf {
        self.git(&["worktree", "add", "--quiet", "-b", "side", "../side"]).ok();
        self.root().join("side")
    }

    /// Clones the repository, with options of `git clone`, into a folder of this name beside it, and gives the folder.
    #[track_caller]
    pub fn cloned(&self, options: &str, name: &str) -> PathBuf {
        let url = format!("file://{}", self.dir.display());
        self.git_ok(&format!("clone --quiet {options} '{url}' ../{name}"));
        self.root().join(name)
    }

    /// Removes the loose file of an object.
    pub fn lose(&self, id: &str) {
        let (folder, file) = id.split_at(2);
        let path = self.dir.join(".git/objects").join(folder).join(file);
        fs::remove_file(path).unwrap();
    }

    /// Writes a file under the current folder.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.dir.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// The text of a file under the current folder.
    #[track_caller]
    pub fn read(&self, path: &str) -> String {
        fs::read_to_string(self.dir.join(path)).unwrap()
    }

    /// Commits everything in the worktree and gives the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]).ok();
        self.git(&["commit", "--quiet", "--allow-empty", "-m", message]).ok();
        self.head()
    }

    /// Commits a file with this text and gives the commit's id.
    pub fn change(&self, path: &str, text: impl AsRef<[u8]>) -> String {
        self.write(path, text);
        self.commit(path)
    }

    /// The id of HEAD.
    pub fn head(&self) -> String {
        let loose = |name: &str| {
            Some(fs::read_to_string(self.dir.join(".git").join(name)).ok()?.trim().to_owned())
        };
        let Some(head) = loose("HEAD").and_then(|head| loose(head.strip_prefix("ref: ")?)) else {
            // The branch is packed, or the folder is a linked worktree.
            return self.git_ok("rev-parse HEAD").trim().to_owned();
        };
        self.pass(60);
        head
    }

    /// Commits a store with these questions, and gives the commit.
    pub fn ask(&self, questions: &[&str]) -> String {
        self.write("standing_questions.json", store(questions));
        self.commit("Ask standing questions")
    }

    /// Commits a store of the second format with these questions, as JSON, and gives the commit.
    pub fn ask_json(&self, questions: &str) -> String {
        self.write("standing_questions.json", store_v2(questions));
        self.commit("Ask standing questions")
    }

    /// What `git sq` says to a line as json, whatever the exit code.
    #[track_caller]
    pub fn json(&self, line: &str) -> serde_json::Value {
        self.try_sq(&format!("{line} --format json")).json()
    }

    /// Where a question stands, as the gate has it.
    #[track_caller]
    pub fn standing(&self, name: &str) -> String {
        let check = self.check(&[]).0;
        let found = each(&check["questions"]).find(|at_tip| at_tip["question"] == name);
        found.unwrap_or_else(|| panic!("{check}"))["standing"].as_str().unwrap().to_owned()
    }

    /// The id of a session's newest entry.
    #[track_caller]
    pub fn entry_of(&self, sid: &str) -> String {
        let log = self.json(&format!("log --session {sid}"));
        log["entries"][0]["id"].as_str().unwrap().to_owned()
    }

    /// Something that the gate's findings have, of each of them.
    pub fn found(&self, key: &str) -> Vec<String> {
        let check = self.check(&[]).0;
        let found = each(&check["findings"]);
        found.map(|finding| finding[key].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Every line of the log's local ref, sorted, as plain git gives it.
    pub fn lines(&self) -> Vec<String> {
        let grep = ["grep", "--no-color", "-z", "-a", "", "refs/notes/sq", "--", ":/"];
        let shown = self.git(&grep);
        let (notes, mut lines): (BTreeSet<&str>, Vec<String>) = shown
            .stdout
            .lines()
            .filter_map(|line| line.split_once('\0'))
            .map(|(note, line)| (note, line.to_owned()))
            .unzip();
        // As if each note were read by a command of its own.
        self.pass(60 * notes.len() as i64);
        lines.sort();
        lines
    }

    /// The gate's report as json, and its exit code.
    pub fn check(&self, args: &[&str]) -> (serde_json::Value, i32) {
        let ran = self.sq(&[&["check", "--format", "json"], args].concat());
        (ran.json(), ran.code)
    }

    /// The exit code of the gate, and the rules of what it finds: `1 flagged outdated`.
    pub fn verdict(&self, line: &str) -> String {
        self.verdict_in(&self.dir, line)
    }

    /// The same in another folder.
    pub fn verdict_in(&self, dir: &Path, line: &str) -> String {
        let line = words(&format!("check --format json {line}"));
        let ran = self.sq_in(dir, &refs(&line));
        let report = ran.json();
        let rules = each(&report["findings"])
            .map(|finding| format!(" {}", finding["rule"].as_str().unwrap()));
        ran.code.to_string() + &rules.collect::<String>()
    }

    /// What the gate finds by one rule.
    pub fn messages(&self, rule: &str) -> Vec<String> {
        let (report, _) = self.check(&[]);
        each(&report["findings"])
            .filter(|finding| finding["rule"] == rule)
            .map(|finding| finding["message"].as_str().unwrap().to_owned())
            .collect()
    }

    /// The newest line of the log.
    pub fn newest(&self) -> serde_json::Value {
        serde_json::from_str(self.lines().last().unwrap()).unwrap()
    }
}

/// The elements of a list.
#[track_caller]
pub fn each(list: &serde_json::Value) -> std::slice::Iter<'_, serde_json::Value> {
    list.as_array().unwrap().iter()
}

/// The words of a line: parted by blanks, but for what stands in quotes of either kind.
///
/// # Panics
/// When a quote is not closed.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            ' ' | '\n' => words.extend(word.take()),
            quote @ ('\'' | '"') => {
                let word = word.get_or_insert_default();
                let closed = rest.by_ref().any(|character| {
                    if character != quote {
                        word.push(character);
                    }
                    character == quote
                });
                assert!(closed, "a quote is open: {line}");
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

/// The environment that was set for a command.
pub fn variables(command: &Command) -> Vec<(OsString, OsString)> {
    command
        .get_envs()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
        .collect()
}

/// Runs a command whose standard input and output are a terminal that echoes nothing.
#[cfg(unix)]
fn on_terminal(mut command: Command, typed: &str) -> Ran {
    use nix::{
        pty::openpty,
        sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr},
    };
    use std::io::{Read as _, Write as _};
    let pty = openpty(None, None).unwrap();
    let mut raw = tcgetattr(&pty.slave).unwrap();
    cfmakeraw(&mut raw);
    tcsetattr(&pty.slave, SetArg::TCSANOW, &raw).unwrap();
    let mut screen = fs::File::from(pty.master);
    screen.write_all(typed.as_bytes()).unwrap();
    command.stdin(pty.slave.try_clone().unwrap()).stdout(pty.slave).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    // It holds the terminal open.
    drop(command);
    let mut shown = Vec::new();
    let mut buffer = [0; 4096];
    // Linux says EIO where everybody has closed the other end.
    while let Ok(1..) = screen.read(&mut buffer).inspect(|&read| shown.extend(&buffer[..read])) {}
    let ended = child.wait_with_output().unwrap();
    Output { stdout: shown, ..ended }.into()
}

#[cfg(not(unix))]
fn on_terminal(_: Command, _: &str) -> Ran {
    panic!("a test that needs a terminal is for Unix")
}

/// The same words, borrowed.
pub fn refs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// The folder of the program under test.
fn program_folder() -> PathBuf {
    // Test programs stand in `deps`, beside the program that they test.
    std::env::current_exe().unwrap().parent().and_then(Path::parent).unwrap().to_owned()
}

/// The program under test, to be run without git in between.
pub fn program() -> PathBuf {
    let name = format!("git-sq{}", std::env::consts::EXE_SUFFIX);
    program_folder().join(name)
}

/// The PATH on which git finds the program under test.
pub fn path_with_program() -> OsString {
    let path = path_without_program();
    let rest = std::env::split_paths(&path);
    std::env::join_paths(std::iter::once(program_folder()).chain(rest)).unwrap()
}

/// The PATH without the folders where the program is installed, as the README says.
pub fn path_without_program() -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = format!("git-sq{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::split_paths(&path).filter(|folder| !folder.join(&name).exists());
    std::env::join_paths(folders).unwrap()
}

/// A line of the log with what every line has, and what `body` says.
pub fn event_line(head: &str, kind: &str, id: &str, body: &serde_json::Value) -> String {
    let mut line = serde_json::json!({"ts": "2026-01-01T00:00:00.000Z", "kind": kind, "id": id,
        "sid": "planted", "repo_head_sha": head, "v": 1});
    let body = body.as_object().unwrap().clone();
    line.as_object_mut().unwrap().extend(body);
    line.to_string() + "\n"
}

/// An entry as the original pattern's own scripts write it: no id, no version.
pub fn original_line(sid: &str, ts: &str, head: &str) -> String {
    format!(
        "{{\"ts\":\"{ts}\",\"kind\":\"rederive\",\"sid\":\"{sid}\",\"repo_head_sha\":\"{head}\",\"results\":[{{\"q_id\":\"q1\",\"last_rederived_ts\":\"{ts}\",\"delta\":false,\"note\":\"as it was\"}}]}}"
    )
}

/// A v2 store with these questions, each an object of json.
pub fn store_v2(questions: &str) -> String {
    format!(r#"{{"_schema":"standing_questions/v2","questions":[{questions}]}}"#)
}

/// A v2 store whose questions have these keys beside their text and importance 2.
pub fn keyed(keys: &[&str]) -> String {
    store_v2(
        &(1..)
            .zip(keys)
            .map(|(n, keys)| format!(r#"{{"id":"q{n}","q":"?","importance":2{keys}}}"#))
            .collect::<Vec<_>>()
            .join(","),
    )
}

/// A v1 store that asks these questions, all of importance 3.
pub fn store(questions: &[&str]) -> String {
    let questions: Vec<String> = questions
        .iter()
        .map(|id| {
            format!("    {{ \"id\": \"{id}\", \"q\": \"What about {id}?\", \"importance\": 3 }}")
        })
        .collect();
    format!(
        "{{\n  \"_schema\": \"standing_questions/v1\",\n  \"questions\": [\n{}\n  ]\n}}\n",
        questions.join(",\n")
    )
}
