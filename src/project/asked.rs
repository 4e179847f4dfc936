//! What a session is asked, and what is known of it before it is derived.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{HashMap, hash_map::Entry},
};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, Project};
use crate::{
    evidence::{Prober, is_exposed},
    git::{Changes, Oid},
    metrics::{Staleness, Survey},
    question::{self, Probe, Question, QuestionSet, Status, Trigger, duration},
    timeline::Watch,
};

/// A question to re-derive.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "keys of its JSON, each independent"
)]
pub struct Asked {
    pub q_id: String,
    pub q_version: u32,
    pub q: String,
    pub importance: u8,
    pub status: Status,
    pub evidence_hint: Option<String>,
    /// Sessions since it was last re-derived; None where none ever did.
    pub staleness: Option<usize>,
    /// Over its limit.
    pub flagged: bool,
    /// Whether watched files changed since it was last derived, or what its probe finds; None where it watches nothing or
    /// never was.
    pub exposed: Option<bool>,
    /// Whether this session has to answer it, by its trigger.
    pub is_due: bool,
    /// Whether the tool itself answers it.
    pub probed: bool,
    /// Whether an answer has to cite what it rests on.
    pub requires_evidence: bool,
    /// What is new, where the tool answers it.
    pub news: Option<String>,
    /// The commit that carries its last answer.
    #[serde(skip)]
    pub answered_at: Option<String>,
    /// Whether the whole log is known: then "never" is never.
    #[serde(skip)]
    pub is_certain: bool,
}

impl Asked {
    /// Its name with the version where that is not 1.
    pub fn name(&self) -> String {
        question::name(&self.q_id, self.q_version)
    }
}

/// The questions that are asked, the most important first, among those the stalest.
pub fn asked(
    project: &Project,
    set: &QuestionSet,
    survey: &Survey,
    now: Timestamp,
) -> Result<Vec<Asked>, Error> {
    let mut changes: HashMap<Oid, Changes> = HashMap::new();
    let mut questions = Vec::new();
    let prober = Prober::new(&project.repo, project.tip);
    for question in &set.questions {
        if !question.status.is_asked() {
            continue;
        }
        let mut rows = survey.staleness.iter();
        let row = rows.find(|row| row.q_id == question.id && row.q_version == question.version);
        let derived_at = row.and_then(|row| row.last_commit.as_ref()?.parse().ok());
        let built_in = question.probe.as_ref().filter(|one| one.is_built_in());
        // What a probe reads decides, whatever else the question watches.
        let (dependencies, lines) = match built_in {
            Some(probe) => (Cow::Owned(probe.reads()), None),
            None => (question.dependencies(), question.lines.as_deref()),
        };
        let exposed = match derived_at {
            Some(commit) if !dependencies.is_empty() => {
                let changes = match changes.entry(commit) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => {
                        place.insert(project.repo.changes(commit, project.tip)?)
                    }
                };
                let watch = Watch::new(&dependencies, lines);
                is_exposed(&project.repo, changes, watch).ok()
            }
            _ => None,
        };
        let has_probe = built_in.is_some();
        let may_differ = exposed != Some(false) || built_in.is_some_and(Probe::reads_history);
        let (exposed, news) = if has_probe && may_differ {
            match prober.compare(question, derived_at) {
                Some(Ok(found)) => (derived_at.map(|_| found.is_delta()), found.note()),
                Some(Err(error)) => (None, Some(format!("the probe failed: {error}"))),
                None => (exposed, None),
            }
        } else {
            (exposed, None)
        };
        questions.push(Asked {
            is_due: has_probe || row.is_none_or(|row| is_due(question, row, exposed, now)),
            probed: has_probe,
            requires_evidence: !has_probe && question.requires_evidence(),
            news,
            q_id: question.id.clone(),
            q_version: question.version,
            q: question.text.clone(),
            importance: question.importance.0,
            status: question.status,
            evidence_hint: question.evidence_hint.clone(),
            staleness: row
                .filter(|row| row.last_sid.is_some())
                .map(|row| row.staleness),
            flagged: row.is_some_and(|row| row.flagged),
            exposed,
            answered_at: row.and_then(|row| row.last_commit.clone()),
            is_certain: survey.unknown.is_empty(),
        });
    }
    questions.sort_by_key(|question| {
        let stale = question.staleness.unwrap_or(usize::MAX);
        (Reverse(question.importance), Reverse(stale))
    });
    Ok(questions)
}

/// Whether a question is due in this session; one that was never derived always is.
fn is_due(question: &Question, row: &Staleness, exposed: Option<bool>, now: Timestamp) -> bool {
    let last = row.last_rederived_ts.as_ref();
    let Some(last) = last.and_then(|last| last.parse::<Timestamp>().ok()) else {
        return true;
    };
    match &question.trigger {
        Trigger::EverySession => true,
        Trigger::OnChange => exposed != Some(false),
        Trigger::Sessions(sessions) => row.since >= *sessions as usize,
        Trigger::Every(length) => {
            duration(length).is_none_or(|length| now.duration_since(last) >= length)
        }
    }
}
