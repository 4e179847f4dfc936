use std::{collections::BTreeMap, path::PathBuf};

use clap::ValueEnum as _;
use serde::Serialize;

use super::{
    files::{Found, Plan},
    harness::{Places, Scope},
    is_planted, plants,
    plants::Part,
};
use crate::{entry::word, harness::Harness};

/// Sessions without a call of planted hooks, from which on that is no chance.
const SILENT: u32 = 2;

#[derive(Debug, Clone, Default, Serialize)]
pub struct AgentStatus {
    pub agents: Vec<HarnessStatus>,
}

#[derive(Debug, Clone, Serialize)]
pub struct HarnessStatus {
    pub name: Harness,
    /// True if its program, or a folder of its own, is there.
    pub found: bool,
    pub planted: Vec<PlantedFile>,
    /// True if planted settings let the agent run `git sq` without asking.
    pub allowed: bool,
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct PlantedFile {
    pub scope: Scope,
    pub part: Part,
    pub path: PathBuf,
    /// True if it equals that of this version.
    pub current: bool,
}

impl AgentStatus {
    pub fn is_planted_here(&self) -> bool {
        let mut files = self.agents.iter().flat_map(|agent| &agent.planted);
        files.any(|file| file.scope != Scope::User)
    }

    /// `without_hook` has the number of sessions, by harness, since its hooks last started one.
    pub fn of(places: &Places, without_hook: &BTreeMap<String, u32>) -> Self {
        let all = Harness::value_variants().iter();
        Self { agents: all.map(|harness| look(*harness, places, without_hook)).collect() }
    }
}

fn look(harness: Harness, places: &Places, without_hook: &BTreeMap<String, u32>) -> HarnessStatus {
    let mut warnings = Vec::new();
    let mut planted = Vec::new();
    let mut scopes = Scope::ALL.to_vec();
    scopes.retain(|scope| is_planted(harness, *scope, places));
    for scope in &scopes {
        let before = planted.len();
        let plants = plants(harness, *scope, places).unwrap_or_default();
        for plant in &plants {
            match plant.found() {
                Ok(Found::Absent) => {}
                Ok(found) => planted.push(PlantedFile {
                    scope: *scope,
                    part: plant.part,
                    path: plant.shown.clone(),
                    current: found == Found::Current,
                }),
                Err(error) => warnings.push(error.to_string()),
            }
        }
        if planted[before..].iter().any(|file| !file.current) {
            let (name, scope) = (harness.name(), word(scope));
            let install = format!("`git sq agent install {name} --{scope}`");
            warnings.push(match Plan::of(&plants, true) {
                Ok(_) => format!("not up to date ({install} updates it)"),
                Err(error) => format!("{error}; without it, {install} writes it again"),
            });
        }
    }
    if scopes.len() > 1 {
        warnings.push("installed more than once: only one copy answers each call".to_owned());
    }
    let has_hooks = planted.iter().any(|file| file.part == Part::Hooks);
    let silent = without_hook.get(harness.name()).filter(|silent| has_hooks && **silent >= SILENT);
    warnings.extend(silent.map(|silent| {
        let trust = match harness {
            Harness::Codex => ": Codex skips hooks that are not trusted; trust them with `/hooks`",
            _ => "",
        };
        format!("its hooks did not run in the last {silent} sessions here{trust}")
    }));
    HarnessStatus {
        name: harness,
        found: harness.is_found(places),
        allowed: planted.iter().any(|file| file.part == Part::Allow),
        planted,
        warnings,
    }
}
