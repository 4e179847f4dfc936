//! The table of the planted files of each harness.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;

use super::{
    harness::{Places, Scope},
    settings::Entry,
};
use crate::{
    harness::Harness,
    setup::{Error, planted::Ground, seeds::SKILL},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The harness calls `git sq hook`.
    Hooks,
    /// The agent may run `git sq` without asking.
    Allow,
    Skill,
    Instructions,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Planting {
    Settings(Vec<Entry>),
    Whole(&'static str),
    Paragraph { text: &'static str, is_made: bool },
}

#[derive(Debug, Clone, PartialEq)]
pub struct Plant {
    pub part: Part,
    /// Its folder must exist; below it no link is followed.
    pub ground: Ground,
    /// Below the root.
    pub path: PathBuf,
    pub shown: PathBuf,
    pub what: Planting,
}

impl Harness {
    /// Fails if the harness reads nothing for that scope.
    pub fn plants(self, scope: Scope, places: &Places) -> Result<Vec<Plant>, Error> {
        match scope {
            Scope::User => self.for_user(places),
            Scope::Project => Ok(self.for_project(worktree(places)?)),
            Scope::Local if self == Self::Claude => {
                let path = ".claude/settings.local.json";
                let ground = worktree(places)?;
                Ok(vec![
                    plant(Part::Hooks, ground, path, self.hooks()),
                    plant(Part::Allow, ground, path, may_run()),
                ])
            }
            Scope::Local => Err(Error::refused(
                format!("{} has no local settings in a repository", self.name()),
                "use --project or --user",
            )),
        }
    }

    fn for_project(self, ground: &Ground) -> Vec<Plant> {
        let mut own = match self {
            Self::Claude => vec![
                (Part::Hooks, ".claude/settings.json", self.hooks()),
                (Part::Allow, ".claude/settings.json", may_run()),
                (Part::Skill, ".claude/skills/git-sq/SKILL.md", SKILL_FILE),
                (Part::Instructions, "CLAUDE.md", paragraph(false)),
            ],
            Self::Codex => vec![
                (Part::Hooks, ".codex/hooks.json", self.hooks()),
                (Part::Allow, ".codex/rules/git-sq.rules", CODEX_RULES),
            ],
            Self::Copilot => vec![(Part::Hooks, ".github/hooks/git-sq.json", self.hooks())],
            Self::Gemini => vec![(Part::Hooks, ".gemini/settings.json", self.hooks())],
            Self::Qwen => vec![(Part::Hooks, ".qwen/settings.json", self.hooks())],
            Self::Opencode => vec![(Part::Hooks, ".opencode/plugins/git-sq.js", self.hooks())],
            Self::Cursor => vec![(Part::Instructions, ".cursor/rules/git-sq.mdc", CURSOR_RULE)],
            Self::AgentsMd => Vec::new(),
        };
        if !matches!(self, Self::Claude | Self::AgentsMd) {
            own.push((Part::Skill, SKILL_PATH, SKILL_FILE));
        }
        if !matches!(self, Self::Gemini | Self::Qwen | Self::Cursor) {
            own.push((Part::Instructions, "AGENTS.md", paragraph(true)));
        }
        own.into_iter().map(|(part, path, what)| plant(part, ground, path, what)).collect()
    }

    fn for_user(self, places: &Places) -> Result<Vec<Plant>, Error> {
        let folder = self.user_folder(places);
        let own = match self {
            Self::Claude => vec![(Part::Allow, "settings.json", may_run())],
            Self::Codex => vec![(Part::Allow, "rules/git-sq.rules", CODEX_RULES)],
            Self::Copilot => Vec::new(),
            Self::Gemini => vec![
                (Part::Hooks, "settings.json", self.hooks()),
                (Part::Allow, "policies/git-sq.toml", GEMINI_POLICY),
            ],
            Self::Qwen => vec![(Part::Hooks, "settings.json", self.hooks())],
            Self::Opencode => vec![(Part::Hooks, "plugins/git-sq.js", self.hooks())],
            Self::Cursor | Self::AgentsMd => {
                let why = format!("{} has no file for the rules of a user", self.name());
                return Err(Error::refused(why, "use --project"));
            }
        };
        let memory = &places.memory;
        let own = own
            .into_iter()
            .map(|(part, path, what)| plant_for_user(part, &folder, memory, path, what));
        let home = Ground::of_user(&places.home, memory);
        let skill = plant(Part::Skill, &home, SKILL_PATH, SKILL_FILE);
        Ok(own.chain((!self.takes_plugin()).then_some(skill)).collect())
    }

    fn hooks(self) -> Planting {
        const COPILOT: &str = include_str!("../../../seeds/agents/copilot.json");
        let (stop, compact) = match self {
            Self::Gemini => ("AfterAgent", "PreCompress"),
            _ => ("Stop", "PreCompact"),
        };
        match self {
            Self::Copilot => Planting::Whole(COPILOT),
            Self::Opencode => Planting::Whole(include_str!("../../../seeds/agents/opencode.js")),
            _ => Planting::Settings(vec![
                self.hook("SessionStart", "session-start", 10),
                self.hook(stop, "stop", 10),
                self.hook(compact, "pre-compact", 10),
                self.hook("SessionEnd", "session-end", 3),
            ]),
        }
    }

    fn hook(self, event: &'static str, word: &str, seconds: u32) -> Entry {
        let command = format!("command -v git-sq >/dev/null 2>&1 && git sq hook {word} || true");
        let second = if matches!(self, Self::Gemini | Self::Qwen) { 1000 } else { 1 };
        let handler = json!({ "type": "command", "command": command, "timeout": seconds * second });
        Entry { path: vec!["hooks", event], value: json!({ "hooks": [handler] }) }
    }
}

fn plant(part: Part, ground: &Ground, path: &str, what: Planting) -> Plant {
    Plant { part, ground: ground.clone(), path: path.into(), shown: path.into(), what }
}

/// Follows links, because users may keep their files elsewhere.
pub fn plant_for_user(
    part: Part,
    folder: &Path,
    memory: &Path,
    path: &str,
    what: Planting,
) -> Plant {
    let whole = folder.join(path);
    let real = whole.canonicalize().ok().filter(|_| whole.is_symlink());
    let mut plant = match real.as_deref().map(|real| (real.parent(), real.file_name())) {
        Some((Some(parent), Some(name))) => {
            let name = name.to_string_lossy();
            plant(part, &Ground::of_user(parent, memory), &name, what)
        }
        _ => plant(part, &Ground::of_user(folder, memory), path, what),
    };
    plant.shown = whole;
    plant
}

fn worktree(places: &Places) -> Result<&Ground, Error> {
    places.worktree.as_ref().ok_or_else(|| {
        Error::refused(
            "a bare repository has no worktree to install in",
            "use --user, or run this in a worktree",
        )
    })
}

/// The commands that an agent needs, and that neither start programs of the repository nor take anything back.
const RIGHTS: [&str; 11] = [
    "record",
    "brief",
    "show",
    "state",
    "tension",
    "log",
    "check",
    "status",
    "trace",
    "help",
    "question list",
];

fn may_run() -> Planting {
    let rights = RIGHTS.iter().map(|word| Entry {
        path: vec!["permissions", "allow"],
        value: json!(format!("Bash(git sq {word}:*)")),
    });
    Planting::Settings(rights.collect())
}

const fn paragraph(is_made: bool) -> Planting {
    let text = include_str!("../../../seeds/agents/paragraph.md");
    Planting::Paragraph { text, is_made }
}

const SKILL_PATH: &str = ".agents/skills/git-sq/SKILL.md";
const SKILL_FILE: Planting = Planting::Whole(SKILL);
const CODEX_RULES: Planting = Planting::Whole(include_str!("../../../seeds/agents/codex.rules"));
const GEMINI_POLICY: Planting = Planting::Whole(include_str!("../../../seeds/agents/gemini.toml"));
const CURSOR_RULE: Planting = Planting::Whole(include_str!("../../../seeds/agents/cursor.mdc"));
