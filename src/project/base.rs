//! What a proposal changes in the questions that judge it, and in what they see.

use super::{Error, FoundStore, Measure, Project, StoreNews, questions::store_at};
use crate::{
    evidence::Sight,
    git::Oid,
    metrics::Survey,
    question::{Question, QuestionSet, loosened},
    rules::{Facts, Proposed},
    timeline::short,
};

/// Another commit, whose question store judges in place of the tip's.
pub struct Base {
    pub commit: Oid,
    /// What the tip asks.
    pub tips: Option<FoundStore>,
    /// The default branch, since whoever proposes something chooses what it is held against.
    default: Option<Oid>,
}

/// A branch that a proposal is held against.
struct Judge {
    /// What it asks now, and what it asked where the proposal left it.
    now: QuestionSet,
    before: FoundStore,
    fork: Oid,
}

impl Project {
    /// Takes questions and settings from another commit, where that has them: those who are measured can't change it.
    ///
    /// # Errors
    /// When its question store can't be read.
    pub fn judged_by(mut self, commit: Oid, default: Option<Oid>) -> Result<Self, Error> {
        if let Some(store) = store_at(&self.repo, commit)? {
            let tips = self.store.replace(store);
            self.base = Some(Base {
                commit,
                tips,
                default,
            });
        }
        Ok(self)
    }

    /// All that the rules of the gate judge by.
    ///
    /// # Errors
    /// When history, a question store or a file can't be read.
    pub fn facts(&self, survey: Survey, measure: &Measure) -> Result<Facts, Error> {
        Ok(Facts {
            survey,
            settings: self.measured_by(measure)?.settings,
            store: self.questions()?.news,
            proposed: self.proposed()?,
        })
    }

    /// What the tip changes since it left its base, and since it left the default branch, where these still differ.
    ///
    /// # Errors
    /// When history, a question store or a file can't be read.
    fn proposed(&self) -> Result<Proposed, Error> {
        let mut found = Proposed::default();
        let Some(base) = &self.base else {
            return Ok(found);
        };
        let none = QuestionSet::default();
        let tips = base.tips.as_ref();
        let tips = tips.filter(|tips| tips.news != StoreNews::NotCommitted);
        let tips = tips.map_or(&none, |tips| &tips.set);
        for commit in [Some(base.commit), base.default].into_iter().flatten() {
            let Some(judge) = self.judge(commit)? else {
                continue;
            };
            let diff = format!("git diff {} -- {}", short(judge.fork), judge.before.path);
            let own = loosened(&judge.before.set, tips);
            for one in loosened(&judge.now, tips) {
                let is_own = own.iter().any(|own| own.about == one.about);
                if is_own && found.loosened.iter().all(|(known, _)| *known != one) {
                    found.loosened.push((one, diff.clone()));
                }
            }
            self.add_blinded(&judge, tips, &mut found.blinded)?;
        }
        Ok(found)
    }

    /// None where the branch asked nothing when the tip left it.
    fn judge(&self, commit: Oid) -> Result<Option<Judge>, Error> {
        let fork = self.repo.merge_base(commit, self.tip)?.unwrap_or(commit);
        // What could not be read there was asked of nobody.
        let before = store_at(&self.repo, fork).ok().flatten();
        let now = store_at(&self.repo, commit)?;
        Ok(now.zip(before).map(|(now, before)| Judge {
            now: now.set,
            before,
            fork,
        }))
    }

    /// Adds the questions that no longer see what they saw, unless a new version says so.
    fn add_blinded(
        &self,
        judge: &Judge,
        tips: &QuestionSet,
        found: &mut Vec<(String, String, Oid)>,
    ) -> Result<(), Error> {
        let changes = self.repo.changes(judge.fork, self.tip)?;
        if changes.is_empty() {
            return Ok(());
        }
        let moves = self.repo.moves(judge.fork, self.tip)?;
        let sight = Sight {
            repo: &self.repo,
            from: judge.fork,
            to: self.tip,
            changes: &changes,
            moves: &moves,
        };
        let is_active = |set: &QuestionSet, question: &Question| {
            set.active().any(|now| now.name() == question.name())
        };
        for question in judge.before.set.active() {
            let name = question.name().to_string();
            if is_active(&judge.now, question)
                && is_active(tips, question)
                && found.iter().all(|(known, ..)| *known != name)
                && let Some(lost) = sight.lost(question)?
            {
                found.push((name, lost, judge.fork));
            }
        }
        Ok(())
    }
}
