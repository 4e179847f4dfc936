//! Where each question stands at the tip: a fact by its files, a command by its newest run, any other by its counting answer.

use std::{
    collections::{HashMap, HashSet},
    time::{Duration, Instant},
};

use super::{
    earlier::Counts,
    looks::{Pass, Rulings},
    standing::{answers_it, flag_text},
};
use crate::{
    entry::Event,
    evidence::{Derivation, Exposure, Found, change_text},
    git::{self, ErrorKind},
    metrics::{AtTip, Source, Standing},
    question::{Expect, Question, Status, Trigger},
    store::{Answer, Row},
    timeline::{Lineage, OnMain, SessionAnswer, Unknown, Watch},
};

/// Time for all facts together if a session waits for them.
const PROBING: Duration = Duration::from_secs(2);

impl Pass<'_> {
    /// Where each asked question stands, and what its next answer is compared with.
    pub fn stand(&mut self, found: &mut Rulings, lineage: &mut dyn Lineage) {
        let questions = &self.timeline.questions.questions;
        let start = Instant::now();
        for (place, question) in questions.iter().enumerate() {
            if question.status.is_asked() {
                let is_late = self.project.is_hurried && start.elapsed() > PROBING;
                let at_tip = if is_late && question.is_fact() {
                    Err(git::Error::new(ErrorKind::Other, "no time was left"))
                } else {
                    self.at_tip(lineage, place, question)
                };
                match at_tip {
                    Ok(at_tip) => {
                        found.threads.push(self.thread(lineage, place, &at_tip));
                        found.at_tip.0.push(at_tip);
                    }
                    Err(why) => {
                        let name = question.name().to_string();
                        found.unknown.push(Unknown::Standing(name, why.to_string()));
                    }
                }
            }
        }
    }

    fn at_tip(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
        question: &Question,
    ) -> git::Result<AtTip> {
        let expect = question.expect.as_ref().filter(|expect| expect.must_hold());
        let mut at_tip = AtTip {
            question: question.name().to_string(),
            source: source(question),
            trial: question.status == Status::Trial,
            blocks: question.blocks(),
            expected: expect.map(Expect::words),
            ..AtTip::default()
        };
        match at_tip.source {
            Source::Files => self.derive(question, &mut at_tip)?,
            Source::Command => self.last_run(lineage, question, &mut at_tip)?,
            Source::Sessions => self.counting(lineage, place, question, &mut at_tip)?,
        }
        Ok(at_tip)
    }

    fn derive(&mut self, question: &Question, at_tip: &mut AtTip) -> git::Result<()> {
        if let Some(row) = self.newest(question, |_| true) {
            at_tip.name(&self.timeline.events, row);
        }
        let prober = self.judge.prober();
        let Some(derived) = prober.derive(question) else {
            return Ok(());
        };
        let derived = derived?;
        let words = || {
            let probe = question.probe.as_ref()?;
            Some(prober.found_text(probe, &derived))
        };
        at_tip.expect(question, &derived.found, || words().unwrap_or_default());
        at_tip.mended =
            at_tip.standing == Standing::Fails && self.project.is_mended(question, &derived);
        at_tip.blocks &= !at_tip.mended;
        let since = at_tip.commit.and_then(|commit| prober.compare(question, Some(commit))?.ok());
        at_tip.changed = since.filter(Derivation::is_delta).and_then(|since| since.note());
        Ok(())
    }

    fn counting(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
        question: &Question,
        at_tip: &mut AtTip,
    ) -> git::Result<()> {
        // After a merge several count: those that still hold.
        let (disputes, tip) = (self.disputes, self.project.tip);
        let before = self.before(lineage, place, None, None, disputes).before;
        let chosen = self.chosen(lineage, place, question, before, tip, disputes)?;
        let counting = chosen.first().copied();
        let open = self.open_disputes(lineage, place);
        let about = open.iter().map(|sides| self.timeline.row(sides[0].entry));
        at_tip.disputed = about.map(|row| self.timeline.events.reference(row)).collect();
        let is_unanswered = self.earlier[place].is_empty();
        let limit = question.max_staleness;
        let limit = limit.unwrap_or(self.timeline.questions.settings.staleness.max);
        if let Some(counting) = counting {
            let row = self.timeline.row(counting.entry);
            at_tip.name(&self.timeline.events, row);
            at_tip.changed = self.changed_since(place, question, counting, at_tip)?;
            if at_tip.changed.is_some() {
                at_tip.missed = self.missed(lineage, question, counting);
            } else if let Some(entry) = self.flagged[place].last() {
                at_tip.compared_with = None;
                let rows = self.timeline.newest_first();
                at_tip.changed = Some(flag_text(&self.timeline.events, rows, question, entry));
            }
        }
        if at_tip.expected.is_some() {
            // Of a dispute, either side fails; after a merge, each answer that still holds.
            let mut rows = Vec::new();
            for one in chosen.into_iter().chain(open.into_iter().flatten()) {
                let repeated = self.repeated(lineage, place, one);
                let said = if repeated.is_empty() { vec![one] } else { repeated };
                rows.extend(said.into_iter().map(|said| [Some(one), Some(said)]));
            }
            for [one, said] in if rows.is_empty() { vec![[None; 2]] } else { rows } {
                let row = said.map(|said| *self.timeline.row(said.entry));
                if at_tip.standing != Standing::Fails
                    && let Some((row, found)) = self.recorded(place, question, row.as_ref())
                {
                    at_tip.expect(question, &found, || change_text(None, &found));
                    at_tip.redact(self.timeline.events.redaction(row));
                    let other =
                        one.filter(|_| at_tip.standing == Standing::Fails && one != counting);
                    if let Some(other) = other {
                        at_tip.name(&self.timeline.events, self.timeline.row(other.entry));
                    }
                }
            }
        }
        let is_answered = counting.is_some()
            || is_unanswered && self.timeline.last_derivation(question).is_some();
        let standings = [
            (Standing::Fails, at_tip.standing == Standing::Fails),
            (Standing::Disputed, !at_tip.disputed.is_empty()),
            (Standing::NeverAnswered, !is_answered),
            (Standing::Stale, self.timeline.missed(question) > limit as usize),
            (Standing::Outdated, at_tip.changed.is_some()),
        ];
        if let Some((standing, _)) = standings.into_iter().find(|(_, is_so)| *is_so) {
            at_tip.standing = standing;
        }
        Ok(())
    }

    /// Both sides of each open dispute that no newer answer ended.
    fn open_disputes(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
    ) -> Vec<Vec<SessionAnswer>> {
        let disputes = self.disputes;
        let number = self.timeline.number(&self.timeline.questions.questions[place]);
        let mut open = number.map_or_else(Vec::new, |number| disputes.open(self.timeline, number));
        if open.is_empty() {
            return open;
        }
        let earlier = std::mem::take(&mut self.earlier[place]);
        let shown = (0..earlier.len()).rev().find(|&at| {
            earlier[at].is_shown
                && earlier[at].replaced_by.is_none()
                && !earlier[at].is_disputed(disputes)
                && self.counts(lineage, place, &earlier[..=at], disputes) == Counts::Yes
        });
        let shown = shown.map(|at| earlier[at].answer);
        self.earlier[place] = earlier;
        open.retain(|sides| {
            shown.is_none_or(|shown| sides.last().is_some_and(|last| shown <= *last))
        });
        open
    }

    fn changed_since(
        &mut self,
        place: usize,
        question: &Question,
        counting: SessionAnswer,
        at_tip: &mut AtTip,
    ) -> git::Result<Option<String>> {
        let Some(claim) = self.claim(counting, self.units.len()) else {
            return Ok(None);
        };
        at_tip.compared_with = Some(claim.at);
        let changed = self.judge.outdated(question, &claim, self.project.tip)?;
        if changed == Some(Exposure::Carried) {
            at_tip.compared_with = None;
        }
        let then = self.as_committed(counting.entry, place);
        let store = self.timeline.store_of(self.timeline.row(counting.entry));
        let answered = store.and_then(|store| store.find(&question.id, question.version));
        let asked = claim.asked.as_deref().or(answered.map(|then| &*then.text));
        let reasons = [
            (!then.depends_alike(question), "its `watch`, `lines` or probe changed"),
            (asked.is_some_and(|text| text != question.text), "its text changed"),
        ];
        let otherwise =
            || reasons.iter().find(|(is_so, _)| *is_so).map(|(_, why)| (*why).to_owned());
        Ok(changed.map_or_else(otherwise, |change| {
            Some(match (&change, self.redaction(counting)) {
                (Exposure::Cited(_), Some(mark)) => mark.to_owned(),
                _ => change.to_string(),
            })
        }))
    }

    /// The counting answer or, without one that has a value, the newest that has; a counting one repeats none that a rule
    /// doubts.
    fn recorded(
        &self,
        place: usize,
        question: &Question,
        counting: Option<&Row>,
    ) -> Option<(&Row, Found)> {
        let events = &self.timeline.events;
        let doubted =
            self.earlier[place].iter().filter(|one| counting.is_some() && one.is_doubted());
        let doubted: HashSet<(u64, u64)> =
            doubted.map(|one| self.timeline.row(one.answer.entry).digest).collect();
        let mut rows = self.rows_with(question, |_| true);
        let first = rows.by_ref().find(|row| counting.is_none_or(|one| row.digest == one.digest));
        let rows = rows.filter(|row| !doubted.contains(&row.digest));
        first.into_iter().chain(rows).find_map(|row| {
            let line = events.raw_lines(&self.project.repo, &[row]).next()??;
            let (_, answers) = Event::answers(&line)?;
            let answer = answers.iter().rfind(|answer| answers_it(answer, question))?;
            Some((row, Found::Value(answer.answer.clone()?)))
        })
    }

    fn newest(&self, question: &Question, is_it: impl Fn(&Answer) -> bool) -> Option<&Row> {
        self.rows_with(question, is_it).next()
    }

    /// Number of sessions without a counting answer since a change, but for those beside it; each look of a session counts.
    fn missed(
        &mut self,
        lineage: &mut dyn Lineage,
        question: &Question,
        counting: SessionAnswer,
    ) -> usize {
        let is_due = matches!(question.trigger, Trigger::EverySession | Trigger::OnChange);
        if !is_due || !question.says_dependencies() {
            return 0;
        }
        let timeline = self.timeline;
        let since = timeline.row(counting.entry).anchor;
        let is_carried = self.claim(counting, self.units.len()).is_some_and(|one| one.is_outdated);
        let carried = lineage.reached(since).filter(|_| is_carried).map(|(time, place)| {
            let commit = timeline.events.anchor(since);
            OnMain { commit, place, time }
        });
        let first = || lineage.first_change(since, &Watch::of(question));
        let Some(changed) = carried.or_else(first) else {
            return 0;
        };
        let mut sessions: HashMap<usize, usize> = HashMap::new();
        for look in &timeline.looks {
            let session = &timeline.sessions[look.session];
            if !lineage.is_passed_over(timeline.row(look.last), changed)
                || !timeline.was_asked(session, question)
            {
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

fn source(question: &Question) -> Source {
    if question.is_fact() {
        Source::Files
    } else if question.command().is_some() {
        Source::Command
    } else {
        Source::Sessions
    }
}
