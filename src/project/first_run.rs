//! The answer of a new question at HEAD, and those that it would have had.

use super::Error;
use crate::{
    evidence::{Derived, Found, Prober, Rehearsal, Tell, rehearse},
    git::{Oid, Repo},
    question::{Expect, Probe, Question},
};

/// Commits over which a new question is tried at most.
const TRIED: usize = 200;

#[derive(Default)]
pub struct FirstRun<'q> {
    /// The answer of its built-in probe.
    pub derived: Option<Derived>,
    /// The expectation, if it does not hold at HEAD.
    pub unmet: Option<&'q Expect>,
    /// The pathspecs that match no file of HEAD, while others do.
    pub unmatched: Vec<&'q str>,
    pub needs_approval: bool,
    pub rehearsal: Option<Rehearsal>,
}

impl<'q> FirstRun<'q> {
    /// Fails if the question depends on nothing that is there.
    pub fn of(repo: &Repo, head: Oid, question: &'q Question) -> Result<Self, Error> {
        let unmatched = repo.unmatched(head, &question.watch)?;
        if let Some(spec) = unmatched.first().filter(|_| unmatched.len() == question.watch.len()) {
            let (why, help) = match repo.not_followed(head, spec)? {
                Some(why) => {
                    (why, "ask it with that as `--probe`, or watch a file that names its version")
                }
                None => (
                    "matches no file in HEAD, so that no change would ever count".into(),
                    "commit the file first, or watch another one",
                ),
            };
            return Err(Error::refused(format!("{spec} {why}"), help));
        }
        let Some(probe) = question.probe.as_ref().filter(|probe| probe.is_built_in()) else {
            let needs_approval = question.probe.is_some();
            return Ok(Self { unmatched, needs_approval, ..Self::default() });
        };
        let at_head = Prober::new(repo, head).run(head, probe)?;
        let derived = match at_head.found {
            // Who moves a file, and the question with it, commits both at once.
            Found::Gone(_) => in_index(repo, head, probe).unwrap_or(at_head),
            Found::Value(_) => at_head,
        };
        let value = match &derived.found {
            Found::Value(value) => value,
            Found::Gone(why) => {
                let why = format!("the probe finds nothing at HEAD: {why}");
                let help = "`git sq probe JSON` tries a probe without a question";
                return Err(Error::refused(why, help));
            }
        };
        let is_unmet =
            |expect: &&Expect| expect.holds(question.shape.as_ref(), value) == Some(false);
        let unmet = question.expect.as_ref().filter(is_unmet);
        Ok(Self { derived: Some(derived), unmet, unmatched, ..Self::default() })
    }

    /// Tries the question over the newest commits that change what it depends on.
    pub fn rehearse(
        &mut self,
        repo: &Repo,
        head: Oid,
        question: &Question,
        tell: Tell,
    ) -> Result<(), Error> {
        if !question.dependencies().is_empty() {
            self.rehearsal = Some(rehearse(repo, head, question, TRIED, tell)?);
        }
        Ok(())
    }
}

/// What a probe finds in the index; `None` if that is nothing, or can't be read.
fn in_index(repo: &Repo, head: Oid, probe: &Probe) -> Option<Derived> {
    repo.worktree()?;
    let staged = repo.staged(Some(head)).ok()?;
    let derived = Prober::new(&staged.repo, staged.tree).run(staged.tree, probe).ok()?;
    derived.found.value().is_some().then_some(derived)
}
