//! The standing of each question at the tip: its counting answer, and the changes since.

use std::collections::HashMap;

use super::{
    before::FAR,
    looks::{Counts, Earlier, Judging},
};
use crate::{
    evidence::{Exposure, Judged},
    git::{self, Oid},
    metrics::{AtTip, Disputes, State},
    question::{Question, Trigger},
    timeline::{Lineage, SessionAnswer},
};

impl Judging<'_> {
    pub fn at_tip(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
        question: &Question,
        disputes: &Disputes,
    ) -> git::Result<AtTip> {
        let earlier = if question.says_dependencies() {
            self.earlier.remove(&place).unwrap_or_default()
        } else {
            self.newest_unjudged(place, disputes)
        };
        let all = earlier.iter().rev();
        let all = all.filter(|one| one.standing == Counts::Yes).take(FAR);
        // After a merge several answers count; one that still holds is enough.
        let mut newest: Vec<SessionAnswer> = Vec::new();
        for one in all.map(|one| one.answer) {
            let anchor = |one: SessionAnswer| self.timeline.row(one.entry).anchor;
            let mut known = newest.iter();
            if !known.any(|&known| lineage.holds(anchor(known), anchor(one))) {
                newest.push(one);
            }
        }
        let mut counting = newest.first().copied();
        for &one in newest.iter().skip(1) {
            let holds = |judging: &mut Self, one| -> git::Result<bool> {
                let Some(claim) = judging.claim(one, judging.units.len()) else {
                    return Ok(false);
                };
                let tip = judging.project.tip;
                Ok(judging.judge.outdated(question, &claim, tip)?.is_none())
            };
            let Some(first) = counting else { break };
            if !holds(self, first)? && holds(self, one)? {
                counting = Some(one);
            }
        }
        let is_newer = |one: &&Earlier| counting.is_none_or(|counting| one.answer > counting);
        let is_disputed = earlier.iter().filter(is_newer).any(|one| one.is_disputed);
        let mut at_tip = AtTip {
            question: question.name().to_string(),
            state: State::Fresh,
            entry: None,
            commit: None,
            compared_with: None,
            changed: None,
            missed: 0,
        };
        let limit = question.max_staleness;
        let limit = limit.unwrap_or(self.timeline.questions.settings.staleness.max);
        let missed = self.timeline.missed(question);
        if missed > limit as usize {
            at_tip.state = State::Stale;
        } else if missed == limit as usize {
            at_tip.state = State::Due;
        }
        let Some(counting) = counting else {
            if !earlier.is_empty() || self.timeline.last_derivation(question).is_none() {
                at_tip.state = State::Never;
            }
            if is_disputed {
                at_tip.state = State::Disputed;
            }
            return Ok(at_tip);
        };
        let row = self.timeline.row(counting.entry);
        let events = &self.timeline.events;
        at_tip.entry = Some(events.reference(row));
        let commit = events.anchor(row.anchor);
        at_tip.commit = Some(commit);
        at_tip.changed = match self.claim(counting, self.units.len()) {
            Some(claim) => {
                at_tip.compared_with = Some(claim.at);
                let changed = self.judge.outdated(question, &claim, self.project.tip)?;
                changed.map(|change| match (&change, self.redaction(counting)) {
                    (Exposure::Cited(_), Some(mark)) => mark.to_owned(),
                    _ => change.to_string(),
                })
            }
            None => question
                .says_dependencies()
                .then(|| "the commit of the answer was never published".into()),
        };
        if at_tip.changed.is_some() {
            at_tip.missed = self.missed(question, commit);
            at_tip.state = State::Outdated;
        }
        if is_disputed {
            at_tip.state = State::Disputed;
        }
        Ok(at_tip)
    }

    /// The answers to a question that says no dependencies, oldest first, back to as many counting ones as matter.
    fn newest_unjudged(&self, place: usize, disputes: &Disputes) -> Vec<Earlier> {
        let mut earlier = Vec::new();
        let mut left = FAR;
        for &answer in self.unjudged[place].iter().rev() {
            if left == 0 {
                break;
            }
            let one = Earlier::of(self.timeline, answer, &Judged::default(), disputes);
            left -= usize::from(one.standing == Counts::Yes);
            earlier.push(one);
        }
        earlier.reverse();
        earlier
    }

    /// Number of sessions without a counting answer since a change; each look of a session counts.
    fn missed(&self, question: &Question, since: Oid) -> usize {
        let is_due = matches!(question.trigger, Trigger::EverySession | Trigger::OnChange);
        if !is_due || !question.says_dependencies() {
            return 0;
        }
        let (repo, tip) = (&self.project.repo, self.project.tip);
        let paths = question.dependencies();
        let changed = repo.merged_since(&[since], tip, &paths).ok();
        let changed = changed.and_then(|commits| repo.commit_time(*commits.last()?).ok());
        let Some(changed) = changed else {
            return 0;
        };
        let changed = changed.as_millisecond();
        let timeline = self.timeline;
        let mut sessions: HashMap<usize, usize> = HashMap::new();
        for look in &timeline.looks {
            let is_later = timeline.row(look.last).millis > changed;
            let session = &timeline.sessions[look.session];
            if !is_later || !timeline.was_asked(session, question) {
                continue;
            }
            let questions = &timeline.questions.questions;
            let mut answers = look.answers.iter();
            let has_answer = answers.any(|(place, _)| questions[*place].id == question.id);
            *sessions.entry(look.stretch).or_default() += usize::from(has_answer);
        }
        sessions.into_values().map(|looks| looks.max(1)).sum()
    }
}
