use std::{collections::BTreeMap, io::ErrorKind, path::PathBuf};

use super::{
    paragraph,
    plants::{Part, Plant, Planting},
    settings,
};
use crate::{
    entry::word,
    file,
    harness::Harness,
    setup::{
        Error,
        planted::{Ground, Planted},
        unwritten,
    },
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    ground: Ground,
    /// Below the root of the ground.
    path: PathBuf,
    pub shown: PathBuf,
    pub before: Option<String>,
    pub after: Option<String>,
    /// To be remembered; `None` if it is taken back.
    planted: Option<Planted>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub changes: Vec<Change>,
    pub parts: Vec<(Harness, Part, PathBuf)>,
    pub notes: Vec<String>,
    pub is_partial: bool,
    /// Files in which nothing is planted afterwards.
    gone: Vec<(Ground, PathBuf)>,
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
        let is_changed = |plant: &Plant| {
            let found = |text: &Option<String>| {
                let text = text.as_deref();
                plant.found_in(text, plant.planted(text).as_ref()).ok()
            };
            let mut changes = plan.changes.iter().filter(|change| change.shown == plant.shown);
            changes.any(|change| found(&change.before) != found(&change.after))
        };
        let parts = owners.into_iter().zip(all).filter(|(_, plant)| is_changed(plant));
        plan.parts = parts.map(|(harness, plant)| (harness, plant.part, plant.shown)).collect();
        Ok(plan)
    }

    pub fn of(plants: &[Plant], is_put: bool) -> Result<Self, Error> {
        let mut plan = Self::default();
        let mut files: BTreeMap<PathBuf, Vec<&Plant>> = BTreeMap::new();
        for plant in plants {
            if let (Planting::Paragraph { .. }, Some(link)) = (&plant.what, plant.link()) {
                let link = link.display();
                plan.notes.push(format!("{link} is a symbolic link and is left alone"));
                continue;
            }
            let own = files.entry(plant.ground.root.join(&plant.path)).or_default();
            if !own.contains(&plant) {
                own.push(plant);
            }
        }
        for plants in files.values() {
            let change = if is_put { put(plants)? } else { plan.take(plants)? };
            plan.changes.extend(Some(change).filter(|it| it.before != it.after));
        }
        plan.notes.dedup();
        Ok(plan)
    }

    /// Notes what is left in the file.
    fn take(&mut self, plants: &[&Plant]) -> Result<Change, Error> {
        let plant = plants[0];
        let before = plant.read()?;
        let planted = plant.planted(before.as_deref());
        let after = without(plants, before.clone(), planted.as_ref())?;
        let is_restored = planted.is_some_and(|it| it.before == after);
        let mut is_gone = true;
        for plant in plants {
            if !is_restored && plant.found_in(after.as_deref(), None)? != Found::Absent {
                is_gone = false;
                self.notes.push(format!(
                    "{} ({}) stays: this clone did not write it, or it was changed since",
                    plant.shown.display(),
                    word(&plant.part)
                ));
            }
        }
        if is_gone {
            self.gone.push((plant.ground.clone(), plant.path.clone()));
        }
        Ok(plant.change(before, after, None))
    }

    /// `command` is the one to repeat after an error.
    pub fn write(&self, command: &str) -> Result<(), Error> {
        for Change { ground, path, after, planted, .. } in &self.changes {
            let file = ground.root.join(path);
            match (after, planted) {
                (Some(text), Some(planted)) => {
                    ground.plant(path, text, planted.clone(), file::replace)
                }
                (Some(text), None) => file::replace(&file, text),
                (None, _) => ground.uproot(path),
            }
            .map_err(|error| unwritten(&file, &error, command))?;
        }
        self.gone.iter().try_for_each(|(ground, path)| {
            ground.forget(path).map_err(|error| unwritten(path, &error, command))
        })
    }
}

/// The file with all of these, which it may have in part.
fn put(plants: &[&Plant]) -> Result<Change, Error> {
    let plant = plants[0];
    let before = plant.read()?;
    let known = plant.planted(before.as_deref());
    let mut after = before.clone();
    let mut texts = known.as_ref().map(|known| known.texts.clone()).unwrap_or_default();
    for plant in plants {
        texts.extend(plant.lacking_in(after.as_deref())?);
        after = plant.put(after, known.as_ref())?;
    }
    let planted = match &after {
        Some(text) => {
            let own = without(plants, before.clone(), known.as_ref())?;
            Some(Planted::new(text, own, texts))
        }
        None => None,
    };
    Ok(plant.change(before, after, planted))
}

/// The file as it was before, or without these if it was changed since.
fn without(
    plants: &[&Plant],
    text: Option<String>,
    planted: Option<&Planted>,
) -> Result<Option<String>, Error> {
    match (&text, planted) {
        (Some(now), Some(planted)) if planted.is(now.as_bytes()) => Ok(planted.before.clone()),
        // In the reverse order of planting, so that each step finds the file as it left it.
        _ => plants.iter().rev().try_fold(text, |text, plant| plant.take(text, planted)),
    }
}

impl Plant {
    pub fn found(&self) -> Result<Found, Error> {
        if let Some(text) = self.linked()
            && self.found_in(Some(&text), None)? == Found::Current
        {
            return Ok(Found::Current);
        }
        let text = self.read()?;
        self.found_in(text.as_deref(), self.planted(text.as_deref()).as_ref())
    }

    fn found_in(&self, text: Option<&str>, planted: Option<&Planted>) -> Result<Found, Error> {
        let Some(text) = text else { return Ok(Found::Absent) };
        let is_current = match &self.what {
            Planting::Settings(entries) => {
                let has_any = settings::has_any(text, entries, planted);
                if !has_any.map_err(|misfit| self.unfit(&misfit))? {
                    return Ok(Found::Absent);
                }
                settings::merge(text, entries, planted).is_ok_and(|merged| merged == text)
            }
            Planting::Whole(own) => text.replace("\r\n", "\n") == *own,
            Planting::Paragraph { text: own, .. } => match paragraph::found(text) {
                Some(block) => block == paragraph::block(own),
                None => return Ok(Found::Absent),
            },
        };
        Ok(if is_current { Found::Current } else { Found::Differs })
    }

    /// The memory of its file, which now has this text.
    fn planted(&self, now: Option<&str>) -> Option<Planted> {
        self.ground.planted(&self.path, now.map(str::as_bytes))
    }

    fn link(&self) -> Option<PathBuf> {
        file::link_in(&self.ground.root, &self.path)
    }

    /// The instructions to which a link leads in the same worktree.
    fn linked(&self) -> Option<String> {
        self.link().filter(|_| matches!(self.what, Planting::Paragraph { .. }))?;
        let root = self.ground.root.canonicalize().ok()?;
        let target = root.join(&self.path).canonicalize().ok()?;
        let bytes = file::read(&root, target.strip_prefix(&root).ok()?, file::MOST).ok()?;
        String::from_utf8(bytes).ok()
    }

    fn change(
        &self,
        before: Option<String>,
        after: Option<String>,
        planted: Option<Planted>,
    ) -> Change {
        let Self { ground, path, shown, .. } = self.clone();
        Change { ground, path, shown, before, after, planted }
    }

    fn read(&self) -> Result<Option<String>, Error> {
        let shown = self.shown.display();
        let why = match file::read(&self.ground.root, &self.path, file::MOST) {
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

    fn put(
        &self,
        before: Option<String>,
        planted: Option<&Planted>,
    ) -> Result<Option<String>, Error> {
        let after = match (&self.what, before) {
            (Planting::Settings(entries), None) => {
                settings::created(entries, self.path.starts_with(".qwen"))
            }
            (Planting::Settings(entries), Some(text)) => settings::merge(&text, entries, planted),
            (Planting::Whole(own), None) => Ok((*own).to_owned()),
            (Planting::Whole(own), Some(text)) => {
                if text.replace("\r\n", "\n") == *own {
                    Ok(text)
                } else if planted.is_some_and(|it| it.is(text.as_bytes())) {
                    Ok((*own).to_owned())
                } else {
                    let help = "move it away, and try again";
                    return Err(self.foreign("exists, and is not as git sq wrote it", help));
                }
            }
            (Planting::Paragraph { is_made: false, .. }, None) => return Ok(None),
            (Planting::Paragraph { is_made: false, .. }, Some(text))
                if text.contains("@AGENTS.md") =>
            {
                return Ok(Some(text));
            }
            (Planting::Paragraph { text: own, .. }, Some(text)) => {
                let own = paragraph::block(own);
                if paragraph::found(&text).is_none_or(|it| it == own || remembers(planted, &it)) {
                    Ok(paragraph::put(&text, &own))
                } else {
                    let help = "delete the paragraph with its marks, and try again";
                    return Err(self.foreign("has a paragraph of git sq that was changed", help));
                }
            }
            (Planting::Paragraph { text: own, .. }, None) => Ok(paragraph::block(own) + "\n"),
        };
        after.map(Some).map_err(|misfit| self.unfit(&misfit))
    }

    fn take(
        &self,
        before: Option<String>,
        planted: Option<&Planted>,
    ) -> Result<Option<String>, Error> {
        let Some(text) = before else { return Ok(None) };
        match &self.what {
            Planting::Settings(entries) => {
                settings::unmerge(&text, entries, planted).map_err(|misfit| self.unfit(&misfit))
            }
            Planting::Whole(own) => {
                let is_ours = planted.is_some() && text.replace("\r\n", "\n") == *own;
                Ok(Some(text).filter(|_| !is_ours))
            }
            Planting::Paragraph { text: own, .. } => {
                let is_ours = paragraph::found(&text)
                    .is_some_and(|it| it == paragraph::block(own) || remembers(planted, &it));
                let rest = if is_ours { paragraph::take(&text) } else { text };
                let is_made = planted.is_some_and(|it| it.before.is_none());
                Ok(Some(rest).filter(|rest| !(is_made && rest.is_empty())))
            }
        }
    }

    /// The texts that planting adds to those of the file.
    fn lacking_in(&self, text: Option<&str>) -> Result<Vec<String>, Error> {
        match &self.what {
            Planting::Settings(entries) => settings::lacking(text.unwrap_or_default(), entries)
                .map_err(|misfit| self.unfit(&misfit)),
            Planting::Paragraph { text, .. } => Ok(vec![paragraph::block(text)]),
            Planting::Whole(_) => Ok(Vec::new()),
        }
    }

    fn foreign(&self, why: &str, help: &str) -> Error {
        Error::refused(format!("{} {why}", self.shown.display()), help)
    }

    fn unfit(&self, misfit: &str) -> Error {
        Error::refused(
            format!("{}:{misfit}", self.shown.display()),
            "nothing was written; fix the file, and try again",
        )
    }
}

fn remembers(planted: Option<&Planted>, text: &str) -> bool {
    planted.is_some_and(|planted| planted.texts.contains(text))
}
