//! The facts that files show, with what earlier runs read of the history.

use jiff::Timestamp;
use serde::Serialize;

use super::{Error, cache, tip};
use crate::{
    evidence::{Prober, traced_text},
    facts::{At, Facts, Kept, find},
    git::{Oid, Repo},
    metrics::Standing,
    question::{Expect, QuestionSet},
};

const FILE: &str = "facts";

/// Finds the facts of a commit or the index, as [`find`]; `keeps` if a cache may be read and written.
pub fn facts(
    repo: &Repo,
    at: At,
    store: Option<&QuestionSet>,
    now: Timestamp,
    is_all: bool,
    keeps: bool,
) -> Result<Facts, Error> {
    let keeps = keeps && cache::is_for(repo)?;
    let mut kept: Kept = keeps.then(|| cache::load(repo, FILE)).flatten().unwrap_or_default();
    let found = find(repo, at, store, now, is_all, &mut kept)?;
    if keeps && kept.is_new {
        cache::save(repo, FILE, &kept);
    }
    Ok(found)
}

/// A question whose answer follows from files, as it stands at a commit.
#[derive(Debug, Serialize)]
pub struct AskedFact {
    /// The question, with its version unless that is 1.
    pub question: String,
    pub q: String,
    pub standing: Standing,
    /// True if it fails the gate when it fails.
    pub blocks: bool,
    /// The answer in words.
    pub says: String,
    /// The answer that must hold, in words, where it does not.
    pub expected: Option<String>,
}

impl AskedFact {
    /// Returns true if it fails, and that is an error.
    pub fn fails(&self) -> bool {
        self.standing == Standing::Fails && self.blocks
    }
}

/// The questions with a built-in probe, those that fail first, and why some can't be told.
pub fn asked_facts(repo: &Repo, set: &QuestionSet, commit: Oid) -> (Vec<AskedFact>, Vec<String>) {
    let prober = Prober::new(repo, commit);
    let (mut asked, mut unknown) = (Vec::new(), Vec::new());
    for question in set.questions.iter().filter(|question| question.status.is_asked()) {
        let name = question.name().to_string();
        let Some(derived) = prober.derive(question) else { continue };
        match derived {
            Ok(derived) => {
                let standing = tip::expected(question, &derived.found).unwrap_or(Standing::Fresh);
                let expect = question.expect.as_ref().filter(|_| standing == Standing::Fails);
                asked.push(AskedFact {
                    question: name,
                    q: question.text.clone(),
                    standing,
                    blocks: question.blocks(),
                    says: traced_text(None, &derived.found, &derived.parts),
                    expected: expect.map(Expect::words),
                });
            }
            Err(why) => unknown.push(format!("{name}: {why}")),
        }
    }
    asked.sort_by_key(|asked| asked.standing);
    (asked, unknown)
}
