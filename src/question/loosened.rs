//! Differences by which one question store asks less strictly than another, or may.

use std::{cmp::Ordering, collections::BTreeMap};

use serde_json::Value;

use super::{
    Expect, Question, QuestionSet, Settings, Severity, Trigger, duration, expect::compare,
};

/// A difference that is not known to make a store stricter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loosening {
    /// The question, with its version where that is not 1, or the setting.
    pub about: String,
    pub what: &'static str,
    /// True if a version of a question says something else than before.
    pub is_in_place: bool,
}

impl Loosening {
    fn new(about: &impl ToString, what: &'static str) -> Self {
        Self { about: about.to_string(), what, is_in_place: false }
    }
}

/// The places at which `new` is not known to be as strict as `old`.
pub fn loosened(old: &QuestionSet, new: &QuestionSet) -> Vec<Loosening> {
    let before = values(&old.settings);
    let settings = values(&new.settings).into_iter().filter_map(|(name, value)| {
        let old = before.get(&name).unwrap_or(&Value::Null);
        (!is_as_strict(&name, old, &value)).then(|| Loosening::new(&name, "may be laxer"))
    });
    let questions = old.active().filter_map(|question| {
        let newer = |now: &&Question| now.id == question.id && now.version >= question.version;
        let is_here = new.find(&question.id, question.version).is_some();
        let what = match new.active().find(newer).filter(|_| is_here) {
            Some(now) if asks_as_much((question, old), (now, new)) => return None,
            Some(_) => "may ask less",
            None => "is no longer asked",
        };
        Some(Loosening::new(&question.name(), what))
    });
    settings.chain(questions).chain(changed_in_place(old, new)).collect()
}

/// The questions of `old` whose place a version in other words, or of other files, takes in `new`.
pub fn reworded<'q>(
    old: &'q QuestionSet,
    new: &'q QuestionSet,
) -> impl Iterator<Item = (&'q Question, &'q Question)> {
    old.active().filter_map(|question| {
        let newer = |now: &&Question| now.id == question.id && now.version > question.version;
        let now = new.active().find(newer)?;
        (now.text != question.text || now.probe != question.probe).then_some((question, now))
    })
}

/// The versions of questions that both stores have, and that do not ask the same.
pub fn changed_in_place(old: &QuestionSet, new: &QuestionSet) -> Vec<Loosening> {
    old.questions
        .iter()
        .filter(|question| new.asks_otherwise(question) == Some(true))
        .map(|question| Loosening {
            is_in_place: true,
            ..Loosening::new(&question.name(), "was changed in place")
        })
        .collect()
}

/// Each setting by its dotted name.
fn values(settings: &Settings) -> BTreeMap<String, Value> {
    let mut found = BTreeMap::new();
    let groups = serde_json::to_value(settings).unwrap_or_default();
    for (group, value) in groups.as_object().into_iter().flatten() {
        match value {
            Value::Object(keys) => {
                let keys = keys.iter();
                found.extend(keys.map(|(key, value)| (format!("{group}.{key}"), value.clone())));
            }
            value => drop(found.insert(group.clone(), value.clone())),
        }
    }
    found
}

/// Limits are stricter the lower they are, and lists of what a person accepts the shorter.
fn is_as_strict(name: &str, old: &Value, new: &Value) -> bool {
    old == new
        || match (old, new) {
            (Value::Number(old), Value::Number(new)) => {
                (new.as_f64() < old.as_f64()) != (name == "second.per_session")
            }
            (Value::String(old), Value::String(new)) if name == "clock.tolerance" => {
                duration(new) <= duration(old)
            }
            (Value::Array(old), Value::Array(new)) => new.iter().all(|item| old.contains(item)),
            _ => false,
        }
}

fn asks_as_much(
    (old, before): (&Question, &QuestionSet),
    (now, after): (&Question, &QuestionSet),
) -> bool {
    let limit = |question: &Question, set: &QuestionSet| {
        question.max_staleness.unwrap_or(set.settings.staleness.max)
    };
    let (was, is) = (old.dependencies(), now.dependencies());
    let watches_as_much = was.is_empty() == is.is_empty()
        && was.iter().all(|spec| is.contains(spec))
        // Any magic may leave files out.
        && is.iter().all(|spec| was.contains(spec) || !spec.starts_with(':'));
    watches_as_much
        && now.importance >= old.importance
        && now.severity.unwrap_or_default() >= old.severity.unwrap_or_default()
        // Without an expectation, a change is an error only where the store says so.
        && (old.expect.is_none() || now.blocks() >= old.blocks())
        && now.requires_evidence() >= old.requires_evidence()
        && is_as_often(&now.trigger, &old.trigger)
        // What is expected allows a change that a person had to review.
        && (expects_as_much(old.expect.as_ref(), now.expect.as_ref())
            || old.expect.is_none() && old.severity != Some(Severity::Blocking))
        && (now.max_staleness == old.max_staleness || limit(now, after) <= limit(old, before))
        // A version that was changed in place is reported as that.
        && (now.version == old.version || now.means() == old.means())
}

fn expects_as_much(old: Option<&Expect>, now: Option<&Expect>) -> bool {
    match (old, now) {
        (Some(Expect::AtMost(old)), Some(Expect::AtMost(now)))
        | (Some(Expect::AtLeast(now)), Some(Expect::AtLeast(old))) => {
            compare(now, old).is_some_and(Ordering::is_le)
        }
        _ => now == old,
    }
}

fn is_as_often(now: &Trigger, old: &Trigger) -> bool {
    match (now, old) {
        (Trigger::EverySession, _) => true,
        (Trigger::Every(now), Trigger::Every(old)) => duration(now) <= duration(old),
        (Trigger::Sessions(now), Trigger::Sessions(old)) => now <= old,
        _ => now == old,
    }
}

impl QuestionSet {
    /// Takes a fact's newer version from a proposal if it asks as much, and `has_moved` says that what the older one reads
    /// stands now where the newer one looks.
    pub fn follow(&mut self, proposed: &Self, has_moved: impl Fn(&Question, &Question) -> bool) {
        for place in 0..self.questions.len() {
            let question = &self.questions[place];
            let is_newer =
                |now: &&Question| now.id == question.id && now.version > question.version;
            let newer = proposed.active().find(is_newer);
            let asked = newer.filter(|_| question.is_fact() && question.status.is_asked());
            let Some(now) = asked else { continue };
            let moved = Question { probe: now.probe.clone(), ..question.clone() };
            if asks_as_much((&moved, self), (now, proposed)) && has_moved(question, now) {
                self.questions[place] = now.clone();
            }
        }
    }

    /// Returns true if the same version of a question asks something else here; None where it is not here.
    pub fn asks_otherwise(&self, question: &Question) -> Option<bool> {
        let here = self.find(&question.id, question.version)?;
        Some(here.text != question.text || here.means() != question.means())
    }
}

impl Question {
    /// The keys that define the answer and its derivation.
    fn means(&self) -> impl PartialEq + '_ {
        (&self.probe, &self.shape, &self.lines)
    }
}
