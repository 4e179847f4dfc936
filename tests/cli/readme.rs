//! The commands of README.md run as they stand there, and print what is shown there.
//!
//! Blocks marked `console` are run, one after another in one repository. A line that begins with `$ ` is a command,
//! lines that begin with `> ` go on with it, and what follows is what it prints; a last line `...` leaves the rest
//! out. Where nothing is shown the command only has to succeed. A block marked `console whole` holds one command, and
//! all else in it is its output. Blocks marked otherwise are not run.
//!
//! `SQ_UPDATE=1 cargo test --test cli readme` writes the outputs anew.

use std::{fs, path::Path};

use git_sq_test_support::{Ran, World, path_with_program};

use crate::generated::is_update;

const REST: &str = "...";

/// A part of the README.
enum Piece<'r> {
    /// A line that is not run.
    Line(&'r str),
    Command(Command<'r>),
}

/// One command and what the README shows of its output.
#[derive(Default)]
struct Command<'r> {
    /// With their prompts.
    lines: Vec<&'r str>,
    shown: Vec<&'r str>,
}

impl Command<'_> {
    fn script(&self) -> String {
        let words: Vec<&str> =
            self.lines.iter().map(|line| line.get(2..).unwrap_or_default()).collect();
        words.join("\n")
    }

    /// What the README should show when the command prints `printed`.
    fn fresh<'s>(&self, printed: &'s str) -> Vec<&'s str> {
        let mut fresh: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
        match self.shown.split_last() {
            None => fresh.clear(),
            Some((&REST, shown)) => {
                fresh.truncate(shown.len());
                fresh.push(REST);
            }
            Some(_) => {}
        }
        fresh
    }

    /// Whether the README shows the same, but for what differs from run to run.
    fn shows(&self, fresh: &[&str]) -> bool {
        self.shown.iter().map(|line| filtered(line)).eq(fresh.iter().map(|line| filtered(line)))
    }
}

fn pieces(readme: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut lines = readme.lines().peekable();
    while let Some(line) = lines.next() {
        pieces.push(Piece::Line(line));
        let whole = line == "```console whole";
        if !(whole || line == "```console") {
            continue;
        }
        while let Some(first) = lines.next_if(|line| *line != "```") {
            assert!(first.starts_with("$ "), "{first:?} is not a command");
            let mut command = Command::default();
            command.lines.push(first);
            while let Some(line) = lines.next_if(|line| line.starts_with("> ")) {
                command.lines.push(line);
            }
            let is_shown = |line: &&str| *line != "```" && (whole || !line.starts_with("$ "));
            while let Some(line) = lines.next_if(is_shown) {
                command.shown.push(line);
            }
            pieces.push(Piece::Command(command));
        }
    }
    pieces
}

/// A line without what differs from run to run: ids, times, temporary folders.
fn filtered(line: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || "-:._/\\~".contains(c);
    let mut out = String::new();
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let end = rest.find(|next| is_word(next) != is_word(c));
        let (run, tail) = rest.split_at(end.unwrap_or(rest.len()));
        out.push_str(kind_of(run).unwrap_or(run));
        rest = tail;
    }
    without_ages(&out)
}

fn kind_of(word: &str) -> Option<&'static str> {
    let word = word.trim_end_matches([':', '.']);
    let digits_alike = word.replace(|c: char| c.is_ascii_digit(), "0");
    let has_digit = digits_alike.contains('0');
    let hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    let ulid = |c: char| matches!(c, '0'..='9' | 'A'..='Z');
    let is_id = word.len() >= 7 && word.chars().all(hex);
    let is_ulid = word.len() == 26 && word.chars().all(ulid);
    if word.contains("git-sq-demo-") {
        Some("<folder>")
    } else if matches!(word.len(), 8 | 16) && word.chars().all(|c| matches!(c, 'k'..='z')) {
        Some("<session>")
    } else if digits_alike.starts_with("0000-00-00") {
        Some("<time>")
    } else if has_digit && (is_id || is_ulid) {
        Some("<id>")
    } else {
        None
    }
}

/// `(3 minutes ago)` and `(just now)` are the same.
fn without_ages(line: &str) -> String {
    line.split('(')
        .map(|part| {
            let inside = part.split(')').next().unwrap_or_default();
            if inside.ends_with(" ago") || inside == "just now" {
                part.replacen(inside, "<ago>", 1)
            } else {
                part.to_owned()
            }
        })
        .collect::<Vec<_>>()
        .join("(")
}

/// A project of somebody's own, as the tour finds it.
fn project() -> World {
    let world = World::new();
    let log = include_str!("../../seeds/demo/log.jsonl").lines().map(|line| {
        let mut line: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).unwrap();
        line.retain(|key, _| !["id", "v", "tool", "writer"].contains(&key.as_str()));
        serde_json::to_string(&line).unwrap() + "\n"
    });
    world.write("context/rederive_log.jsonl", log.collect::<String>());
    world.commit("Begin");
    world
}

/// Runs a command with the standard output and the standard error in one.
fn run(world: &World, dir: &Path, script: &str) -> Ran {
    let mut command = world.command("sh");
    // The demo leaves its folder there.
    command.current_dir(dir).env("TMPDIR", world.root());
    command.env("PATH", path_with_program());
    command.args(["-c", &format!("exec 2>&1\n{script}")]);
    if script.contains("git sq demo") {
        // Its sessions are of May 2026, and a log can't end before its entries.
        command.env("GIT_COMMITTER_DATE", "2026-06-01T00:00:00Z");
    }
    command.output().unwrap().into()
}

#[test]
fn the_readme_shows_what_the_program_does() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = fs::read_to_string(&file).unwrap();
    let world = project();
    let mut now: Vec<String> = Vec::new();
    let mut drifted: Vec<String> = Vec::new();
    let mut commands = 0;
    let mut dir = world.dir.clone();
    for piece in pieces(&readme) {
        let command = match piece {
            Piece::Line(line) => {
                now.push(line.to_owned());
                continue;
            }
            Piece::Command(command) => command,
        };
        commands += 1;
        let script = command.script();
        let ran = run(&world, &dir, &script);
        // A command that only changes the folder is for all that follow.
        if let Some(folder) = script.strip_prefix("cd ") {
            dir.push(folder);
        }
        assert_eq!(ran.code, 0, "{script}\n{}", ran.transcript());
        let fresh = command.fresh(&ran.stdout);
        if !command.shows(&fresh) {
            drifted.push(format!("$ {script}\n{}", fresh.join("\n")));
        }
        now.extend(command.lines.iter().chain(&fresh).map(ToString::to_string));
    }
    assert!(commands >= 9, "only {commands} commands were found");
    // All outputs are taken from one run, or none: an id in one may be named in the next.
    if is_update() && !drifted.is_empty() {
        fs::write(file, now.join("\n") + "\n").unwrap();
        return;
    }
    let drifted = drifted.join("\n\n");
    assert!(
        drifted.is_empty(),
        "README.md is not current, `SQ_UPDATE=1 cargo test --test cli readme` writes it anew:\n\n{drifted}"
    );
}

#[test]
fn the_two_commands_for_this_repository_are_named_and_ci_runs_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let named = |command: &str| readme.lines().any(|line| line.split("  ").next() == Some(command));
    assert!(named("cargo run -- demo") && named("cargo test"));
    let ci = fs::read_to_string(root.join(".ci/run")).unwrap();
    assert!(ci.lines().any(|line| line == "step cargo test --locked"), "{ci}");
}

#[test]
fn a_drift_is_noticed_and_a_new_id_is_not_one() {
    let command = Command {
        lines: vec!["$ git sq"],
        shown: vec!["On main at 66bf702716: 2 questions (just now)", REST],
    };
    let same = "On main at 1234567890: 2 questions (3 days ago)\nmore\n";
    assert!(command.shows(&command.fresh(same)));
    let other = "On main at 1234567890: 3 questions (3 days ago)\nmore\n";
    assert!(!command.shows(&command.fresh(other)));
}

/// What the README shows of a public repository, on a small history of the same shape.
#[test]
fn the_finds_in_the_readme_are_found() {
    let readme = include_str!("../../README.md");
    let world = World::new();
    let manifest = |version: &str, rust: &str| {
        let blank = "\n".repeat(7);
        let text = format!(
            "[package]\nname = \"hyperfine\"{blank}\nversion = \"{version}\"\n\n\nrust-version = \"{rust}\"\n"
        );
        world.write("Cargo.toml", text);
    };
    let page = |version: &str| {
        let [above, between] = [188, 129].map(|lines| "\n".repeat(lines));
        let text = format!(
            "{above}wget https://github.com/sharkdp/hyperfine/releases/download/v{version}/hyperfine_{version}_amd64.deb\nsudo dpkg -i hyperfine_{version}_amd64.deb\n{between}Make sure that you use Rust 1.76 or newer.\n"
        );
        world.write("README.md", text);
    };
    let others = (1..=15).map(|number| format!(".github/workflows/{number}.yml"));
    for read in
        ["CHANGELOG.md", "doc/README.md", "doc/more.md"].map(Into::into).into_iter().chain(others)
    {
        world.write(&read, "Nothing that is compared.\n");
    }
    manifest("1.16.1", "1.76.0");
    page("1.16.1");
    world.commit("begin");
    manifest("1.17.0", "1.76.0");
    world.commit("release");
    world.pass(3 * 24 * 3600);
    manifest("1.19.0", "1.76.0");
    world.commit("release once more");
    page("1.19.0");
    world.commit("name the release");
    manifest("1.19.0", "1.88.0");
    world.commit("raise the minimum");
    manifest("1.20.0", "1.88.0");
    page("1.20.0");
    world.commit("release again");
    world.pass(446 * 24 * 3600);
    let (_, block) = readme.split_once("```text facts\n$ ").unwrap();
    let shown: Vec<&str> = block.split("\n```").next().unwrap().lines().collect();
    let printed = run(&world, &world.dir, shown[0]).stdout.replace("Ada Example", "David Peter");
    let printed: Vec<String> = printed.lines().map(filtered).collect();
    let shown: Vec<String> =
        shown[1..].iter().take_while(|line| **line != REST).map(|line| filtered(line)).collect();
    assert!(shown.len() > 4, "{shown:?}");
    assert_eq!(printed[..shown.len()], shown);
}
