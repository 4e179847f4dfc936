//! Probes that compare what two places say.

use std::{cmp::Ordering, collections::HashSet, slice};

use serde_json::Value;

use super::{
    Found, Run, Stop, gone, text, value,
    version::{self, Version},
};
use crate::question::{Probe, TextKind};

impl Run<'_> {
    pub(super) fn agree(&mut self, probes: &[Probe]) -> Result<Value, Stop> {
        Ok(all_agree(self.parts(probes, Self::said)?.iter().flatten()).into())
    }

    /// The values there, and how they compare.
    fn said(&mut self, probe: &Probe) -> Result<(Value, Vec<Said>), Stop> {
        let (value, kind, precision) = match probe {
            Probe::Value(of) => (self.value(of)?, of.kind, of.precision),
            Probe::Text(of) => (self.text(of)?, of.kind, of.precision),
            probe => (self.probe(probe)?, None, None),
        };
        let said = Said::all(probe, &value, kind, precision).or_else(gone)?;
        Ok((value, said))
    }

    /// The items of the first list that are absent from the second one.
    pub(super) fn subset(&mut self, probes: &[Probe]) -> Result<Value, Stop> {
        let parts = self.parts(probes, |run, probe| {
            let value = run.probe(probe)?;
            Ok((value.clone(), value))
        })?;
        let (part, whole) = (items(&parts[0]), items(&parts[1]));
        let whole: HashSet<Value> = whole.iter().map(written).collect();
        Ok(once(part.iter().filter(|item| !whole.contains(&written(item))).cloned()))
    }

    /// Applies `read` to each probe; gone if one of them is, for all reasons.
    fn parts<T>(
        &mut self,
        probes: &[Probe],
        read: impl Fn(&mut Self, &Probe) -> Result<(Value, T), Stop>,
    ) -> Result<Vec<T>, Stop> {
        let (mut parts, mut missing) = (Vec::new(), Vec::new());
        for probe in probes {
            let part = match read(self, probe) {
                Ok((value, part)) => {
                    parts.push(part);
                    Found::Value(value)
                }
                Err(Stop::Gone(why)) => {
                    if !missing.contains(&why) {
                        missing.push(why.clone());
                    }
                    Found::Gone(why)
                }
                Err(failed) => return Err(failed),
            };
            self.parts.push(part);
        }
        if missing.is_empty() { Ok(parts) } else { gone(missing.join(", ")) }
    }
}

/// Returns true if probes of one file each find values in these texts, and all agree.
pub fn agree_in(parts: &[(&Probe, &str)]) -> bool {
    let said = |(probe, text): &(&Probe, &str)| {
        let (value, kind, precision) = match probe {
            Probe::Value(of) => (value::of(of, text.as_bytes()), of.kind, of.precision),
            Probe::Text(of) => (text::of(of, text.as_bytes()), of.kind, of.precision),
            _ => return None,
        };
        Said::all(probe, &value.ok()?, kind, precision).ok()
    };
    let said: Option<Vec<Vec<Said>>> = parts.iter().map(said).collect();
    said.is_some_and(|said| all_agree(said.iter().flatten()))
}

/// Each with all others: "as far as both go" says nothing about a third one.
fn all_agree<'s>(said: impl Iterator<Item = &'s Said>) -> bool {
    let all: Vec<&Said> = said.collect();
    let agree = |(place, one): (usize, &&Said)| all[..place].iter().all(|two| one.agrees(two));
    all.iter().enumerate().all(agree)
}

/// A value as `agree` compares it.
struct Said {
    /// One, or those of a list.
    versions: Option<Vec<Version>>,
    /// True of a version of the project that is not out yet.
    is_ahead: bool,
    text: Value,
}

impl Said {
    /// Each value that a probe takes; the error is the reason why one can't be compared.
    fn all(
        probe: &Probe,
        value: &Value,
        kind: Option<TextKind>,
        precision: Option<usize>,
    ) -> Result<Vec<Self>, String> {
        let said = if probe.takes_every() { items(value) } else { slice::from_ref(value) };
        said.iter().map(|value| Self::read(value, kind, precision)).collect()
    }

    fn read(
        value: &Value,
        kind: Option<TextKind>,
        precision: Option<usize>,
    ) -> Result<Self, String> {
        let versions = items(value).iter().map(|item| Version::read(item, precision));
        Ok(Self {
            versions: kind.map(|_| versions.collect()).transpose()?,
            is_ahead: kind == Some(TextKind::Release) && version::is_unreleased(value),
            text: written(&version::read(kind, precision, value.clone())?),
        })
    }

    fn agrees(&self, other: &Self) -> bool {
        match (&self.versions, &other.versions) {
            (Some(one), Some(two)) if one.len() == two.len() => {
                let mut both = one.iter().zip(two);
                let later = match (self.is_ahead, other.is_ahead) {
                    (true, false) => Some(Ordering::Greater),
                    (false, true) => Some(Ordering::Less),
                    _ => None,
                };
                both.all(|(one, two)| one.agrees(two) || Some(one.order(two)) == later)
            }
            _ => self.text == other.text,
        }
    }
}

/// A single value is a list of one.
fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(slice::from_ref(value), Vec::as_slice)
}

pub(super) fn once(items: impl Iterator<Item = Value>) -> Value {
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
