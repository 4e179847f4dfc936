//! The counting answers at HEAD, with which a new one is compared, as `check` does.

use std::collections::HashMap;

use super::{
    super::Project,
    before::{Before, Last},
};
use crate::{
    evidence::Claim,
    git::Oid,
    metrics::AtTip,
    question::{Question, QuestionSet},
};

#[derive(Default)]
pub struct Counting(HashMap<String, (Last, Oid)>);

impl Counting {
    /// Only for questions that say what they depend on.
    pub fn at_head(project: &Project, set: &QuestionSet, at_tip: Vec<AtTip>) -> Self {
        let mut counting = HashMap::new();
        for at_tip in at_tip {
            let mut questions = set.questions.iter();
            let question = questions.find(|one| one.name().to_string() == at_tip.question);
            let at = at_tip.at.and_then(|at| at.parse().ok());
            let commit = at_tip.commit.and_then(|commit| commit.parse().ok());
            let (Some(question), Some(at), Some(commit), Some(entry)) =
                (question, at, commit, at_tip.entry)
            else {
                continue;
            };
            if let Some(last) = Last::of_entry(project, commit, &entry, question) {
                counting.insert(at_tip.question, (last, at));
            }
        }
        Self(counting)
    }

    /// The counting answer before a new one; skips this session's own answer at HEAD, which is replaced.
    pub fn get<'c>(
        &'c self,
        project: &Project,
        before: &'c Before,
        question: &Question,
    ) -> Option<(&'c Last, Oid)> {
        let (last, at) = self.0.get(&question.name().to_string())?;
        let is_replaced =
            last.commit == project.tip && before.session.as_deref() == Some(&*last.sid);
        if is_replaced {
            let last = before.last(question)?;
            return Some((last, last.commit));
        }
        Some((last, *at))
    }

    pub fn claim(&self, project: &Project, before: &Before, question: &Question) -> Option<Claim> {
        let (last, at) = self.get(project, before, question)?;
        Some(Claim::last(at, last.answer.clone(), &last.cites))
    }
}
