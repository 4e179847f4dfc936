//! What a bare `same` repeats.

use std::collections::HashSet;

use super::{
    earlier::{Counts, Earlier},
    looks::Pass,
};
use crate::{
    evidence::Claim,
    git::{self, Oid},
    metrics::Disputes,
    question::Question,
    timeline::{Lineage, SessionAnswer},
};

/// Number of answers that are searched for one beside the repeated one.
const FAR: usize = 64;

impl Pass<'_> {
    /// The answers with words that a bare `same` stands for: those that it was compared with or, where these repeat others,
    /// the others. After a merge several may have held. Empty for an answer with words.
    pub fn repeated(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        answer: SessionAnswer,
    ) -> Vec<SessionAnswer> {
        if !self.timeline.answer(answer).is_bare {
            return Vec::new();
        }
        let (mut found, mut seen, mut open) = (Vec::new(), HashSet::new(), vec![answer]);
        while let Some(one) = open.pop() {
            if !seen.insert(one) {
                continue;
            }
            if let Some(known) = self.repeats.get(&one) {
                found.extend(known.iter().copied());
            } else if self.timeline.answer(one).is_bare {
                let later = self.split_at(question, one);
                open.extend(match self.alone_before(lineage, question, one) {
                    Some(alone) => vec![alone],
                    None => self.compared_with(lineage, question, one),
                });
                self.earlier[question].extend(later);
            } else {
                found.push(one);
            }
        }
        found.sort_unstable();
        found.dedup();
        found.reverse();
        self.repeats.insert(answer, found.clone());
        found
    }

    /// An earlier answer to the question of a unit, once with each answer that it repeats.
    pub fn compared(
        &mut self,
        lineage: &mut dyn Lineage,
        answer: SessionAnswer,
        place: usize,
    ) -> Option<Vec<Claim>> {
        let claim = self.claim(answer, place)?;
        let repeated = self.repeated(lineage, self.units[place].question, answer);
        let repeated: Vec<Claim> =
            repeated.into_iter().filter_map(|one| self.claim(one, place)).collect();
        if repeated.is_empty() {
            return Some(vec![claim]);
        }
        Some(repeated.into_iter().map(|one| claim.clone().repeating(one)).collect())
    }

    /// Of several answers that may count at a commit, those that hold there; if none does, the newest.
    pub fn chosen(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
        question: &Question,
        mut before: Vec<SessionAnswer>,
        at: Oid,
        disputes: &Disputes,
    ) -> git::Result<Vec<SessionAnswer>> {
        let earlier = std::mem::take(&mut self.earlier[place]);
        before.retain(|answer| {
            let at = earlier.iter().rposition(|earlier| earlier.answer == *answer);
            at.is_some_and(|at| {
                self.counts(lineage, place, &earlier[..=at], disputes) == Counts::Yes
            })
        });
        self.earlier[place] = earlier;
        let mut holding = Vec::new();
        for &answer in before.iter().filter(|_| before.len() > 1) {
            if let Some(claim) = self.claim(answer, self.units.len())
                && self.judge.outdated(question, &claim, at)?.is_none()
            {
                holding.push(answer);
            }
        }
        // What was carried stands at a commit whose files its author perhaps never saw.
        let events = &self.timeline.events;
        let is_carried = |one: &SessionAnswer| !events.is_at_head(self.timeline.row(one.entry));
        if !holding.iter().all(is_carried) {
            holding.retain(|one| !is_carried(one));
        }
        if holding.is_empty() {
            before.truncate(1);
            return Ok(before);
        }
        Ok(holding)
    }

    /// Takes an answer and the later ones away from the earlier ones.
    fn split_at(&mut self, question: usize, answer: SessionAnswer) -> Vec<Earlier> {
        let earlier = &mut self.earlier[question];
        earlier.split_off(earlier.partition_point(|one| one.answer < answer))
    }

    /// The answer before a bare `same` if there is no doubt: the session's own one that it replaces, or the newest one with
    /// words on a history without branches.
    fn alone_before(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        answer: SessionAnswer,
    ) -> Option<SessionAnswer> {
        let timeline = self.timeline;
        let row = timeline.row(answer.entry);
        let earlier = std::mem::take(&mut self.earlier[question]);
        let mut alone =
            earlier.iter().rfind(|one| one.replaced_by == Some(answer) && !one.is_doubted());
        let (mut above, mut left) = (row.anchor, FAR);
        if alone.is_none() {
            for one in earlier.iter().rev().filter(|one| one.replaced_by.is_none()) {
                let other = timeline.row(one.answer.entry);
                if one.is_doubted() || !timeline.is_before(one.answer.entry, row.anchor, lineage) {
                    continue;
                }
                let is_words = !timeline.answer(one.answer).is_bare && alone.is_none();
                let is_fork = !lineage.holds(above, other.anchor);
                if is_fork || is_words && self.knows(row, other) != Some(true) {
                    alone = None;
                    break;
                }
                if alone.is_none() {
                    above = other.anchor;
                    alone = Some(one).filter(|_| is_words);
                }
                left -= usize::from(alone.is_some());
                if left == 0 || self.is_line && alone.is_some() {
                    break;
                }
            }
        }
        let alone = alone.map(|one| one.answer);
        self.earlier[question] = earlier;
        alone
    }

    /// What a bare `same` was compared with, as its author's clone knew the log; else the newest that it can mean.
    fn compared_with(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        answer: SessionAnswer,
    ) -> Vec<SessionAnswer> {
        let timeline = self.timeline;
        let row = timeline.row(answer.entry);
        let before =
            self.before(lineage, question, Some(answer.entry), Some(answer), self.disputes);
        let disputes = self.known_disputes(question, answer.entry, self.disputes);
        let (asked, at) =
            (self.as_committed(answer.entry, question), timeline.events.anchor(row.anchor));
        let newest = before.before.first().copied();
        let chosen = self.chosen(lineage, question, asked, before.before, at, &disputes);
        let chosen = chosen.unwrap_or_default();
        if !chosen.is_empty() {
            return chosen;
        }
        if newest.is_some() {
            return newest.into_iter().collect();
        }
        let earlier = std::mem::take(&mut self.earlier[question]);
        let newest = earlier.iter().rev().find(|one| {
            !one.is_doubted()
                && !timeline.answer(one.answer).is_bare
                && timeline.is_before(one.answer.entry, row.anchor, lineage)
                && self.knows(row, timeline.row(one.answer.entry)).is_some()
                && !self.is_replaced(one, Some(answer.entry))
        });
        let newest = newest.map(|one| one.answer);
        self.earlier[question] = earlier;
        newest.into_iter().collect()
    }
}
