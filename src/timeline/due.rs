//! The sessions in which a question was due, by its trigger.

use jiff::SignedDuration;

use super::{Lineage, Session, Timeline, Watch};
use crate::{
    question::{Question, Trigger},
    store::Row,
};

impl Timeline {
    /// The last answer to a question, and the number of sessions up to it; of sessions that overlap, those that had begun.
    pub fn last_derivation(&self, question: &Question) -> Option<(usize, &Row)> {
        let number = self.number(question)?;
        let is_answer = |entry: &u32| self.events.answer_to(self.row(*entry), number).is_some();
        let latest = self.sessions.iter().enumerate().rev();
        // An unsigned session closes nothing.
        let mut latest = latest.filter(|(_, session)| !session.is_foreign);
        let (place, last) = latest.find_map(|(place, session)| {
            Some((place, self.entries_of(session).filter(is_answer).last()?))
        })?;
        let is_own = |entry: &u32| {
            let row = self.row(*entry);
            !self.is_original && !row.is_ahead && self.events.worktree(row).is_some()
        };
        let entries = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let mut later = (last + 1..entries).rev().filter(is_own);
        let last = later.find(is_answer).unwrap_or(last);
        let begun = self.sessions.partition_point(|session| session.first <= last);
        let sessions = if is_own(&last) { begun } else { place + 1 };
        Some((sessions, self.row(last)))
    }

    /// Number of sessions since the last answer in which a question was due and left out; all such sessions if there is
    /// no answer. For a question that is due on change, the number counts back from the last session while the question
    /// was due.
    pub fn missed(&self, question: &Question) -> usize {
        let last = self.last_derivation(question);
        let after = last.map_or(0, |(sessions, _)| sessions);
        let later = self.sessions[after..].iter();
        let asked = later.filter(|session| self.was_asked(session, question));
        let Some((_, row)) = last.filter(|_| !self.is_original) else {
            return asked.count();
        };
        if question.trigger == Trigger::OnChange {
            let key = (question.id.clone(), question.version);
            return self.exposed.get(&key).copied().unwrap_or_default();
        }
        let is_due = |(sessions, session): &(usize, &Session)| {
            let elapsed = SignedDuration::from_millis(self.last(session).millis - row.millis);
            question.trigger.is_due(*sessions, elapsed, || false)
        };
        asked.enumerate().filter(is_due).count()
    }

    /// Counts the sessions, back from the last one, in which the paths that a question watches had changed.
    pub(super) fn count_exposed(&mut self, lineage: &mut dyn Lineage) {
        let questions = self.questions.clone();
        let on_change = questions.active().filter(|one| one.trigger == Trigger::OnChange);
        for question in on_change {
            let Some((after, row)) = self.last_derivation(question) else {
                continue;
            };
            let (from, watch) = (row.anchor, Watch::of(question));
            let later = self.sessions[after..].iter().rev();
            let asked = later.filter(|session| self.was_asked(session, question));
            let exposed = asked.take_while(|session| {
                let to = self.last(session).anchor;
                lineage.are_in_line(from, to) && lineage.is_changed(from, to, &watch) == Some(true)
            });
            let exposed = exposed.count();
            self.exposed.insert((question.id.clone(), question.version), exposed);
        }
    }

    /// Removes the ends of sessions in which no question was due.
    pub(super) fn drop_idle_ends(&mut self, lineage: &mut dyn Lineage) {
        let owed = self.questions.active().filter(|question| question.probe.is_none());
        let owed: Vec<Question> = owed.cloned().collect();
        if owed.iter().any(|question| question.trigger == Trigger::EverySession) {
            return;
        }
        let mut ends = std::mem::take(&mut self.ends);
        ends.retain(|&end| {
            let row = &self.events.rows()[end as usize];
            owed.iter().any(|question| self.was_due(question, row, lineage))
        });
        self.ends = ends;
    }

    /// Returns true if a question was due in the session that ended with this line.
    fn was_due(&self, question: &Question, end: &Row, lineage: &mut dyn Lineage) -> bool {
        let number = self.number(question);
        let is_answer = |row: &&Row| {
            let answer = number.and_then(|number| self.events.answer_to(row, number));
            row.millis <= end.millis && answer.is_some()
        };
        let Some(last) = self.newest_first().find(is_answer) else {
            return true;
        };
        let ends = self.sessions.iter().map(|session| self.last(session).millis);
        let since = ends.filter(|time| (last.millis + 1..end.millis).contains(time));
        let elapsed = SignedDuration::from_millis(end.millis - last.millis);
        question.trigger.is_due(since.count(), elapsed, || {
            let watch = Watch::of(question);
            lineage.are_in_line(last.anchor, end.anchor)
                && lineage.is_changed(last.anchor, end.anchor, &watch) == Some(true)
        })
    }
}
