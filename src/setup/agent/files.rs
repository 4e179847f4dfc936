use std::{collections::BTreeMap, io::ErrorKind, path::PathBuf};

use super::{
    paragraph,
    plants::{Part, Plant, Planting},
    settings,
};
use crate::{
    file,
    harness::Harness,
    setup::{Error, plant::uproot, unwritten},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The folder that must exist.
    root: PathBuf,
    /// Below the root.
    path: PathBuf,
    pub shown: PathBuf,
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub changes: Vec<Change>,
    pub parts: Vec<(Harness, Part, PathBuf)>,
    pub notes: Vec<String>,
    pub is_partial: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    Absent,
    Current,
    Differs,
}

impl Plan {
    /// The changes for several harnesses, which may share files, and why others are left out.
    pub fn sharing(
        plants: &[(Harness, Plant)],
        misfits: Vec<(Harness, Error)>,
        is_put: bool,
    ) -> Result<Self, Error> {
        let (owners, all): (Vec<Harness>, Vec<Plant>) = plants.iter().cloned().unzip();
        let mut plan = Self::of(&all, is_put)?;
        plan.is_partial = !misfits.is_empty();
        for (harness, error) in misfits {
            if plants.is_empty() {
                return Err(error);
            }
            plan.notes.push(format!("{} is left out: {error}", harness.name()));
        }
        let parts =
            owners.into_iter().zip(all).map(|(harness, plant)| (harness, plant.part, plant.shown));
        let is_changed = |path: &PathBuf| plan.changes.iter().any(|change| change.shown == *path);
        plan.parts = parts.filter(|(_, _, path)| is_changed(path)).collect();
        Ok(plan)
    }

    pub fn of(plants: &[Plant], is_put: bool) -> Result<Self, Error> {
        let mut plan = Self::default();
        let mut changes: BTreeMap<PathBuf, Change> = BTreeMap::new();
        let mut plants: Vec<&Plant> = plants.iter().collect();
        if !is_put {
            // In the reverse order of planting, so that each step finds the file as it left it.
            plants.reverse();
        }
        for plant in plants {
            if let (Planting::Paragraph { .. }, Some(link)) = (&plant.what, plant.link()) {
                let link = link.display();
                plan.notes.push(format!("{link} is a symbolic link and is left alone"));
                continue;
            }
            let whole = plant.root.join(&plant.path);
            let change = match changes.get_mut(&whole) {
                Some(change) => change,
                None => changes.entry(whole).or_insert(plant.unchanged()?),
            };
            let before = change.after.take();
            change.after = if is_put { plant.put(before)? } else { plant.take(before)? };
        }
        plan.notes.dedup();
        let changes = changes.into_values();
        plan.changes = changes.filter(|it| it.before != it.after).collect();
        Ok(plan)
    }

    /// `command` is the one to repeat after an error.
    pub fn write(&self, command: &str) -> Result<(), Error> {
        self.changes.iter().try_for_each(|change| {
            let file = change.root.join(&change.path);
            let written = match &change.after {
                Some(text) => file::replace(&file, text),
                None => uproot(&change.root, &file),
            };
            written.map_err(|error| unwritten(&file, &error, command))
        })
    }
}

impl Plant {
    pub fn found(&self) -> Result<Found, Error> {
        let before = self.unchanged()?.before;
        Ok(if self.take(before.clone())? == before {
            Found::Absent
        } else if self.put(before.clone())? == before {
            Found::Current
        } else {
            Found::Differs
        })
    }

    fn link(&self) -> Option<PathBuf> {
        file::link_in(&self.root, &self.path)
    }

    fn unchanged(&self) -> Result<Change, Error> {
        let before = self.read()?;
        Ok(Change {
            root: self.root.clone(),
            path: self.path.clone(),
            shown: self.shown.clone(),
            after: before.clone(),
            before,
        })
    }

    fn read(&self) -> Result<Option<String>, Error> {
        let shown = self.shown.display();
        let why = match file::read(&self.root, &self.path, file::MOST) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => return Ok(Some(text)),
                Err(_) => format!("{shown} is not UTF-8"),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            // It names a symbolic link on the way.
            Err(error) if error.kind() == ErrorKind::InvalidData => error.to_string(),
            Err(error) => format!("could not read {shown}: {error}"),
        };
        let help = "move it away, or leave this agent out by naming the others";
        Err(Error::refused(why, help))
    }

    fn put(&self, before: Option<String>) -> Result<Option<String>, Error> {
        let after = match (&self.what, before) {
            (Planting::Settings(entries), None) => {
                settings::created(entries, self.path.starts_with(".qwen"))
            }
            (Planting::Settings(entries), Some(text)) => settings::merge(&text, entries),
            (Planting::Whole { text, .. }, None) => Ok((*text).to_owned()),
            (Planting::Whole { text, mark }, Some(before)) => {
                if before.replace("\r\n", "\n") == *text {
                    Ok(before)
                } else if before.contains(mark) {
                    Ok((*text).to_owned())
                } else {
                    let shown = self.shown.display();
                    let why = format!("{shown} exists, and git sq did not write it");
                    return Err(Error::refused(why, "move it away, and try again"));
                }
            }
            (Planting::Paragraph { is_made: false, .. }, None) => return Ok(None),
            (Planting::Paragraph { is_made: false, .. }, Some(text))
                if text.contains("@AGENTS.md") =>
            {
                return Ok(Some(text));
            }
            (Planting::Paragraph { text, .. }, before) => {
                Ok(paragraph::put(before.as_deref(), text))
            }
        };
        after.map(Some).map_err(|misfit| self.unfit(&misfit))
    }

    fn take(&self, before: Option<String>) -> Result<Option<String>, Error> {
        let Some(text) = before else { return Ok(None) };
        match &self.what {
            Planting::Settings(entries) => {
                settings::unmerge(&text, entries).map_err(|misfit| self.unfit(&misfit))
            }
            Planting::Whole { mark, .. } => Ok(Some(text).filter(|text| !text.contains(mark))),
            Planting::Paragraph { .. } => Ok(paragraph::take(&text)),
        }
    }

    fn unfit(&self, misfit: &str) -> Error {
        Error::refused(
            format!("{}:{misfit}", self.shown.display()),
            "nothing was written; fix the file, and try again",
        )
    }
}
