//! What a session is asked, and what is known of it before it is derived.

use std::{
    borrow::Cow,
    cmp::Reverse,
    collections::{HashMap, hash_map::Entry},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Error, Measure, Project, recording::before::Last};
use crate::{
    entry::Citation,
    evidence::{CitedFate, Cites, Prober, is_exposed},
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
    /// Whether watched files changed since it was last derived, or lines that the answer cites, or what its probe finds;
    /// None where it has none of these or never was.
    pub exposed: Option<bool>,
    /// Lines that its last answer cites and that no longer stand in their files, as in `src/lib.rs:3-5`.
    pub cites_changed: Vec<String>,
    /// How its last answer stands.
    pub standing: Standing,
    /// Whether this session has to answer it, by its trigger.
    pub is_due: bool,
    /// Whether the tool itself answers it.
    pub probed: bool,
    /// Whether an answer has to cite what it rests on: its question says so, or what the last one cited changed.
    pub requires_evidence: bool,
    /// What is new, where the tool answers it.
    pub news: Option<String>,
    /// What its answer is, where it has a shape.
    #[serde(skip)]
    pub answer: Option<String>,
    /// The commit that carries its last answer.
    #[serde(skip)]
    pub answered_at: Option<String>,
    /// Whether its answers have a shape, so that the tool compares them.
    #[serde(skip)]
    pub shaped: bool,
    /// Whether the whole log is known: then "never" is never.
    #[serde(skip)]
    pub is_certain: bool,
}

/// How the last answer to a question stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    Fresh,
    /// What it depends on changed.
    Exposed,
    /// It is as old as the limit allows: a session more without it, and it is stale.
    Due,
    /// It is older than the limit allows.
    Stale,
    /// There is none.
    Never,
}

/// How long probes may take together where they are run to tell what to answer.
const PROBING: Duration = Duration::from_secs(2);

/// How many commits are named that exposed an answer.
const NAMED: usize = 3;

/// The commits that exposed an answer.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ExposedBy {
    /// Newest first, three at most.
    pub commits: Vec<String>,
    /// How many more there are.
    pub more: usize,
}

impl Project {
    /// How a question stands, and by which commits its last answer is exposed; None where it is not asked here.
    pub fn standing(
        &self,
        question: &Question,
    ) -> Result<Option<(Standing, Option<ExposedBy>)>, Error> {
        let Some(store) = &self.store else {
            return Ok(None);
        };
        let survey = self.snapshot(&Measure::default())?.survey;
        let asked = asked(self, &store.set, &survey, self.repo.now())?;
        let mut asked = asked.into_iter();
        let is_it = |one: &Asked| one.q_id == question.id && one.q_version == question.version;
        let Some(asked) = asked.find(is_it) else {
            return Ok(None);
        };
        let since = asked.answered_at.as_ref().and_then(|at| at.parse().ok());
        let since = since.filter(|_| asked.standing == Standing::Exposed);
        let files = asked
            .cites_changed
            .iter()
            .filter_map(|cite| cite.rsplit_once(':'));
        let files = files.map(|(path, _)| format!(":(top,literal){path}"));
        let paths: Vec<String> = question
            .dependencies()
            .iter()
            .cloned()
            .chain(files)
            .collect();
        // Where history is cut off, nobody knows.
        let commits =
            since.and_then(|since| self.repo.touching_since(since, self.tip, &paths).ok());
        let exposed = commits.map(|commits| ExposedBy {
            commits: commits
                .iter()
                .take(NAMED)
                .map(ToString::to_string)
                .collect(),
            more: commits.len().saturating_sub(NAMED),
        });
        Ok(Some((asked.standing, exposed)))
    }

    /// The lines that an answer recorded on a commit cites and that no longer stand.
    fn cites_changed(&self, question: &Question, commit: Oid) -> Option<Vec<String>> {
        let has_entry = |_: &str| true;
        let here = Cites::new(&self.repo, self.tip, &has_entry);
        let last = Last::on(self, commit, question)?;
        let lines = last
            .cites
            .iter()
            .filter(|one| matches!(one, Citation::Lines { .. }));
        let mut rows = lines.map(|cite| here.look_up(cite)).peekable();
        rows.peek()?;
        let changed =
            rows.filter(|row| matches!(row.fate, Some(CitedFate::Changed | CitedFate::Gone)));
        Some(changed.map(|row| row.cite).collect())
    }
}

impl Asked {
    /// Whether this session has to answer it by its own judgement.
    pub fn needs_answer(&self) -> bool {
        self.is_due && !self.probed
    }

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
    let start = Instant::now();
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
        let has_moved = derived_at != Some(project.tip);
        let reads_history = built_in.is_some_and(Probe::reads_history);
        let may_differ = exposed != Some(false) || (reads_history && has_moved);
        let (exposed, news) = if has_probe && may_differ && start.elapsed() > PROBING {
            let limit = PROBING.as_secs();
            let why = format!(
                "not run here: the probes took more than {limit} s; `git sq probe` runs all"
            );
            (exposed, Some(why))
        } else if has_probe && may_differ {
            match prober.compare(question, derived_at) {
                Some(Ok(found)) => (derived_at.map(|_| found.is_delta()), found.note()),
                Some(Err(error)) => (None, Some(format!("the probe failed: {error}"))),
                None => (exposed, None),
            }
        } else {
            (exposed, None)
        };
        let cited = row.filter(|row| row.last_cited).and(derived_at);
        let cited = cited.and_then(|commit| project.cites_changed(question, commit));
        let exposed = match &cited {
            Some(lost) if !lost.is_empty() => Some(true),
            Some(_) => exposed.or(Some(false)),
            None => exposed,
        };
        let has_lost = cited.as_ref().is_some_and(|lost| !lost.is_empty());
        questions.push(Asked {
            standing: standing(row, exposed),
            cites_changed: cited.unwrap_or_default(),
            is_due: has_probe || row.is_none_or(|row| is_due(question, row, exposed, now)),
            probed: has_probe,
            requires_evidence: !has_probe && (question.requires_evidence() || has_lost),
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
            shaped: question.shape.is_some(),
            exposed,
            answer: question
                .shape
                .as_ref()
                .map(|shape| question::expected(Some(shape))),
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

fn standing(row: Option<&Staleness>, exposed: Option<bool>) -> Standing {
    match row.filter(|row| row.last_sid.is_some()) {
        None => Standing::Never,
        Some(_) if exposed == Some(true) => Standing::Exposed,
        Some(row) if row.flagged => Standing::Stale,
        Some(row) if row.staleness >= row.limit as usize => Standing::Due,
        Some(_) => Standing::Fresh,
    }
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
