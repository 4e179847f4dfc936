//! Problems of the question store in the worktree.

use jiff::Timestamp;

use super::{Error, committed_store, worktree_store};
use crate::{
    git::{Oid, Pathspecs, Repo},
    question::{self, Probe, Question, QuestionSet},
};

pub struct Lint {
    pub path: String,
    pub set: QuestionSet,
    pub errors: Vec<String>,
    pub warnings: Vec<String>,
}

/// `None` if the worktree has no store.
pub fn lint(repo: &Repo, now: Timestamp) -> Result<Option<Lint>, Error> {
    let Some((path, _, set)) = worktree_store(repo)? else {
        return Ok(None);
    };
    for question in &set.questions {
        let specs = [question.watch.clone(), reads(question)].concat();
        Pathspecs::parse(&specs).map_err(|mut error| {
            error.message = format!("{path}: {}: {}", question.name(), error.message);
            error
        })?;
    }
    let committed = committed_store(repo)?.map(|store| store.set);
    let errors = question::errors(&set, committed.as_ref(), now);
    let mut warnings = question::warnings(&set);
    if let Some(head) = repo.head()?.commit {
        for question in set.active() {
            warnings.extend(unmatched(repo, head, question)?);
        }
    }
    Ok(Some(Lint { path, set, errors, warnings }))
}

fn reads(question: &Question) -> Vec<String> {
    question.probe.as_ref().map(Probe::reads).unwrap_or_default()
}

/// The places that the question names and that HEAD has not.
fn unmatched(repo: &Repo, head: Oid, question: &Question) -> Result<Vec<String>, Error> {
    let name = question.name();
    let mut warnings = Vec::new();
    for spec in repo.unmatched(head, &question.watch)? {
        let place = repo.not_followed(head, spec)?;
        let why = place.as_deref().unwrap_or("matches no file in HEAD");
        warnings.push(format!("{name} watches {spec}, which {why}"));
    }
    let read = reads(question);
    let unmatched = repo.unmatched(head, &read)?;
    // A probe may list files that come and go.
    let has_some = unmatched.len() < read.len();
    for spec in unmatched {
        let why = match repo.has_in_worktree(spec, false)? {
            true => "which git does not track: a probe sees only committed files",
            false if has_some => continue,
            false => "which matches no file in HEAD",
        };
        let path = spec.trim_start_matches(":(literal)");
        warnings.push(format!("{name} reads {path}, {why}"));
    }
    Ok(warnings)
}
