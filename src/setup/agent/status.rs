use std::path::PathBuf;

use clap::ValueEnum as _;
use serde::Serialize;

use super::{
    files::{Found, Plan},
    harness::{Places, Scope},
    is_planted, plants,
    plants::Part,
};
use crate::{entry::word, harness::Harness};

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

    pub fn of(places: &Places) -> Self {
        let all = Harness::value_variants().iter();
        Self { agents: all.map(|harness| look(*harness, places)).collect() }
    }
}

fn look(harness: Harness, places: &Places) -> HarnessStatus {
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
    HarnessStatus {
        name: harness,
        found: harness.is_found(places),
        allowed: planted.iter().any(|file| file.part == Part::Allow),
        planted,
        warnings,
    }
}
