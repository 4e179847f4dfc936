//! The rules that compare an answer with the one before it.

use super::{Block, Cited, Claim, Judge, Moved, Ruling, Shape};
use crate::{
    evidence::{Exposure, exposed::exposed_by},
    finding::Rule,
    git::{Oid, Result},
    question::{Question, is_same_answer},
    timeline::{Watch, short},
};

/// Citations of one answer that are searched in another commit at most.
const MOST: usize = 64;

/// Number of lines around a cited block that have to match, too, if a question does not declare the lines that matter.
const AROUND: u32 = 3;

impl Judge<'_> {
    pub(super) fn since(
        &mut self,
        question: &Question,
        claim: &Claim,
        cited: &std::result::Result<Cited, String>,
        before: &Claim,
        skipped: &[Claim],
    ) -> Result<Ruling> {
        let exposed = self.exposed(question, before, claim.at)?;
        let same = same_value(question, claim, before);
        // An answer that returns to the counting answer claims nothing new.
        let is_delta = claim.delta && same != Some(true);
        let mut flags = Vec::new();
        let is_claim = exposed.is_some() || claim.delta;
        let what = match &exposed {
            Some(what) => what.since(short(before.at)),
            None => "it reports a delta".into(),
        };
        match cited {
            _ if !is_claim => {}
            _ if !claim.delta && !is_handed_in(question, claim) => {
                let why = format!("{what}, and it says `same` without the answer");
                flags.push((Rule::NoEvidence, why));
            }
            Err(why) => flags.push((Rule::NoEvidence, format!("{what}, and {why}"))),
            Ok(cited) => {
                flags.extend(not_shown(question, claim, cited));
                if is_delta {
                    // What went can't be cited any more.
                    let has_only_lost = matches!(exposed, Some(Exposure::Gone(_)));
                    if !has_only_lost && before.moved != Moved::ToOtherFiles {
                        let is_exposed = exposed.is_some();
                        flags.extend(self.nothing_changed(is_exposed, claim, cited, before)?);
                    }
                }
            }
        }
        if let Some(why) = contradicts_itself(question, claim, before, skipped) {
            flags.push((Rule::NotShown, why));
        }
        Ok(Ruling { is_exposed: exposed.is_some(), is_claim, flags, ..Ruling::default() })
    }

    /// The dependency of the answer before that changed: a watched file, else a citation of that answer.
    pub(super) fn exposed(
        &mut self,
        question: &Question,
        before: &Claim,
        to: Oid,
    ) -> Result<Option<Exposure>> {
        let what = self.watched_change(question, before.at, to)?;
        if what.is_some() {
            return Ok(what);
        }
        if before.is_outdated {
            return Ok(Some(Exposure::Carried));
        }
        let around = if question.lines.is_some() { 0 } else { AROUND };
        for cite in before.cites.iter().take(MOST) {
            if !self.stands_as((cite, before), to, around, Block::stands_in)? {
                return Ok(Some(Exposure::Cited(cite.clone())));
            }
        }
        Ok(None)
    }

    pub(super) fn watched_change(
        &mut self,
        question: &Question,
        from: Oid,
        to: Oid,
    ) -> Result<Option<Exposure>> {
        let watch = Watch::of(question);
        if watch.pathspecs.is_empty() {
            return Ok(None);
        }
        let changes = self.changes(from, to)?;
        exposed_by(&self.repo, &changes, &watch)
    }

    fn nothing_changed(
        &mut self,
        is_exposed: bool,
        claim: &Claim,
        cited: &Cited,
        before: &Claim,
    ) -> Result<Option<(Rule, String)>> {
        let from = short(before.at);
        if is_exposed {
            let is_same = self.is_same_evidence(claim, before)?;
            let why = format!(
                "all that it and the answer before it cite stands both at {from} and at {}",
                short(claim.at)
            );
            return Ok(is_same.then_some((Rule::NothingChanged, why)));
        }
        for block in &cited.0 {
            let then = self.file(before.at, block.path())?.map(|(_, lines)| lines);
            let then = then.as_deref().map_or(&[][..], Vec::as_slice);
            if block.new_line(then).is_some() {
                return Ok(None);
            }
        }
        let why = match cited.0.as_slice() {
            [] => format!("nothing changed since {from}"),
            _ => format!("nothing changed since {from}, where {cited} stood, too"),
        };
        Ok(Some((Rule::NothingChanged, why)))
    }

    /// Returns true if all citations, old and new, hold at both commits with the lines around them, but for white space.
    fn is_same_evidence(&mut self, claim: &Claim, before: &Claim) -> Result<bool> {
        let count = [claim.cites.len(), before.cites.len()];
        if count.contains(&0) || count.iter().any(|&one| one > MOST) {
            return Ok(false);
        }
        for one in [claim, before] {
            for cite in &one.cites {
                for at in [before.at, claim.at] {
                    if !self.stands_as((cite, one), at, 1, Block::stands_spaced_in)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }
}

pub(super) fn is_handed_in(question: &Question, claim: &Claim) -> bool {
    claim.answer.is_some() || (question.shape.is_none() && claim.has_note)
}

pub(super) fn not_shown(
    question: &Question,
    claim: &Claim,
    cited: &Cited,
) -> Option<(Rule, String)> {
    let answer = claim.answer.as_ref().filter(|_| !cited.0.is_empty())?;
    if !matches!(question.shape, Some(Shape::Text | Shape::List(_))) {
        return None;
    }
    Some((Rule::NotShown, cited.lacks(answer)?))
}

/// Returns true if both answers are the same; `None` for free text, which only a reader can compare, unless one is as
/// expected and the other is not.
pub(super) fn same_value(question: &Question, one: &Claim, two: &Claim) -> Option<bool> {
    let shape = question.shape.as_ref();
    let (one, two) = (one.answer.as_ref()?, two.answer.as_ref()?);
    let expect = question.expect.as_ref().filter(|expect| expect.must_hold());
    let is_expected = |answer| expect.map(|expect| expect.holds(shape, answer));
    match shape {
        Some(_) => Some(is_same_answer(shape, one, two)),
        None => (is_expected(one) != is_expected(two)).then_some(false),
    }
}

/// Flags a delta that contradicts the answers, if it contradicts every candidate.
fn contradicts_itself(
    question: &Question,
    claim: &Claim,
    before: &Claim,
    skipped: &[Claim],
) -> Option<String> {
    let others = [before].into_iter().chain(skipped);
    let same: Vec<bool> = others.filter_map(|other| same_value(question, claim, other)).collect();
    if same.is_empty() || same.contains(&!claim.delta) {
        return None;
    }
    let from = short(before.at);
    Some(if claim.delta {
        format!("it reports a delta, and gives the same answer as at {from}")
    } else {
        format!("it reports no change, and gives another answer than at {from}")
    })
}
