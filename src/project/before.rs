//! The counting answers before a new one: those that its clone could have known, at commits that its own contains.

use std::{cell::LazyCell, collections::BTreeSet};

use super::{
    earlier::{Counts, Earlier, Seen},
    looks::Pass,
    questions::dismissals,
};
use crate::{
    metrics::{Disputes, RuledLook, doubted},
    question::{Closed, ClosedKind},
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
        // Certain answers: an older one counts beside them if none of their commits contains its own.
        let mut newest: Vec<SessionAnswer> = Vec::new();
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
            let is_after =
                |row: &Row| !self.timeline.is_before(one.answer.entry, row.anchor, lineage);
            if Some(one.answer) == corrected
                || row.is_some_and(is_after)
                || self.is_replaced(one, entry)
                || newest.iter().any(|&newer| self.is_newer(lineage, newer, one.answer))
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
                newest.push(one.answer);
            }
        }
        if !is_certain {
            before.clear();
        }
        self.earlier[question] = earlier;
        // What is said of an older commit replaces no answer of a newer one, however late it is said.
        before.retain(|&one: &SessionAnswer| {
            let anchor = |answer: SessionAnswer| self.timeline.row(answer.entry).anchor;
            let mut others = newest.iter().filter(|other| anchor(**other) != anchor(one));
            !others.any(|&other| self.is_newer(lineage, other, one))
        });
        overlooked = overlooked.filter(|_| before.is_empty());
        Seen { before, skipped, overlooked }
    }

    /// Returns true if an answer was given at a commit that contains that of another one. One that was carried to such a commit
    /// replaces none that its author did not know.
    fn is_newer(
        &mut self,
        lineage: &mut dyn Lineage,
        one: SessionAnswer,
        other: SessionAnswer,
    ) -> bool {
        let [row, before] = [one, other].map(|answer| self.timeline.row(answer.entry));
        lineage.holds(row.anchor, before.anchor)
            && (self.timeline.events.is_at_head(row)
                || other < one && self.knows(row, before) == Some(true))
    }

    /// Returns true if the author of an entry certainly knew that an answer was replaced.
    pub fn is_replaced(&mut self, one: &Earlier, entry: Option<u32>) -> bool {
        one.replaced_by.is_some_and(|by| {
            entry.is_none_or(|entry| {
                let (row, other) = (self.timeline.row(entry), self.timeline.row(by.entry));
                by.entry <= entry && self.knows(row, other) == Some(true)
            })
        })
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

    /// Returns true if the last of some answers ends a dispute, or one before it did. Then a party's own answer counts only
    /// if what it depends on is not what was disputed.
    fn is_settled(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        earlier: &[Earlier],
        sides: &[SessionAnswer],
        disputes: &Disputes,
    ) -> bool {
        let Some(last) = earlier.last().map(|one| one.answer) else {
            return false;
        };
        let known = self.settlers.remove(sides);
        let (mut examined, mut settlers) = known.unwrap_or((sides[0], Vec::new()));
        let new = earlier.partition_point(|one| one.answer <= examined);
        for one in earlier[new..].iter().filter(|one| one.replaced_by.is_none()) {
            let is_other = !self.is_party(one.answer, sides);
            if is_other && self.is_beyond(lineage, question, one.answer, sides) {
                settlers.push(one.answer);
            }
        }
        examined = examined.max(last);
        let (anchor, mut is_beyond) = (self.timeline.row(last.entry).anchor, None);
        let counts = |one: &Earlier| !one.is_out(disputes) && !one.is_disputed(disputes);
        let is_settled = settlers.iter().rev().any(|&settler| {
            let at = earlier.partition_point(|one| one.answer < settler);
            let there = self.timeline.row(settler.entry).anchor;
            earlier.get(at).is_some_and(|one| one.answer == settler && counts(one))
                && lineage.holds(anchor, there)
                && (!self.is_party(last, sides)
                    || *is_beyond
                        .get_or_insert_with(|| self.is_beyond(lineage, question, last, sides)))
        });
        self.settlers.insert(sides.to_vec(), (examined, settlers));
        is_settled
    }

    /// The answers that take no drift back: those that rules doubt, or that leave an open dispute open.
    pub fn doubted(
        &mut self,
        judgements: &[RuledLook],
        lineage: &mut dyn Lineage,
    ) -> BTreeSet<SessionAnswer> {
        let disputes = self.disputes;
        let mut found = doubted(judgements);
        for question in 0..self.earlier.len() {
            let earlier = std::mem::take(&mut self.earlier[question]);
            let about = earlier.first().map(|one| self.timeline.answer(one.answer).question);
            if about.is_some_and(|about| !disputes.open(self.timeline, about).is_empty()) {
                let counts =
                    earlier.iter().enumerate().filter(|(_, one)| one.replaced_by.is_none());
                for (place, one) in counts {
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

    fn is_party(&self, answer: SessionAnswer, sides: &[SessionAnswer]) -> bool {
        let session = |answer: SessionAnswer| self.timeline.row(answer.entry).session;
        sides.iter().any(|&side| session(side) == session(answer))
    }

    /// Returns true if an answer has evidence, and what it depends on changed since both sides were given. From a session that
    /// is no party, it ends the dispute.
    fn is_beyond(
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
                let claim = self.claim(side, self.units.len());
                let claim =
                    claim.filter(|_| lineage.holds(row.anchor, timeline.row(side.entry).anchor));
                claim.is_some_and(|claim| {
                    let changed =
                        self.judge.outdated(asked, &claim, timeline.events.anchor(row.anchor));
                    changed.is_ok_and(|changed| changed.is_some())
                })
            })
    }

    /// The disputes about a question, by the earlier lines that the clone of an entry certainly knew, and by what people
    /// had closed at its commit.
    pub fn known_disputes(&mut self, question: usize, entry: u32, disputes: &Disputes) -> Disputes {
        let timeline = self.timeline;
        let question = &timeline.questions.questions[question];
        let number = timeline.number(question);
        let Some(number) = number.filter(|number| disputes.are_about(timeline, *number)) else {
            return Disputes::default();
        };
        let (row, events, name) = (timeline.row(entry), &timeline.events, question.name());
        let closed = LazyCell::new(|| {
            dismissals(&self.project.repo, Some(events.anchor(row.anchor))).unwrap_or_default()
        });
        let is_right = |answer: SessionAnswer| {
            let other = events.reference(timeline.row(answer.entry));
            closed.0.contains(&Closed::answer(ClosedKind::Dispute, &name.to_string(), &other))
        };
        disputes.known(timeline, number, is_right, |other| {
            other.millis <= row.millis
                && other.digest != row.digest
                && self.knows(row, other) == Some(true)
        })
    }

    /// Returns true if the author of a line certainly knew another line: it comes from the same clone, or from the
    /// shared log that the line names, or nobody had shared the log yet. `None` if the author can't have known it.
    pub fn knows(&mut self, row: &Row, other: &Row) -> Option<bool> {
        let events = &self.timeline.events;
        if events.name_one_writer(row, other) && !other.breaks_chain {
            return Some(true);
        }
        let anchor = events.anchor(other.anchor);
        let repo = &self.project.repo;
        let log = &mut self.log;
        let noted = events.seen(row).and_then(|tip| {
            let lines = self.noted.entry((tip, anchor)).or_insert_with(|| {
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
