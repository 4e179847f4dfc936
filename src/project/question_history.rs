//! How a question came to its wording: the commits that changed it in the store.

use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Error, Project,
    questions::{store_at, store_commits},
};
use crate::{
    entry::Person,
    question::{QuestionSet, changes},
};

/// A commit that changed a question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct QuestionChange {
    pub commit: String,
    pub ts: String,
    /// Its author, as `.mailmap` has them.
    pub by: Person,
    pub subject: String,
    /// A sentence each.
    pub what: Vec<String>,
}

impl Project {
    /// The commits among the tip's first parents that changed a question, newest first, and what is unknown.
    pub fn question_history(&self, id: &str) -> Result<(Vec<QuestionChange>, Vec<String>), Error> {
        let repo = &self.repo;
        let mailmap = repo.mailmap();
        let mut found = Vec::new();
        let mut before = QuestionSet::default();
        for commit in store_commits(repo, self.tip)? {
            let set = match store_at(repo, commit) {
                Ok(store) => store.map(|store| store.set).unwrap_or_default(),
                // One that can't be read says nothing: what it did shows in the next one.
                Err(Error::Questions(_)) => continue,
                Err(error) => return Err(error),
            };
            let what = changes(id, &before, &set);
            before = set;
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
        let cut = "history ends in this shallow clone: `git fetch --unshallow` gets the rest";
        let unknown = repo.is_shallow()?.then(|| cut.to_owned());
        found.reverse();
        Ok((found, unknown.into_iter().collect()))
    }
}
