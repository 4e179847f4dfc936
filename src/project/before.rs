//! The counting answers before a new one: those that its clone could have known, at commits that its own contains.

use std::collections::BTreeSet;

use super::{
    earlier::{Counts, Earlier, Seen},
    looks::Pass,
};
use crate::{
    evidence::Claim,
    metrics::{AtTip, Disputes, Named, RuledLook, Thread, doubted},
    store::{Row, line_digests},
    timeline::{Lineage, SessionAnswer},
};

/// Milliseconds; younger entries of other clones may not have been fetched yet, if the entry names no log.
const UNDERWAY: i64 = 60 * 60 * 1000;

/// Number of earlier answers that one is compared with at most.
const MOST: usize = 8;

/// Number of answers that are searched beyond the first counting one.
const FAR: usize = 64;

impl Pass<'_> {
    /// The possible counting answers to a question before an answer in an entry, or before one that it leaves out, the
    /// newest first, and newer ones that don't count. After a merge there are several: none of their commits contains
    /// another one. Empty if none is certain. Without an entry, those before the next answer at the tip.
    ///
    /// They follow from the line, from the lines that its clone could have known, and from the commits that its own
    /// contains: from nothing that comes later.
    pub fn before(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        entry: Option<u32>,
        answer: Option<SessionAnswer>,
        disputes: &Disputes,
    ) -> Seen {
        let (mut before, mut skipped, mut overlooked) = (Vec::new(), Vec::new(), None);
        let earlier = std::mem::take(&mut self.earlier[question]);
        let row = entry.map(|entry| self.timeline.row(entry));
        let corrected = answer.and_then(|answer| disputes.corrected_by(answer));
        let corrected = corrected.map(|(answer, _)| answer);
        let known = entry.map(|entry| self.known_disputes(question, entry, disputes));
        let disputes = known.as_ref().unwrap_or(disputes);
        // The commits of certain answers: an older answer counts beside them if none of them contains its commit.
        let mut newest: Vec<u32> = Vec::new();
        let mut is_certain = false;
        let mut left = FAR;
        let mut place = earlier.len();
        while place > 0 {
            left -= usize::from(!newest.is_empty());
            if left == 0 || before.len() == MOST {
                break;
            }
            place -= 1;
            let one = &earlier[place];
            if one.flagged > 0 && skipped.len() == MOST && newest.is_empty() {
                place -= one.flagged - 1;
                continue;
            }
            let other = self.timeline.row(one.answer.entry);
            let mut known = newest.iter();
            if Some(one.answer) == corrected
                || row.is_some_and(|row| !lineage.holds(row.anchor, other.anchor))
                || known.any(|&anchor| lineage.holds(anchor, other.anchor))
            {
                continue;
            }
            let is_known = row.map_or(Some(true), |row| self.knows(row, other));
            let counts = self.counts(lineage, question, &earlier[..=place], disputes);
            if is_known != Some(true) && one.is_shown && counts == Counts::Yes {
                overlooked = overlooked.or(Some(one.answer));
            }
            let Some(is_known) = is_known else {
                continue;
            };
            // Anybody can write that nothing changed, and date it back.
            if !is_known && !one.is_shown && counts != Counts::No {
                continue;
            }
            match counts {
                Counts::No if skipped.len() < MOST => skipped.push(one.answer),
                Counts::No => {}
                Counts::Yes | Counts::Perhaps => before.push(one.answer),
            }
            is_certain |= is_known && counts != Counts::No;
            if is_known && counts == Counts::Yes {
                newest.push(other.anchor);
            }
        }
        if !is_certain {
            before.clear();
        }
        self.earlier[question] = earlier;
        // What is said of an older commit replaces no answer of a newer one, however late it is said.
        before.retain(|one: &SessionAnswer| {
            let anchor = self.timeline.row(one.entry).anchor;
            let is_newer = |&other: &u32| other != anchor && lineage.holds(other, anchor);
            !newest.iter().any(is_newer)
        });
        overlooked = overlooked.filter(|_| before.is_empty());
        Seen { before, skipped, overlooked }
    }

    /// An earlier answer to the question of a unit, with what it repeats.
    pub fn compared(
        &mut self,
        lineage: &mut dyn Lineage,
        answer: SessionAnswer,
        place: usize,
    ) -> Option<Claim> {
        let claim = self.claim(answer, place)?;
        let repeated = self.repeated(lineage, self.units[place].question, answer);
        let repeated = repeated.and_then(|repeated| self.claim(repeated, place));
        Some(match repeated {
            Some(repeated) => claim.repeating(repeated),
            None => claim,
        })
    }

    /// The answer that a bare `same` repeats: the newest before it that no rule doubts, at a commit that its own contains.
    fn repeated(
        &self,
        lineage: &mut dyn Lineage,
        question: usize,
        answer: SessionAnswer,
    ) -> Option<SessionAnswer> {
        let timeline = self.timeline;
        let anchor = timeline.row(answer.entry).anchor;
        let is_bare = |answer: SessionAnswer| timeline.answer(answer).is_bare;
        let earlier = self.earlier[question].iter().rev().filter(|_| is_bare(answer));
        let mut earlier =
            earlier.filter(|one| one.answer < answer && !one.is_doubted() && !is_bare(one.answer));
        let repeated =
            earlier.find(|one| lineage.holds(anchor, timeline.row(one.answer.entry).anchor));
        repeated.map(|one| one.answer)
    }

    /// Says if later answers are compared with the last of some earlier ones. In an open dispute, it is the correction.
    pub fn counts(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        earlier: &[Earlier],
        disputes: &Disputes,
    ) -> Counts {
        let Some(one) = earlier.last().filter(|one| !one.is_out(disputes)) else {
            return Counts::No;
        };
        let answer = one.answer;
        let open = disputes.open(self.timeline, self.timeline.answer(answer).question);
        let mut before = open.iter().filter(|sides| sides[0].entry < answer.entry);
        let leaves_open = !one.is_disputed(disputes)
            && before.any(|sides| !self.is_settled(lineage, question, earlier, sides, disputes));
        if leaves_open { Counts::Perhaps } else { Counts::Yes }
    }

    /// Returns true if the last of some answers ends a dispute, or one before it did.
    fn is_settled(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        earlier: &[Earlier],
        sides: &[SessionAnswer],
        disputes: &Disputes,
    ) -> bool {
        let anchor = |one: &Earlier| self.timeline.row(one.answer.entry).anchor;
        let last = earlier.last().map(anchor);
        let later = earlier.iter().rev().take_while(|one| sides[0].entry < one.answer.entry);
        let counts = later.filter(|one| !one.is_out(disputes) && !one.is_disputed(disputes));
        let known = counts.filter(|one| last.is_some_and(|last| lineage.holds(last, anchor(one))));
        let known: Vec<SessionAnswer> = known.map(|one| one.answer).collect();
        known.into_iter().any(|one| self.settles(lineage, question, one, sides))
    }

    /// The answers that take no drift back: those that rules doubt, or that leave an open dispute open.
    pub fn doubted(
        &mut self,
        judgements: &[RuledLook],
        lineage: &mut dyn Lineage,
        disputes: &Disputes,
    ) -> BTreeSet<SessionAnswer> {
        let mut found = doubted(judgements);
        for question in 0..self.earlier.len() {
            let earlier = std::mem::take(&mut self.earlier[question]);
            let about = earlier.first().map(|one| self.timeline.answer(one.answer).question);
            if about.is_some_and(|about| !disputes.open(self.timeline, about).is_empty()) {
                for (place, one) in earlier.iter().enumerate() {
                    let to_here = &earlier[..=place];
                    if self.counts(lineage, question, to_here, disputes) == Counts::Perhaps {
                        found.insert(one.answer);
                    }
                }
            }
            self.earlier[question] = earlier;
        }
        found
    }

    /// Returns true if an answer ends a dispute: it has evidence, comes from a session that is no party, and what it depends
    /// on changed since both sides were given.
    fn settles(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        answer: SessionAnswer,
        sides: &[SessionAnswer],
    ) -> bool {
        let timeline = self.timeline;
        let row = timeline.row(answer.entry);
        let asked = self.as_committed(answer.entry, question);
        timeline.answer(answer).cited
            && sides.iter().all(|&side| {
                let other = timeline.row(side.entry);
                let claim = self.claim(side, self.units.len());
                let claim = claim.filter(|_| {
                    other.session != row.session && lineage.holds(row.anchor, other.anchor)
                });
                claim.is_some_and(|claim| {
                    let changed =
                        self.judge.outdated(asked, &claim, timeline.events.anchor(row.anchor));
                    changed.is_ok_and(|changed| changed.is_some())
                })
            })
    }

    /// The answers that an answer was compared with, or else the newest one before it.
    fn behind(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        answer: SessionAnswer,
        disputes: &Disputes,
    ) -> Vec<SessionAnswer> {
        let place = self.earlier[question].partition_point(|one| one.answer < answer);
        let later = self.earlier[question].split_off(place);
        let Seen { before, mut skipped, .. } =
            self.before(lineage, question, Some(answer.entry), None, disputes);
        self.earlier[question].extend(later);
        skipped.truncate(1);
        if before.is_empty() { skipped } else { before }
    }

    /// The answers that the next one is compared with, the counting one first.
    pub fn thread(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
        at_tip: &AtTip,
        disputes: &Disputes,
    ) -> Thread {
        let seen = self.before(lineage, place, None, None, disputes);
        let counting = seen.before.first().copied();
        let behind = counting.map(|one| self.behind(lineage, place, one, disputes));
        let timeline = self.timeline;
        let is_disputed_one = |answer: &&SessionAnswer| {
            let mut earlier = self.earlier[place].iter();
            let is_newer = seen.before.first().is_none_or(|counting| counting < *answer);
            let earlier = earlier.rfind(|earlier| earlier.answer == **answer && is_newer);
            earlier.is_some_and(|earlier| !earlier.is_doubted() && earlier.is_disputed(disputes))
        };
        let disputed_one = seen.skipped.iter().find(is_disputed_one);
        let disputed_one =
            disputed_one.map(|one| timeline.events.reference(timeline.row(one.entry)));
        let place_of = |answer: SessionAnswer| {
            let row = timeline.row(answer.entry);
            (timeline.events.reference(row), timeline.events.anchor(row.anchor))
        };
        let mut named = |answers: Vec<SessionAnswer>| {
            let named = answers.into_iter().map(|answer| {
                let (entry, commit) = place_of(answer);
                let repeats = self.repeated(lineage, place, answer).map(place_of);
                Named { entry, commit, repeats }
            });
            named.collect::<Vec<_>>()
        };
        let mut before = named(seen.before);
        before.sort_by_key(|one| Some(&one.entry) != at_tip.entry.as_ref());
        let (behind, skipped) = (named(behind.unwrap_or_default()), named(seen.skipped));
        Thread {
            question: at_tip.question.clone(),
            flagged: self.flagged[place].clone(),
            before,
            behind,
            skipped,
            disputed: disputed_one,
        }
    }

    /// The disputes about a question, by the earlier lines that the clone of an entry certainly knew.
    fn known_disputes(&mut self, question: usize, entry: u32, disputes: &Disputes) -> Disputes {
        let timeline = self.timeline;
        let question = &timeline.questions.questions[question];
        let number = timeline.number(question);
        let Some(number) = number.filter(|number| disputes.are_about(timeline, *number)) else {
            return Disputes::default();
        };
        let row = timeline.row(entry);
        disputes.known(timeline, number, |other| {
            other.millis <= row.millis
                && other.digest != row.digest
                && self.knows(row, other) == Some(true)
        })
    }

    /// Returns true if the author of a line certainly knew another line: it comes from the same clone, or from the
    /// shared log that the line names, or nobody had shared the log yet. `None` if the author can't have known it.
    fn knows(&mut self, row: &Row, other: &Row) -> Option<bool> {
        let events = &self.timeline.events;
        if events.name_one_writer(row, other) && !other.breaks_chain {
            return Some(true);
        }
        let anchor = events.anchor(other.anchor);
        let repo = &self.project.repo;
        let log = &mut self.log;
        let noted = events.seen(row).and_then(|tip| {
            let noted = self.noted.entry((tip, anchor));
            let lines = noted.or_insert_with(|| {
                if log.as_ref().is_none_or(|(of, _)| *of != tip) {
                    *log = Some((tip, repo.notes_reader(tip).ok()?));
                }
                let (_, reader) = log.as_mut()?;
                line_digests(reader, anchor)
            });
            lines.as_ref()
        });
        match noted {
            Some(lines) => lines.contains(&other.digest).then_some(true),
            None if row.millis < self.shared => Some(true),
            None => Some(row.millis - other.millis >= UNDERWAY),
        }
    }
}
