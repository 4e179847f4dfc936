//! What a new entry says: the answers as they were given, what probes find, and what notes cite.

mod before;
mod commands;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::before::Before;
use super::{Error, Measure, Project, Since};
use crate::{
    entry::{Answer, Citation, Cited, CommandRun, Rederive, Ts},
    evidence::{Cites, NotPinned, Prober, is_exposed, probe_digest},
    git::Oid,
    question::{Probe, Question, QuestionSet, Trigger},
    timeline::Watch,
};

/// An answer that belongs to a question.
pub struct Matched<'s> {
    pub question: &'s Question,
    pub delta: bool,
    pub note: Option<String>,
    /// What a probe says of it.
    pub probed: Option<Probed>,
    /// The lines that its note cites.
    pub cites: Vec<Citation>,
}

/// What is recorded beside an answer that a probe derived.
pub struct Probed {
    pub answer: Value,
    /// What the session said of the delta, where it is otherwise.
    pub claim: Option<bool>,
    /// How its command ran, where it is one.
    pub run: Option<CommandRun>,
}

/// An entry that is about to be recorded.
pub struct Recording<'s> {
    pub answers: Vec<Matched<'s>>,
    pub before: Before,
    /// Probes that could not be run, and lines that can't be cited.
    pub failed: Vec<String>,
}

impl<'s> Recording<'s> {
    /// Adds to the answers that were given what probes find, and pins what they cite. `session` is the one that the
    /// entry goes on with.
    ///
    /// # Errors
    /// Where the log or the history can't be read.
    pub fn prepare(
        project: &Project,
        set: &'s QuestionSet,
        mut answers: Vec<Matched<'s>>,
        session: Option<(String, Option<Ts>)>,
    ) -> Result<Self, Error> {
        let asked = answers.iter().map(|answer| answer.question);
        let before = Before::look_back(project, asked.chain(with_probe(set)), session)?;
        let mut failed = derive(project, set, &before, &mut answers);
        failed.extend(cite(project, &mut answers));
        Ok(Self {
            answers,
            before,
            failed,
        })
    }

    /// Why it can't be recorded: deltas and first derivations need a note, and some questions evidence.
    pub fn mistakes(&self) -> Vec<String> {
        let mut mistakes = Vec::new();
        for answer in &self.answers {
            let name = answer.question.name();
            let first = self.before.is_first(answer.question);
            match (answer.delta, first, &answer.note) {
                (true, true, _) => mistakes.push(format!(
                    "{name} has no earlier answer to differ from: use --same '{name}=the answer'"
                )),
                (true, false, None) => {
                    mistakes.push(format!(
                        "the delta of {name} needs a note: use --delta '{name}=what changed'"
                    ));
                }
                (false, true, None) => mistakes.push(format!(
                    "the first answer to {name} needs a note: use --same '{name}=the answer'"
                )),
                _ => {}
            }
            if answer.question.require_evidence
                && answer.probed.is_none()
                && answer.cites.is_empty()
            {
                mistakes.push(format!(
                    "{name} requires evidence: cite lines of a tracked file in its note, as in src/lib.rs:12-20"
                ));
            }
        }
        mistakes
    }

    /// The body of the entry.
    pub fn rederive(&self, ts: Ts) -> Rederive<'static> {
        let results = self.answers.iter().map(|answer| Answer {
            q_id: answer.question.id.clone().into(),
            last_rederived_ts: Some(ts.to_string().into()),
            delta: answer.delta,
            note: answer.note.clone().map(Into::into),
            q_version: (answer.question.version != 1).then_some(answer.question.version),
            claim: answer.probed.as_ref().and_then(|probed| probed.claim),
            answer: answer.probed.as_ref().map(|probed| probed.answer.clone()),
            evidence: evidence(answer),
        });
        Rederive {
            results: results.collect(),
        }
    }

    /// What every session has to answer and session `sid` has not.
    pub fn left(&self, set: &QuestionSet, sid: &str) -> Vec<String> {
        let is_left = |question: &&Question| {
            let mut answers = self.answers.iter();
            question.trigger == Trigger::EverySession
                && !answers.any(|answer| std::ptr::eq(answer.question, *question))
                && !self.before.has_answered(sid, question)
        };
        let left = set.active().filter(is_left);
        left.map(|question| question.name().to_string()).collect()
    }

    /// The questions that the changes most likely affected: what they watch changed, their hint names a changed file, or
    /// they watch nothing and matter most. Three at most.
    pub fn suspects(
        &self,
        project: &Project,
        since: &Since,
        anchor: Oid,
    ) -> Result<Vec<String>, Error> {
        let changes = project.repo.changes(anchor, project.tip)?;
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        let mut ranked: BTreeMap<(u8, u8, usize), String> = BTreeMap::new();
        let judged = self.answers.iter().filter(|answer| answer.probed.is_none());
        let again = judged.map(|answer| answer.question);
        let again = again.filter(|question| !self.before.is_first(question));
        for (place, question) in again.enumerate() {
            let dependencies = question.dependencies();
            let watches = !dependencies.is_empty();
            let hint = question.evidence_hint.as_deref().unwrap_or_default();
            let hinted = since.files.iter().any(|file| {
                let name = file.rsplit('/').next().unwrap_or(file);
                hint.contains(name)
            });
            let likelihood = if watches {
                let watch = Watch::new(&dependencies, question.lines.as_deref());
                if !is_exposed(&project.repo, &changes, watch)? {
                    continue;
                }
                0
            } else if hinted {
                1
            } else {
                2
            };
            let importance = 3 - question.importance.0.min(3);
            ranked.insert((likelihood, importance, place), question.name().to_string());
        }
        // Where something points at certain questions, the others are not named.
        let likeliest = ranked.keys().next().map(|(likelihood, ..)| *likelihood);
        let likely = ranked
            .into_iter()
            .filter(|((likelihood, ..), _)| Some(*likelihood) == likeliest);
        Ok(likely.map(|(_, name)| name).take(3).collect())
    }
}

/// The questions that have a probe.
fn with_probe(set: &QuestionSet) -> impl Iterator<Item = &Question> {
    let asked = set.questions.iter().filter(|one| one.status.is_asked());
    asked.filter(|one| one.probe.is_some())
}

/// Fills in what probes answer, also where the session said something else. Gives what could not be derived.
fn derive<'s>(
    project: &Project,
    set: &'s QuestionSet,
    before: &Before,
    matched: &mut Vec<Matched<'s>>,
) -> Vec<String> {
    let prober = Prober::new(&project.repo, project.tip);
    let mut failed = Vec::new();
    let is_built_in = |one: &&Question| one.probe.as_ref().is_some_and(Probe::is_built_in);
    for question in with_probe(set).filter(is_built_in) {
        let mut answers = matched.iter();
        let given = answers.position(|answer| std::ptr::eq(answer.question, question));
        if given.is_none() && before.is_answered_at(question, project.tip) {
            continue;
        }
        let derivation = match prober.compare(question, before.last_by_others(question)) {
            Some(Ok(derivation)) => derivation,
            Some(Err(error)) => {
                failed.push(format!("the probe of {} failed: {error}", question.name()));
                continue;
            }
            None => continue,
        };
        let given = given.map(|place| matched.remove(place));
        let delta = derivation.is_delta();
        let claim = given.as_ref().map(|given| given.delta);
        matched.push(Matched {
            question,
            delta,
            note: given
                .and_then(|given| given.note)
                .or_else(|| derivation.note()),
            probed: Some(Probed {
                answer: derivation.answer(),
                claim: claim.filter(|&claim| claim != delta),
                run: None,
            }),
            cites: Vec::new(),
        });
    }
    failed
}

fn evidence(answer: &Matched) -> Option<Value> {
    let probe = answer.question.probe.as_ref();
    match (&answer.probed, probe) {
        (Some(Probed { run: Some(run), .. }), Some(probe)) => {
            Some(json!({ "probe": probe_digest(probe), "run": run }))
        }
        (Some(_), Some(probe)) => Some(json!({ "probe": probe_digest(probe) })),
        _ if answer.cites.is_empty() => None,
        _ => Some(json!({ "cites": answer.cites })),
    }
}

/// Pins what notes cite to what HEAD has; what names no file is a part of the sentence. Gives what can't be cited.
fn cite(project: &Project, answers: &mut [Matched]) -> Vec<String> {
    let has_entry = |id: &str| project.has_entry(id);
    let cites = Cites::new(&project.repo, project.tip, &has_entry);
    let mut failed = Vec::new();
    for answer in answers.iter_mut().filter(|answer| answer.probed.is_none()) {
        for cited in Cited::find_in(answer.note.as_deref().unwrap_or_default()) {
            let text = cited.to_string();
            match cites.pin(cited) {
                Ok(citation) => answer.cites.push(citation),
                Err(NotPinned::NoFile | NotPinned::NoEntry) => {}
                Err(why) => failed.push(format!("{text} can't be cited: {why}")),
            }
        }
    }
    failed
}
