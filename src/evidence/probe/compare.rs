//! Probes that compare: what two places say, and the paths that files name with those that are there.

use std::{collections::HashSet, slice};

use serde_json::Value;

use super::{Found, Run, Stop, gone, memo::InFile, text};
use crate::question::{Exist, Probe};

impl Run<'_> {
    pub(super) fn agree(&mut self, probes: &[Probe]) -> Result<Value, Stop> {
        let parts = self.parts(probes)?;
        let mut pairs = parts.windows(2);
        Ok(pairs.all(|two| written(&two[0]) == written(&two[1])).into())
    }

    /// The items of the first list that are absent from the second one.
    pub(super) fn subset(&mut self, probes: &[Probe]) -> Result<Value, Stop> {
        let parts = self.parts(probes)?;
        let (part, whole) = (items(&parts[0]), items(&parts[1]));
        let whole: HashSet<Value> = whole.iter().map(written).collect();
        let missing = part.iter().filter(|item| !whole.contains(&written(item)));
        Ok(once(missing.cloned()))
    }

    /// The captured paths that are absent.
    pub(super) fn exist(&mut self, exist: &Exist) -> Result<Value, Stop> {
        let regex = exist.matcher().or_else(gone)?;
        let key = serde_json::to_string(exist).unwrap_or_default();
        let mut absent: Vec<Value> = Vec::new();
        for file in self.some_files(&exist.paths)? {
            let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
            let named = self.in_file(&key, file, |text| InFile {
                taken: text::lines(text).flat_map(|line| text::all(&regex, line)).collect(),
                count: 0,
            })?;
            for path in named.taken {
                if !self.is_there(&folder, path.as_str().unwrap_or_default())? {
                    absent.push(path);
                }
            }
        }
        Ok(once(absent.into_iter()))
    }

    fn is_there(&self, folder: &str, path: &str) -> Result<bool, Stop> {
        for from in ["", folder] {
            if let Some(path) = text::joined(from, path)
                && (path.is_empty() || self.repo.object_at(self.commit, &path)?.is_some())
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The value of each probe; gone if one of them is.
    fn parts(&mut self, probes: &[Probe]) -> Result<Vec<Value>, Stop> {
        let mut values = Vec::new();
        let mut missing = None;
        for probe in probes {
            let part = match self.probe(probe) {
                Ok(value) => {
                    values.push(value.clone());
                    Found::Value(value)
                }
                Err(Stop::Gone(why)) => {
                    missing.get_or_insert_with(|| why.clone());
                    Found::Gone(why)
                }
                Err(failed) => return Err(failed),
            };
            self.parts.push(part);
        }
        missing.map_or(Ok(values), gone)
    }
}

/// A single value is a list of one.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(slice::from_ref(value), Vec::as_slice)
}

fn once(items: impl Iterator<Item = Value>) -> Value {
    let mut seen = HashSet::new();
    items.filter(|item| seen.insert(item.clone())).collect()
}

/// The value as text: a number is the same as a string of its digits.
fn written(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(written).collect(),
        Value::String(text) => text.as_str().into(),
        other => other.to_string().into(),
    }
}
