//! The answers that the next one to a question is compared with, as `record` reads them.

use super::{earlier::Seen, looks::Pass};
use crate::{
    metrics::{AtTip, Named, Thread},
    store::Answer,
    timeline::{Lineage, SessionAnswer},
};

impl Pass<'_> {
    /// The answers that the next one is compared with, the counting one first.
    pub fn thread(&mut self, lineage: &mut dyn Lineage, place: usize, at_tip: &AtTip) -> Thread {
        let disputes = self.disputes;
        let seen = self.before(lineage, place, None, None, disputes);
        let counting = seen.before.first().copied();
        let behind = counting.map(|one| self.behind(lineage, place, one));
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
        let behind = behind.unwrap_or_default();
        let all = seen.before.iter().chain(&behind).chain(&seen.skipped);
        let agreed =
            all.filter(|one| disputes.is_agreed(**one)).map(|one| place_of(*one).0).collect();
        let mut named = |answers: Vec<SessionAnswer>| {
            let named = answers.into_iter().map(|answer| {
                let (entry, commit) = place_of(answer);
                let repeats = self.repeated(lineage, place, answer).first().copied().map(place_of);
                let is_outdated =
                    self.claim(answer, self.units.len()).is_some_and(|claim| claim.is_outdated);
                Named { entry, commit, repeats, is_outdated }
            });
            named.collect::<Vec<_>>()
        };
        let mut before = named(seen.before);
        before.sort_by_key(|one| Some(&one.entry) != at_tip.entry.as_ref());
        let (behind, skipped) = (named(behind), named(seen.skipped));
        let unjudged = self.unjudged(place);
        Thread {
            question: at_tip.question.clone(),
            flagged: self.flagged[place].clone(),
            before,
            behind,
            skipped,
            unjudged,
            disputed: disputed_one,
            agreed,
        }
    }

    /// The answers that the next one is compared with if it replaces the counting one, or else the newest that does not
    /// count.
    fn behind(
        &mut self,
        lineage: &mut dyn Lineage,
        question: usize,
        counting: SessionAnswer,
    ) -> Vec<SessionAnswer> {
        let disputes = self.disputes;
        let (timeline, row) = (self.timeline, self.timeline.row(counting.entry));
        let is_here = timeline.events.anchor(row.anchor) == self.project.tip;
        if !is_here || !timeline.events.is_at_head(row) {
            return Vec::new();
        }
        let number = timeline.answer(counting).question;
        // A correction that is replaced disputes nothing.
        let others = disputes.corrected_by(counting).map(|_| {
            disputes.known(timeline, number, |_| true, |other| other.digest != row.digest)
        });
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
        Some(Named { entry, commit, repeats: newest(|answer| !answer.is_bare), is_outdated: false })
    }
}
