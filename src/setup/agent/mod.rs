//! Makes coding agents call `git sq`, in their own settings, and undoes that.

mod files;
mod harness;
mod paragraph;
mod plants;
mod plugin;
pub mod settings;
mod status;

use clap::ValueEnum as _;

use super::Error;
use crate::harness::Harness;
use files::Found;
pub use files::{Change, Plan};
pub use harness::{Places, Scope};
pub use plants::Part;
use plants::Plant;
pub use status::{AgentStatus, HarnessStatus, PlantedFile};

/// A harness whose files can't be changed is left out; fails if that is true for all.
pub fn install(
    harnesses: &[Harness],
    scope: Scope,
    allow: bool,
    places: &Places,
) -> Result<Plan, Error> {
    let mut wanted = Vec::new();
    let mut misfits = Vec::new();
    for harness in harnesses {
        let mut own = plants(*harness, scope, places)?;
        own.retain(|plant| allow || plant.part != Part::Allow);
        match Plan::of(&own, true) {
            Ok(_) => wanted.extend(own.into_iter().map(|plant| (*harness, plant))),
            Err(error) => misfits.push((*harness, error)),
        }
    }
    let mut plan = Plan::sharing(&wanted, misfits, true)?;
    for plant in wanted.iter().map(|(_, plant)| plant).filter(|plant| plant.part == Part::Allow) {
        if plant.found()? == Found::Absent {
            plan.notes.push(format!(
                "{} lets the agent run `git sq` without asking (--no-allow leaves this out)",
                plant.shown.display()
            ));
        }
    }
    Ok(plan)
}

/// The commands of the harnesses' own programs that the user has to run to register the plugin, or to undo that.
pub fn registrations(
    harnesses: &[Harness],
    scope: Scope,
    places: &Places,
    is_put: bool,
) -> Vec<String> {
    harnesses
        .iter()
        .copied()
        .filter(|harness| scope == Scope::User && harness.takes_plugin())
        .filter(|harness| plugin::is_registered(*harness, places) != is_put)
        .flat_map(|harness| plugin::commands(harness, places, is_put))
        .collect()
}

/// Keeps files that other harnesses use as well while these are planted.
pub fn remove(harnesses: &[Harness], scopes: &[Scope], places: &Places) -> Result<Plan, Error> {
    let mut unwanted = Vec::new();
    let mut kept = Vec::new();
    let mut misfits = Vec::new();
    for scope in scopes {
        for harness in Harness::value_variants() {
            let plants = plants(*harness, *scope, places).unwrap_or_default();
            if !harnesses.contains(harness) {
                // The paragraph is there for the others, too.
                let is_kept = *harness != Harness::AgentsMd && is_planted(*harness, *scope, places);
                kept.extend(plants.into_iter().filter(|_| is_kept));
            } else if let Err(error) = Plan::of(&plants, false) {
                misfits.push((*harness, error));
            } else {
                unwanted.extend(plants.into_iter().map(|plant| (*harness, plant)));
            }
        }
    }
    unwanted.retain(|(_, plant)| !kept.contains(plant));
    Plan::sharing(&unwanted, misfits, false)
}

fn plants(harness: Harness, scope: Scope, places: &Places) -> Result<Vec<Plant>, Error> {
    let mut plants = harness.plants(scope, places)?;
    if scope == Scope::User && harness.takes_plugin() {
        plants.extend(plugin::plants(places));
    }
    Ok(plants)
}

/// Looks only at the harness's own files.
fn is_planted(harness: Harness, scope: Scope, places: &Places) -> bool {
    if scope == Scope::User && harness.takes_plugin() {
        return plugin::is_registered(harness, places);
    }
    plants(harness, scope, places)
        .unwrap_or_default()
        .first()
        .is_some_and(|plant| !matches!(plant.found(), Ok(Found::Absent)))
}
