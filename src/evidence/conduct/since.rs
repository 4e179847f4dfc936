//! The rules that hold an answer against the one before it.

use super::{Cited, Claim, Doubt, Judge, since};
use crate::{
    evidence::exposed_by,
    git::{Oid, Result},
    question::{Question, is_same_answer, lines_pattern},
    timeline::{Watch, short},
};

/// The most citations of one answer that are looked for in another commit.
const MOST: usize = 64;

/// How many lines around a cited block have to stand, too, where a question does not say which lines matter.
const AROUND: u32 = 3;

impl Judge<'_> {
    /// Whether the question was exposed, and what names the claim, whichever of these was the answer before it.
    pub(super) fn since_all(
        &mut self,
        question: &Question,
        claim: &Claim,
        cited: &Cited,
        before: &[Claim],
    ) -> Result<(bool, Vec<(Doubt, String)>)> {
        let mut all: Option<(bool, Vec<(Doubt, String)>)> = None;
        for last in before {
            let (is_exposed, doubts) = self.since(question, claim, cited, Some(last))?;
            if let Some((was_exposed, known)) = &mut all {
                *was_exposed &= is_exposed;
                known.retain(|(one, _)| doubts.iter().any(|(other, _)| other == one));
            } else {
                all = Some((is_exposed, doubts));
            }
        }
        Ok(all.unwrap_or_default())
    }

    /// The same for one answer before, or none.
    pub(super) fn since(
        &mut self,
        question: &Question,
        claim: &Claim,
        cited: &Cited,
        before: Option<&Claim>,
    ) -> Result<(bool, Vec<(Doubt, String)>)> {
        let mut doubts = Vec::new();
        let exposed = match before {
            Some(before) => self.exposed(question, before, claim.commit)?,
            None => None,
        };
        let from = before.map(|before| before.commit);
        if cited.0.is_empty()
            && (exposed.is_some() || claim.delta)
            && !(claim.is_empty() && self.is_without_lines(question, claim.commit)?)
        {
            let why = match (&exposed, from) {
                (Some(what), Some(from)) => since(what, from) + ", and the answer cites nothing",
                _ => "it says that the answer changed, and cites nothing".into(),
            };
            doubts.push((Doubt::NoEvidence, why));
        }
        let is_bare = !doubts.is_empty();
        if let Some(before) = before {
            doubts.extend(answer_vs_delta(question, claim, before));
            if claim.delta && exposed.is_none() && !is_bare {
                doubts.extend(self.unfounded(question, cited, before)?);
            }
            if claim.delta && self.is_same_evidence(claim, before)? {
                let why = format!(
                    "all that it and the answer before it cite stands both at {} and at {}",
                    short(before.commit),
                    short(claim.commit)
                );
                doubts.push((Doubt::SameEvidence, why));
            }
        }
        Ok((exposed.is_some(), doubts))
    }

    /// What changed that the answer before rests on: what the question watches, or else what that answer cites.
    fn exposed(&mut self, question: &Question, before: &Claim, to: Oid) -> Result<Option<String>> {
        let what = self.watched_change(question, before.commit, to)?;
        if what.is_some() {
            return Ok(what);
        }
        let around = if question.lines.is_some() { 0 } else { AROUND };
        for cite in before.cites.iter().take(MOST) {
            if !self.stands(cite, to, around)? {
                return Ok(Some(format!("{cite}, which was cited, changed")));
            }
        }
        Ok(None)
    }

    /// What changed between two commits of what the question watches, where it watches anything.
    pub(super) fn watched_change(
        &mut self,
        question: &Question,
        from: Oid,
        to: Oid,
    ) -> Result<Option<String>> {
        let specs = question.dependencies();
        if specs.is_empty() {
            return Ok(None);
        }
        let changes = self.changes(from, to)?;
        let watch = Watch::new(&specs, question.lines.as_deref());
        exposed_by(&self.repo, &changes, watch)
    }

    /// A delta although nothing changed that the question watches.
    fn unfounded(
        &mut self,
        question: &Question,
        cited: &Cited,
        before: &Claim,
    ) -> Result<Option<(Doubt, String)>> {
        let from = short(before.commit);
        for block in &cited.0 {
            let then = self.file(before.commit, block.path())?;
            let then = then.map(|(_, lines)| lines);
            let Some(new) = block.new_line(then.as_deref().map_or(&[], Vec::as_slice)) else {
                continue;
            };
            let why = format!("nothing that it watches changed since {from}, though {new} did");
            let doubt = (Doubt::DeltaOutsideWatch, why);
            return Ok(Some(doubt).filter(|_| !question.dependencies().is_empty()));
        }
        let why = match cited.0.as_slice() {
            [] => format!("nothing changed since {from}"),
            _ => format!("nothing changed since {from}, where {cited} stood, too"),
        };
        Ok(Some((Doubt::DeltaWithoutChange, why)))
    }

    /// Whether all citations, old and new, stand at both commits with a line around them.
    fn is_same_evidence(&mut self, claim: &Claim, before: &Claim) -> Result<bool> {
        let count = [claim.cites.len(), before.cites.len()];
        if count.contains(&0) || count.iter().any(|&one| one > MOST) {
            return Ok(false);
        }
        for cite in claim.cites.iter().chain(&before.cites) {
            if !self.stands(cite, before.commit, 1)? || !self.stands(cite, claim.commit, 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the question says which lines matter, and there are none.
    fn is_without_lines(&mut self, question: &Question, commit: Oid) -> Result<bool> {
        let pattern = question.lines.as_deref();
        match pattern.and_then(|lines| lines_pattern(lines).ok()) {
            Some(pattern) => Ok(!self.has_line(question, commit, &pattern)?),
            None => Ok(false),
        }
    }
}

/// What the session said of the delta, against both answers; texts in one's own words are not compared.
fn answer_vs_delta(question: &Question, claim: &Claim, before: &Claim) -> Option<(Doubt, String)> {
    let shape = question.shape.as_ref()?;
    let (now, then) = (claim.answer.as_ref()?, before.answer.as_ref()?);
    let said = claim.said.unwrap_or(claim.delta);
    let from = short(before.commit);
    let why = match (said, is_same_answer(Some(shape), now, then)) {
        (true, true) => format!("it says that the answer changed, and gives the same as at {from}"),
        (false, false) => {
            format!("it says that nothing changed, and gives another answer than at {from}")
        }
        _ => return None,
    };
    Some((Doubt::AnswerVsDelta, why))
}
