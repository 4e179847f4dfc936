//! A bare repository and clones of it, in which people commit, record and push as they do every day.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use crate::{Ran, World, path_with_program, refs, store, template::Template, words};

/// A bare repository, and clones that share the log with it.
pub struct Team {
    pub world: World,
    /// The bare repository.
    pub remote: PathBuf,
    /// The first clone.
    pub clone: PathBuf,
}

/// Something that is done to a team before a push.
pub type Prepare<'t> = &'t dyn Fn(&Team);

/// Lines, each with its end.
pub fn ended<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.flat_map(|line| [line, "\n"]).collect()
}

impl Default for Team {
    fn default() -> Self {
        Self::new()
    }
}

impl Team {
    /// A copy of a team that is made once in a test process.
    pub fn copy_of(made: &OnceLock<Template>, make: impl FnOnce() -> Self) -> Self {
        Self::in_world(World::copy_of(made, || make().world))
    }

    /// A team of one, whose clone `git sq init` has set up.
    pub fn new() -> Self {
        static MADE: OnceLock<Template> = OnceLock::new();
        Self::copy_of(&MADE, || Self::set_up_by(&["init"]))
    }

    /// The same, but that git behaves as it does without us; the log is there.
    pub fn without_hooks() -> Self {
        static MADE: OnceLock<Template> = OnceLock::new();
        Self::copy_of(&MADE, || Self::set_up_by(&["init", "--no-hooks"]))
    }

    fn set_up_by(init: &[&str]) -> Self {
        let team = Self::unprepared();
        team.sq(&team.clone, init).ok();
        team
    }

    /// A team whose clone knows nothing of us.
    pub fn unprepared() -> Self {
        static MADE: OnceLock<Template> = OnceLock::new();
        Self::copy_of(&MADE, Self::made)
    }

    fn in_world(world: World) -> Self {
        let (remote, clone) = (world.root().join("remote.git"), world.root().join("clone"));
        Self { world, remote, clone }
    }

    fn made() -> Self {
        let world = World::without_repo();
        let init = ["init", "--quiet", "--bare", "--initial-branch=main"];
        world.git(&[&init[..], &["remote.git"]].concat()).ok();
        world.git(&["clone", "--quiet", "remote.git", "clone"]).ok();
        let team = Self::in_world(world);
        // Where the default branch has another name.
        team.git(&team.clone, &["checkout", "--quiet", "-B", "main"]).ok();
        fs::write(team.clone.join("standing_questions.json"), store(&["q1"])).unwrap();
        team.git(&team.clone, &["add", "--all"]).ok();
        team.commit(&team.clone, "Ask standing questions");
        team.git(&team.clone, &["push", "--quiet", "-u", "origin", "main"]).ok();
        team
    }

    /// Another clone, set up.
    pub fn join(&self, name: &str) -> PathBuf {
        let dir = self.world.root().join(name);
        self.world.git(&["clone", "--quiet", "remote.git", name]).ok();
        self.sq(&dir, &["init"]).ok();
        dir
    }

    /// Another clone, made with options of `git clone`, in which nothing is set up.
    #[track_caller]
    pub fn cloned(&self, options: &str, name: &str) -> PathBuf {
        let url = self.remote.display();
        self.world.git_ok_in(
            &self.world.root(),
            &format!("clone --quiet {options} 'file://{url}' {name}"),
        );
        self.world.root().join(name)
    }

    /// Git in a folder, ready to run, with the program where hooks find it.
    pub fn command(&self, dir: &Path, args: &[&str]) -> Command {
        let mut command = self.world.command("git");
        command.env("PATH", path_with_program()).args(args).current_dir(dir);
        command
    }

    /// Runs git in a folder, with the program where hooks find it.
    pub fn git(&self, dir: &Path, args: &[&str]) -> Ran {
        self.anywhere(self.command(dir, args))
    }

    /// Runs git with the words of a line in the first clone.
    pub fn try_git(&self, line: &str) -> Ran {
        self.try_git_in(&self.clone, line)
    }

    /// Runs git with the words of a line in a folder.
    pub fn try_git_in(&self, dir: &Path, line: &str) -> Ran {
        self.git(dir, &refs(&words(line)))
    }

    /// What git says to a line in the first clone, which it has no trouble with.
    #[track_caller]
    pub fn git_ok(&self, line: &str) -> String {
        self.git_ok_in(&self.clone, line)
    }

    /// What git says to a line in a folder, which it has no trouble with.
    #[track_caller]
    pub fn git_ok_in(&self, dir: &Path, line: &str) -> String {
        self.try_git_in(dir, line).ok()
    }

    /// Runs `git sq` with the words of a line in a folder.
    pub fn try_sq_in(&self, dir: &Path, line: &str) -> Ran {
        self.world.sq_in(dir, &refs(&words(line)))
    }

    /// What `git sq` says to a line in the first clone, which it has no trouble with.
    #[track_caller]
    pub fn sq_ok(&self, line: &str) -> String {
        self.sq_ok_in(&self.clone, line)
    }

    /// The same in another folder.
    #[track_caller]
    pub fn sq_ok_in(&self, dir: &Path, line: &str) -> String {
        self.world.sq_ok_in(dir, line)
    }

    /// Pushes the first clone's branch, and waits until the log is published.
    #[track_caller]
    pub fn push(&self) {
        self.push_from(&self.clone);
    }

    /// The same in another clone.
    #[track_caller]
    pub fn push_from(&self, dir: &Path) {
        self.git_ok_in(dir, "push --quiet");
        self.settle(dir);
    }

    /// Runs a command; what it prints names the world's folder as `[world]`, so that two worlds can be compared.
    pub fn anywhere(&self, mut command: Command) -> Ran {
        let mut ran: Ran = command.output().unwrap().into();
        let root = self.world.root();
        for text in [&mut ran.stdout, &mut ran.stderr] {
            *text = text.replace(&*root.to_string_lossy(), "[world]");
        }
        ran
    }

    /// Runs `git sq` in a folder.
    pub fn sq(&self, dir: &Path, args: &[&str]) -> Ran {
        self.world.sq_in(dir, args)
    }

    /// Writes a file in the first clone.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let file = self.clone.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Commits a file with this text in the first clone, and all else that is there.
    pub fn change(&self, path: &str, text: impl AsRef<[u8]>) {
        self.write(path, text);
        self.git_ok("add --all");
        self.commit(&self.clone, path);
    }

    /// Makes a commit.
    pub fn commit(&self, dir: &Path, message: &str) {
        let args = ["commit", "--quiet", "--allow-empty", "-m", message];
        self.git(dir, &args).ok();
    }

    /// Makes a commit and records a session on it.
    pub fn work(&self, dir: &Path, sid: &str) {
        self.commit(dir, sid);
        self.world.record_in(dir, sid).ok();
    }

    /// The same in the first clone, and pushes both.
    #[track_caller]
    pub fn publish(&self, sid: &str) {
        self.work(&self.clone, sid);
        self.push();
    }

    /// The file of a loose object of the first clone.
    #[track_caller]
    pub fn object(&self, revision: &str) -> PathBuf {
        let id = self.git_ok(&format!("rev-parse {revision}"));
        let (folder, file) = id.trim().split_at(2);
        self.clone.join(".git/objects").join(folder).join(file)
    }

    /// Every line under a ref; none where there is no such ref.
    pub fn lines_at(&self, dir: &Path, name: &str) -> BTreeSet<String> {
        let shown = self.git(dir, &["grep", "--no-color", "-h", "-a", "", name]);
        shown.stdout.lines().map(str::to_owned).collect()
    }

    /// Every line of a clone's own log.
    pub fn lines(&self, dir: &Path) -> BTreeSet<String> {
        self.lines_at(dir, "refs/notes/sq")
    }

    /// The ref of the remote's log.
    fn log_ref(&self) -> &'static str {
        let branch = "refs/heads/sq/log";
        let found = self.git(&self.remote, &["rev-parse", "--quiet", "--verify", branch]);
        if found.code == 0 { branch } else { "refs/notes/sq" }
    }

    /// Every line of the remote's log.
    pub fn lines_on_remote(&self) -> BTreeSet<String> {
        self.lines_at(&self.remote, self.log_ref())
    }

    /// Waits until the publisher of a clone has served what it was asked for.
    ///
    /// # Panics
    /// When it does not.
    pub fn settle(&self, dir: &Path) {
        let ask = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
        settle(Path::new(self.world.git_in(dir, &ask).ok().trim()));
    }

    /// The log of the remote: how many commits it has, and how many of them have several parents.
    pub fn log_on_remote(&self) -> [usize; 2] {
        ["", "--min-parents=2"].map(|option| {
            let line = format!("rev-list --count {option} {}", self.log_ref());
            self.git_ok_in(&self.remote, &line).trim().parse().unwrap()
        })
    }

    /// The refs of a repository, all but notes and our own.
    pub fn refs(&self, dir: &Path) -> String {
        let listed = self.git(dir, &["for-each-ref"]).ok();
        let rest = listed.lines().filter(|line| {
            let ours = ["refs/notes/", "refs/sq/"];
            !ours.iter().any(|ours| line.contains(ours))
        });
        ended(rest)
    }

    /// Sets a value in the remote's own configuration.
    pub fn set_on_remote(&self, key: &str, value: &str) {
        self.git(&self.remote, &["config", key, value]).ok();
    }
}

/// Waits until no request is left in a git folder.
///
/// # Panics
/// When that takes a minute.
pub fn settle(git_dir: &Path) {
    let folder = git_dir.join("sq/publish");
    let start = Instant::now();
    // Half a request of a process that was killed is none.
    let is_whole = |file: fs::DirEntry| !file.file_name().to_string_lossy().starts_with(".tmp");
    while fs::read_dir(&folder).is_ok_and(|files| files.flatten().any(is_whole)) {
        assert!(start.elapsed() < Duration::from_secs(60), "no publisher is at work");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Copies a folder with all that is in it.
///
/// # Panics
/// When it can't.
pub fn copy_dir(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.unwrap().success());
}

/// Writes a program that can be run.
pub fn executable(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}
