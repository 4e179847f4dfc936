//! The plugin that serves Claude Code, Codex and Copilot in all repositories of a user: its files, and the commands of
//! these programs that register it.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use super::{
    harness::{Harness, Places},
    plants::{Part, Plant, Planting, plant_for_user},
};
use crate::{
    process::{self, Options},
    quote,
    setup::seeds::SKILL,
};

const FILES: [(Part, &str, &str, &str); 4] = [
    (
        Part::Hooks,
        "git-sq/seeds/plugin/hooks/hooks.json",
        include_str!("../../../seeds/plugin/hooks/hooks.json"),
        "git sq hook",
    ),
    (
        Part::Hooks,
        "git-sq/seeds/plugin/.claude-plugin/plugin.json",
        include_str!("../../../seeds/plugin/.claude-plugin/plugin.json"),
        "\"git-sq\"",
    ),
    (
        Part::Hooks,
        "git-sq/.claude-plugin/marketplace.json",
        include_str!("../../../.claude-plugin/marketplace.json"),
        "\"git-sq\"",
    ),
    (
        Part::Skill,
        "git-sq/seeds/plugin/skills/git-sq/SKILL.md",
        SKILL,
        "name: git-sq",
    ),
];

const NAME: &str = "git-sq@git-sq";

/// How long a program may take to register it.
const PATIENCE: Duration = Duration::from_secs(60);

/// A command line of another program.
pub type CommandLine = Vec<String>;

fn folder(places: &Places) -> PathBuf {
    let data = (places.variable)("XDG_DATA_HOME").filter(|dir| dir.is_absolute());
    data.unwrap_or_else(|| places.home.join(".local/share"))
}

/// Its files.
pub fn plants(places: &Places) -> Vec<Plant> {
    let root = folder(places);
    let plants = FILES.map(|(part, path, text, mark)| {
        plant_for_user(part, &root, path, Planting::Whole { text, mark })
    });
    plants.into()
}

/// Whether a program has it and uses it, as its settings say.
pub fn is_registered(harness: Harness, places: &Places) -> bool {
    let name = match harness {
        Harness::Codex => "config.toml",
        _ => "settings.json",
    };
    let text = fs::read_to_string(harness.user_folder(places).join(name)).unwrap_or_default();
    let text: String = text.split_whitespace().collect();
    text.contains(&format!("\"{NAME}\":true")) || text.contains(&format!("\"{NAME}\"]"))
}

/// What registers it.
pub fn registering(harness: Harness, places: &Places) -> Vec<CommandLine> {
    let folder = folder(places).join("git-sq");
    let add = line(harness, &["marketplace", "add"], Some(&folder));
    let install = match harness {
        Harness::Codex => line(harness, &["add", NAME], None),
        _ => line(harness, &["install", NAME], None),
    };
    vec![add, install]
}

/// What takes that back.
pub fn unregistering(harness: Harness) -> Vec<CommandLine> {
    let uninstall = match harness {
        Harness::Codex => line(harness, &["remove", NAME], None),
        _ => line(harness, &["uninstall", NAME], None),
    };
    let remove = line(harness, &["marketplace", "remove", "git-sq"], None);
    vec![uninstall, remove]
}

fn line(harness: Harness, words: &[&str], last: Option<&Path>) -> CommandLine {
    let words = [&[harness.name(), "plugin"], words].concat();
    let words = words.into_iter().map(str::to_owned);
    let last = last.map(|path| path.to_string_lossy().into_owned());
    words.chain(last).collect()
}

/// Runs command lines one after the other; gives those that are left, from the first that failed.
pub fn run(lines: Vec<CommandLine>) -> Vec<CommandLine> {
    lines.into_iter().skip_while(succeeds).collect()
}

/// A command line as a shell takes it.
pub fn shown(line: &CommandLine) -> String {
    let words: Vec<String> = line.iter().map(|word| quote::word(word)).collect();
    words.join(" ")
}

fn succeeds(line: &CommandLine) -> bool {
    let options = Options {
        deadline: Some(Instant::now() + PATIENCE),
        max_output: Some(1 << 16),
        no_terminal: true,
        ..Options::default()
    };
    let ran = process::run_line(line, options);
    ran.is_ok_and(|ran| ran.status.is_some_and(|status| status.success()))
}
