use serde::Serialize;

use super::{
    Error, Project,
    questions::{store_at, store_commits},
};
use crate::{
    entry::{Person, is_same_recorded},
    git::{DEEPEN, ErrorKind, Oid},
    question::{Question, QuestionSet, Status, changes},
    timeline::{SessionAnswer, Timeline, short},
};

#[derive(Debug, Clone, Serialize)]
pub struct QuestionChange {
    pub commit: String,
    pub ts: String,
    /// The author, mapped by `.mailmap`.
    pub by: Person,
    pub subject: String,
    pub what: Vec<String>,
}

#[derive(Debug, Clone, Serialize)]
pub struct TrialComparison {
    pub trial: u32,
    pub active: u32,
    pub sessions: usize,
    /// Number of those sessions in which both changed, or neither did.
    pub same_delta: usize,
    /// Number of sessions that recorded both answers, and of those in which they were the same.
    pub with_answers: usize,
    pub same_answer: usize,
}

/// A commit that changed the question store, with the store before and after it.
type Step = (Oid, QuestionSet, QuestionSet);

impl Project {
    /// Each version on trial is compared with the active one.
    pub fn trials(&self, id: &str) -> Result<Vec<TrialComparison>, Error> {
        let store = self.questions_if_any();
        let versions = store.into_iter().flat_map(|store| &store.set.questions);
        let versions: Vec<&Question> = versions.filter(|question| question.id == id).collect();
        let trials = versions.iter().filter(|question| question.status == Status::Trial);
        let active = versions.iter().find(|question| question.status == Status::Active);
        let (Some(active), Some(_)) = (active, trials.clone().next()) else {
            return Ok(Vec::new());
        };
        let timeline = self.timeline()?;
        Ok(trials.map(|trial| self.compare(&timeline, trial, active)).collect())
    }

    fn compare(&self, timeline: &Timeline, trial: &Question, active: &Question) -> TrialComparison {
        let numbers = timeline.number(trial).zip(timeline.number(active));
        let both = (0..).zip(&timeline.sessions).filter_map(|(place, _)| {
            let (trial, active) = numbers?;
            Some([timeline.answer_of(place, trial)?, timeline.answer_of(place, active)?])
        });
        let both: Vec<SessionAnswer> = both.flatten().collect();
        let deltas = both
            .as_chunks::<2>()
            .0
            .iter()
            .map(|pair| pair.map(|answer| timeline.answer(answer).delta));
        let said = self.said(timeline, &both);
        let values = said
            .as_chunks::<2>()
            .0
            .iter()
            .filter_map(|[trial, active]| trial.0.as_ref().zip(active.0.as_ref()));
        TrialComparison {
            trial: trial.version,
            active: active.version,
            sessions: both.len() / 2,
            same_delta: deltas.filter(|[trial, active]| trial == active).count(),
            with_answers: values.clone().count(),
            same_answer: values.filter(|(trial, active)| is_same_recorded(trial, active)).count(),
        }
    }

    /// The commits among the tip's first parents that changed the question store, each with the store before and after
    /// it, oldest first; and why some are left out.
    pub fn stores(&self) -> Result<(Vec<Step>, Vec<String>), Error> {
        let (mut steps, mut unknown): (Vec<Step>, _) = (Vec::new(), Vec::new());
        let is_shallow = self.repo.is_shallow()?;
        for commit in store_commits(&self.repo, self.tip)? {
            let set = match store_at(&self.repo, commit) {
                Ok(store) => store.map(|store| store.set).unwrap_or_default(),
                // One that can't be read says nothing: what it did shows in the next one.
                Err(error) if error.kind == ErrorKind::Questions => continue,
                // A partial clone may lack an old one.
                Err(error) if error.kind == ErrorKind::Missing => {
                    unknown.push(format!("the questions of {}: {error}", short(commit)));
                    continue;
                }
                Err(error) => return Err(error),
            };
            // Where history is cut off, a store was perhaps there before.
            let parent = self.repo.first_parent(commit)?;
            let is_cut = is_shallow && parent.is_none_or(|parent| !self.repo.has_object(parent));
            let before = match steps.last() {
                Some((_, _, set)) => set.clone(),
                None if is_cut => set.clone(),
                None => QuestionSet::default(),
            };
            steps.push((commit, before, set));
        }
        Ok((steps, unknown))
    }

    /// The commits among the tip's first parents that changed a question, newest first, and unknown facts.
    pub fn question_history(&self, id: &str) -> Result<(Vec<QuestionChange>, Vec<String>), Error> {
        let repo = &self.repo;
        let mailmap = self.mailmap();
        let mut found = Vec::new();
        let (stores, mut unknown) = self.stores()?;
        for (commit, before, set) in stores {
            let what = changes(id, &before, &set);
            if !what.is_empty() {
                found.push(QuestionChange {
                    commit: commit.to_string(),
                    ts: repo.commit_time(commit)?.to_string(),
                    by: mailmap.resolve(&repo.author(commit)?),
                    subject: repo.subject(commit)?,
                    what,
                });
            }
        }
        let cut = repo.is_shallow()?;
        unknown.extend(cut.then(|| format!("history ends in this shallow clone: {DEEPEN}")));
        found.reverse();
        Ok((found, unknown))
    }
}
