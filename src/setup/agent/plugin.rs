//! The plugin that serves Claude Code, Codex and Copilot in all repositories of a user: its files, and the commands of these
//! programs by which the user registers it.

use std::{fs, path::PathBuf};

use super::{
    harness::Places,
    plants::{Part, Plant, Planting, plant_for_user},
};
use crate::{harness::Harness, quote, setup::seeds::SKILL};

#[rustfmt::skip]
const FILES: [(Part, &str, &str); 4] = [
    (Part::Hooks, "git-sq/seeds/plugin/hooks/hooks.json",
        include_str!("../../../seeds/plugin/hooks/hooks.json")),
    (Part::Hooks, "git-sq/seeds/plugin/.claude-plugin/plugin.json",
        include_str!("../../../seeds/plugin/.claude-plugin/plugin.json")),
    (Part::Hooks, "git-sq/.claude-plugin/marketplace.json",
        include_str!("../../../.claude-plugin/marketplace.json")),
    (Part::Skill, "git-sq/seeds/plugin/skills/git-sq/SKILL.md", SKILL),
];

const NAME: &str = "git-sq@git-sq";

fn folder(places: &Places) -> PathBuf {
    (places.variable)("XDG_DATA_HOME")
        .filter(|dir| dir.is_absolute())
        .unwrap_or_else(|| places.home.join(".local/share"))
}

pub fn plants(places: &Places) -> Vec<Plant> {
    let root = folder(places);
    FILES
        .map(|(part, path, text)| {
            plant_for_user(part, &root, &places.memory, path, Planting::Whole(text))
        })
        .into()
}

/// Returns true if a program has it and uses it, according to its settings.
pub fn is_registered(harness: Harness, places: &Places) -> bool {
    let name = match harness {
        Harness::Codex => "config.toml",
        _ => "settings.json",
    };
    let text = fs::read_to_string(harness.user_folder(places).join(name)).unwrap_or_default();
    let text: String = text.split_whitespace().collect();
    text.contains(&format!("\"{NAME}\":true")) || text.contains(&format!("\"{NAME}\"]"))
}

pub fn commands(harness: Harness, places: &Places, is_put: bool) -> [String; 2] {
    let (install, uninstall) = match harness {
        Harness::Codex => ("add", "remove"),
        _ => ("install", "uninstall"),
    };
    let folder = folder(places).join("git-sq");
    if is_put {
        let add = line(harness, "marketplace add", &folder.to_string_lossy());
        return [add, line(harness, install, NAME)];
    }
    [line(harness, uninstall, NAME), line(harness, "marketplace remove", "git-sq")]
}

fn line(harness: Harness, words: &str, last: &str) -> String {
    format!("{} plugin {words} {}", harness.name(), quote::word(last))
}
