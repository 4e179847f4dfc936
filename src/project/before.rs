//! The counting answers before a new one: those that its clone could have known, at commits that its own contains.

use std::collections::BTreeSet;

use super::{
    earlier::{Counts, Earlier, Seen},
    looks::Pass,
};
use crate::{
    evidence::Claim,
    metrics::{AtTip, Disputes, Named, RuledLook, Thread, doubted},
    store::{Answer, Row, line_digests},
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
            let is_replaced = |by: SessionAnswer| entry.is_none_or(|entry| by.entry <= entry);
            if Some(one.answer) == corrected
                || one.replaced_by.is_some_and(is_replaced)
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
        if !is_bare(answer) {
            return None;
        }
        let mut earlier = self.earlier[question].iter().rev();
        let repeated = earlier.find(|one| {
            // A session's own one, or one that was replaced only later.
            let is_left = one.replaced_by.is_none_or(|by| by.entry >= answer.entry);
            (one.answer < answer && is_left && !one.is_doubted() && !is_bare(one.answer))
                && lineage.holds(anchor, timeline.row(one.answer.entry).anchor)
        });
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

    /// Returns true if the last of some answers ends a dispute, or one before it did and the last is of no party.
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
            if self.settles(lineage, question, one.answer, sides) {
                settlers.push(one.answer);
            }
        }
        examined = examined.max(last);
        let row = self.timeline.row(last.entry);
        let mut parties = sides.iter().map(|side| self.timeline.row(side.entry).session);
        let is_party = parties.any(|session| session == row.session);
        let is_settled = settlers.iter().rev().any(|&settler| {
            let at = earlier.partition_point(|one| one.answer < settler);
            let anchor = self.timeline.row(settler.entry).anchor;
            earlier.get(at).is_some_and(|one| one.answer == settler && one.counts(disputes))
                && (settler == last || !is_party)
                && lineage.holds(row.anchor, anchor)
        });
        self.settlers.insert(sides.to_vec(), (examined, settlers));
        is_settled
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

    /// What the next answer is compared with if it replaces the counting one, or else the newest that does not count.
    fn behind(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        counting: SessionAnswer,
        disputes: &Disputes,
    ) -> Vec<SessionAnswer> {
        let (timeline, row) = (self.timeline, self.timeline.row(counting.entry));
        if timeline.events.anchor(row.anchor) != self.project.tip {
            return Vec::new();
        }
        let number = timeline.answer(counting).question;
        // A correction that is replaced disputes nothing.
        let others = disputes
            .corrected_by(counting)
            .map(|_| disputes.known(timeline, number, |other| other.digest != row.digest));
        let others = others.as_ref().unwrap_or(disputes);
        let place = self.earlier[question].iter().rposition(|one| one.answer == counting);
        let removed = place.map(|place| (place, self.earlier[question].remove(place)));
        let Seen { before, mut skipped, .. } = self.before(lineage, question, None, None, others);
        if let Some((place, one)) = removed {
            self.earlier[question].insert(place, one);
        }
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
        let unjudged = self.unjudged(place);
        Thread {
            question: at_tip.question.clone(),
            flagged: self.flagged[place].clone(),
            before,
            behind,
            skipped,
            unjudged,
            disputed: disputed_one,
        }
    }

    /// Where at most one session gave what is judged, the newest other answer of an imported or signed entry.
    fn unjudged(&self, place: usize) -> Option<Named> {
        let (timeline, events) = (self.timeline, &self.timeline.events);
        let number = timeline.number(&timeline.questions.questions[place])?;
        let mut sessions =
            self.earlier[place].iter().map(|one| timeline.row(one.answer.entry).session);
        let judged = sessions.next();
        if sessions.any(|session| Some(session) != judged) {
            return None;
        }
        let newest = |is_it: fn(&Answer) -> bool| {
            let row = timeline.newest_first().find(|row| {
                let is_ours = row.is_imported() || events.worktree(row).is_some();
                let is_other = is_ours && !row.is_ahead && Some(row.session) != judged;
                let answer = events.answer_to(row, number).filter(|_| is_other);
                answer.is_some_and(|(_, answer)| is_it(answer))
            })?;
            Some((events.reference(row), events.anchor(row.anchor)))
        };
        let (entry, commit) = newest(|_| true)?;
        Some(Named { entry, commit, repeats: newest(|answer| !answer.is_bare) })
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
