//! The facts that changed between two commits, and what a person says of that.

use serde::Serialize;

use super::{
    Error, Project,
    questions::{dismissals, store_at},
    standing::expected,
};
use crate::{
    evidence::{Derivation, Found, Prober, change_text},
    git::{Oid, Pathspecs},
    metrics::Standing,
    question::{Closed, Expect, Probe, Question, QuestionRef, Severity, VALUE, is_same_answer},
};

/// A fact whose value changed between two commits.
#[derive(Debug, Clone, Serialize)]
pub struct ChangedFact {
    /// The question, with its version unless that is 1.
    pub question: String,
    /// The one file or pathspec that it reads.
    pub place: Option<String>,
    /// The values before and now, as in `5 -> 6`.
    pub change: String,
    /// None where only changes are expected.
    #[serde(skip)]
    pub standing: Option<Standing>,
    /// The start of the digest of the new value.
    #[serde(skip)]
    pub value: String,
    /// The closings of people who agree with it.
    #[serde(skip)]
    pub agreed: Vec<Closed>,
    /// True if it waits for such a person.
    #[serde(skip)]
    pub is_drift: bool,
}

impl Project {
    /// The blocking facts of this branch's own store that it changed since it left the default branch, and with which nobody
    /// agreed. None if the default branch can't be read.
    pub fn waiting_facts(&self) -> Result<Vec<ChangedFact>, Error> {
        let blocks = |fact: &Question| fact.is_fact() && fact.severity == Some(Severity::Blocking);
        let asked = self.questions_if_any().into_iter().flat_map(|store| store.set.active());
        let asked: Vec<String> =
            asked.filter(|fact| blocks(fact)).map(|fact| fact.name().to_string()).collect();
        let Some((_, default)) = self.repo.default_branch(self.head.branch.as_deref())? else {
            return Ok(Vec::new());
        };
        if asked.is_empty() || default == self.tip {
            return Ok(Vec::new());
        }
        let proposal = Self::open(self.repo.clone(), Some(&self.tip.to_string()), self.keeps)?;
        let Ok(mut proposal) = proposal.with_base(default, None, false) else {
            return Ok(Vec::new());
        };
        // Nothing else need be derived.
        proposal.store.iter_mut().for_each(|store| store.set.questions.retain(blocks));
        let mut changed = proposal.proposed_facts()?;
        changed.retain(|fact| {
            fact.is_drift && fact.agreed.is_empty() && asked.contains(&fact.question)
        });
        Ok(changed)
    }

    /// The facts that changed between a commit and the tip.
    pub fn changed_facts(&self, since: Oid) -> Result<Vec<ChangedFact>, Error> {
        let prober = Prober::new(&self.repo, self.tip);
        let facts = self.questions()?.set.active().filter(|question| question.is_fact());
        let mut changed = Vec::new();
        for question in facts {
            let derivation = prober.compare(question, Some(since)).and_then(Result::ok);
            let Some(Derivation { before: Some(mut before), now }) = derivation else { continue };
            if let Some(older) = self.moved_from(question, since) {
                before = older;
            }
            let values = question.shape.as_ref().zip(before.value().zip(now.found.value()));
            let is_alike = values
                .is_some_and(|(shape, (before, now))| is_same_answer(Some(shape), before, now));
            if is_alike || before.is_same(&now.found) {
                continue;
            }
            let is_blocking = question.severity == Some(Severity::Blocking);
            let standing = expected(question, &now.found);
            let waits = is_blocking && standing.is_none();
            changed.push(ChangedFact {
                question: question.name().to_string(),
                place: question.probe.as_ref().and_then(Probe::only_place),
                change: change_text(Some(&before), &now.found),
                standing,
                value: value_of(&now.found),
                agreed: Vec::new(),
                is_drift: waits && !self.expects(question, (&before, &now.found), since)?,
            });
        }
        Ok(changed)
    }

    /// The answer at a commit to the older version of a fact that was asked there, if its file is gone since.
    fn moved_from(&self, question: &Question, commit: Oid) -> Option<Found> {
        // The first version of all follows none.
        if question.version < 2 {
            return None;
        }
        let store = store_at(&self.repo, commit).ok()??;
        let older = store.set.active().find(|older| older.id == question.id)?;
        let at = |commit| Some(Prober::new(&self.repo, commit).derive(older)?.ok()?.found);
        let is_gone = older.version < question.version && at(self.tip)?.value().is_none();
        is_gone.then(|| at(commit)).flatten()
    }

    /// Returns true if a question expects its answer to change as it did since a commit.
    fn expects(
        &self,
        question: &Question,
        (before, now): (&Found, &Found),
        since: Oid,
    ) -> Result<bool, Error> {
        Ok(match &question.expect {
            Some(Expect::When(paths)) => {
                let changes = self.repo.changes(since, self.tip)?;
                changes.matching(&mut Pathspecs::parse(paths)?).next().is_some()
            }
            Some(expect) => before.value().zip(now.value()).is_some_and(|(before, now)| {
                expect.allows(question.shape.as_ref(), before, now) == Some(true)
            }),
            None => false,
        })
    }

    /// The facts at a commit, each with the start of the digest of its value.
    pub(super) fn facts_at(&self, commit: Oid) -> Result<Vec<(String, String)>, Error> {
        let prober = Prober::new(&self.repo, commit);
        let facts = self.questions()?.set.active().filter(|question| question.is_fact());
        let derived = facts.filter_map(|question| {
            let derived = prober.derive(question)?.ok()?;
            Some((question.name().to_string(), value_of(&derived.found)))
        });
        Ok(derived.collect())
    }

    /// The closings of a person who agrees with the values of facts at the tip, each with that value. The base may ask an older
    /// version, and say that it blocks.
    pub fn agreed_facts(&self, names: &[QuestionRef]) -> Result<Vec<(Closed, String)>, Error> {
        let known = dismissals(&self.repo, None)?;
        // What was agreed before the branch began says nothing of what it changed.
        let default = self.repo.default_branch(self.head.branch.as_deref())?;
        let fork = default.and_then(|(_, default)| self.repo.merge_base(default, self.tip).ok()?);
        let old = dismissals(&self.repo, Some(fork.unwrap_or(self.tip)))?;
        let prober = Prober::new(&self.repo, self.tip);
        let facts = self.questions()?.set.questions.iter().filter(|question| {
            question.is_fact()
                && names.iter().any(|name| name.names(&question.id, question.version))
        });
        let derived = facts.filter_map(|question| {
            let derived = prober.derive(question)?.ok()?;
            // Nobody agrees with what is missing: that fails.
            derived.found.value()?;
            let closed =
                known.agreeing(&question.name().to_string(), &value_of(&derived.found), &old);
            Some((closed, change_text(None, &derived.found)))
        });
        Ok(derived.collect())
    }
}

fn value_of(found: &Found) -> String {
    found.digest()[..VALUE].to_owned()
}
