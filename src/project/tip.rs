//! Where each question stands at the tip: a fact by its files, a command by its newest run, any other by its counting answer.

use std::collections::HashMap;

use super::{
    earlier::{Counts, Earlier},
    looks::Judging,
};
use crate::{
    entry::{self, Event, Head, unstable},
    evidence::{Derivation, Exposure, Found, change_text, exposed_by, probe_digest},
    git,
    metrics::{AtTip, Disputes, Source, Standing},
    question::{Expect, Question, Status, Trigger},
    store::{Answer, Events, Row},
    timeline::{Lineage, SessionAnswer, Watch},
};

impl Judging<'_> {
    pub fn at_tip(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
        question: &Question,
        disputes: &Disputes,
    ) -> git::Result<AtTip> {
        let expect = question.expect.as_ref().filter(|expect| expect.must_hold());
        let mut at_tip = AtTip {
            question: question.name().to_string(),
            standing: Standing::Fresh,
            source: source(question),
            trial: question.status == Status::Trial,
            blocks: question.blocks(),
            expected: expect.map(Expect::words),
            found: None,
            entry: None,
            commit: None,
            compared_with: None,
            changed: None,
            missed: 0,
        };
        match at_tip.source {
            Source::Files => self.derive(question, &mut at_tip)?,
            Source::Command => self.last_run(lineage, question, &mut at_tip)?,
            Source::Sessions => self.counting(lineage, place, question, disputes, &mut at_tip)?,
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
        let since = at_tip.commit.and_then(|commit| prober.compare(question, Some(commit))?.ok());
        at_tip.changed = since.filter(Derivation::is_delta).and_then(|since| since.note());
        Ok(())
    }

    fn last_run(
        &mut self,
        lineage: &mut dyn Lineage,
        question: &Question,
        at_tip: &mut AtTip,
    ) -> git::Result<()> {
        let runs = self.rows_with(question, |answer| answer.probed);
        let mut runs: Vec<&Row> = runs.filter(|row| !row.breaks_chain).collect();
        // The newest, unless another one ran on a commit that contains its commit.
        if let Some(&newest) = runs.first() {
            let mut last = newest.anchor;
            runs.retain(|row| {
                let is_last = lineage.holds(row.anchor, last);
                last = if is_last { row.anchor } else { last };
                is_last
            });
            runs.retain(|row| row.anchor == last);
        }
        let newest = runs.into_iter().find_map(|row| {
            let line = self.timeline.events.raw_lines(&self.project.repo, &[row]).next()??;
            let (tree, found) = run_in(question, &line)?;
            Some((row, tree, found))
        });
        let Some((row, tree, found)) = newest else {
            at_tip.standing = Standing::NotRun;
            at_tip.found = Some("its command was never run".into());
            at_tip.missed = self.without_run(question, None);
            return Ok(());
        };
        at_tip.name(&self.timeline.events, row);
        at_tip.missed = self.without_run(question, Some(row));
        match found {
            Run::Unstable => {
                let fails = at_tip.expected.is_some();
                at_tip.standing = if fails { Standing::Fails } else { Standing::Unstable };
                at_tip.found = Some("its command gave two answers".into());
            }
            Run::Long => {
                at_tip.standing = Standing::NotRun;
                let why = "only a digest of the recorded answer is known, because it is long";
                at_tip.found = Some(why.into());
            }
            Run::Found(found) => {
                at_tip.expect(question, &found, || change_text(None, &found));
                let stale = self.stale_run(question, row, &tree)?;
                if at_tip.standing == Standing::Fails {
                    at_tip.redact(self.timeline.events.redaction(row));
                } else if stale.is_some() {
                    at_tip.standing = Standing::NotRun;
                    at_tip.found = stale;
                }
            }
        }
        Ok(())
    }

    /// Number of other sessions after a run of a command that were asked it.
    fn without_run(&self, question: &Question, run: Option<&Row>) -> usize {
        let timeline = self.timeline;
        let is_later = |last: &Row| {
            run.is_none_or(|run| last.millis > run.millis && last.session != run.session)
        };
        let sessions = timeline.sessions.iter();
        sessions
            .filter(|session| {
                is_later(timeline.last(session)) && timeline.was_asked(session, question)
            })
            .count()
    }

    fn stale_run(&self, question: &Question, row: &Row, tree: &str) -> git::Result<Option<String>> {
        let (repo, anchor) = (&self.project.repo, self.timeline.events.anchor(row.anchor));
        if repo.tree_of(anchor)?.to_string() != tree {
            return Ok(Some("the commit that it ran on was rewritten".into()));
        }
        let since = repo.changes(anchor, self.project.tip)?;
        let changed = exposed_by(repo, &since, &Watch::of(question))?;
        Ok(changed.map(|what| format!("{what} since its command ran")))
    }

    fn counting(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
        question: &Question,
        disputes: &Disputes,
        at_tip: &mut AtTip,
    ) -> git::Result<()> {
        let counting = self.counting_at_tip(lineage, place, question, disputes)?;
        let (counting, others) =
            counting.map_or((None, Vec::new()), |(one, others)| (Some(one), others));
        let earlier = &self.earlier[place];
        let is_newer =
            |earlier: &&Earlier| counting.is_none_or(|counting| earlier.answer >= counting);
        let is_disputed =
            earlier.iter().rev().take_while(is_newer).any(|earlier| earlier.is_disputed(disputes));
        let is_unanswered = earlier.is_empty();
        let limit = question.max_staleness;
        let limit = limit.unwrap_or(self.timeline.questions.settings.staleness.max);
        if let Some(counting) = counting {
            let row = self.timeline.row(counting.entry);
            at_tip.name(&self.timeline.events, row);
            at_tip.changed = self.changed_since(place, question, counting, at_tip)?;
            if at_tip.changed.is_some() {
                at_tip.missed = self.missed(lineage, question, row.anchor);
            } else if let Some(entry) = &self.flagged[place] {
                at_tip.compared_with = None;
                at_tip.changed = Some(format!("entry {entry} is flagged"));
            }
        }
        if at_tip.expected.is_some() {
            // Of a dispute, either side fails; after a merge, each answer that still holds.
            let sides = if is_disputed { self.sides(lineage, place, disputes) } else { Vec::new() };
            let rows = counting.into_iter().chain(others).chain(sides);
            let rows: Vec<Row> = rows.map(|one| *self.timeline.row(one.entry)).collect();
            let rows =
                if rows.is_empty() { vec![None] } else { rows.into_iter().map(Some).collect() };
            for row in rows {
                if at_tip.standing != Standing::Fails
                    && let Some((row, found)) = self.recorded(question, row.as_ref())
                {
                    at_tip.expect(question, &found, || change_text(None, &found));
                    at_tip.redact(self.timeline.events.redaction(row));
                }
            }
        }
        let is_answered = counting.is_some()
            || is_unanswered && self.timeline.last_derivation(question).is_some();
        let standings = [
            (Standing::Fails, at_tip.standing == Standing::Fails),
            (Standing::Disputed, is_disputed),
            (Standing::NeverAnswered, !is_answered),
            (Standing::Stale, self.timeline.missed(question) > limit as usize),
            (Standing::Outdated, at_tip.changed.is_some()),
        ];
        if let Some((standing, _)) = standings.into_iter().find(|(_, is_so)| *is_so) {
            at_tip.standing = standing;
        }
        Ok(())
    }

    /// Both sides of each open dispute, unless a newer answer settles it.
    fn sides(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
        disputes: &Disputes,
    ) -> Vec<SessionAnswer> {
        let earlier = std::mem::take(&mut self.earlier[place]);
        let mut shown = earlier.iter().rev();
        let shown = shown.find(|earlier| {
            earlier.is_shown
                && !earlier.is_disputed(disputes)
                && self.counts(lineage, place, earlier, disputes) == Counts::Yes
        });
        let shown = shown.map(|earlier| earlier.answer);
        self.earlier[place] = earlier;
        let number = self.timeline.number(&self.timeline.questions.questions[place]);
        let open = number.map(|number| disputes.open(self.timeline, number)).unwrap_or_default();
        let is_open = |sides: &Vec<SessionAnswer>| {
            shown.is_none_or(|shown| sides.last().is_some_and(|last| shown <= *last))
        };
        open.into_iter().filter(is_open).flatten().collect()
    }

    /// The counting answer; after a merge several count: the first that still holds, and the others that do.
    fn counting_at_tip(
        &mut self,
        lineage: &mut dyn Lineage,
        place: usize,
        question: &Question,
        disputes: &Disputes,
    ) -> git::Result<Option<(SessionAnswer, Vec<SessionAnswer>)>> {
        let mut before = self.before(lineage, place, None, disputes).before;
        let earlier = std::mem::take(&mut self.earlier[place]);
        before.retain(|answer| {
            let earlier = earlier.iter().rfind(|earlier| earlier.answer == *answer);
            earlier.is_some_and(|earlier| {
                self.counts(lineage, place, earlier, disputes) == Counts::Yes
            })
        });
        self.earlier[place] = earlier;
        let mut holding = Vec::new();
        for &answer in before.iter().filter(|_| before.len() > 1) {
            if let Some(claim) = self.claim(answer, self.units.len())
                && self.judge.outdated(question, &claim, self.project.tip)?.is_none()
            {
                holding.push(answer);
            }
        }
        let counting = holding.first().or(before.first()).copied();
        Ok(counting.map(|counting| (counting, holding.into_iter().skip(1).collect())))
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
        let is_alike = self.as_committed(counting.entry, place).depends_alike(question);
        let asked = || (!is_alike).then(|| "its `watch`, `lines` or probe changed".to_owned());
        Ok(changed.map_or_else(asked, |change| {
            Some(match (&change, self.redaction(counting)) {
                (Exposure::Cited(_), Some(mark)) => mark.to_owned(),
                _ => change.to_string(),
            })
        }))
    }

    /// The counting answer or, without one that has a value, the newest that has.
    fn recorded(&self, question: &Question, counting: Option<&Row>) -> Option<(&Row, Found)> {
        let events = &self.timeline.events;
        let mut rows = self.rows_with(question, |_| true);
        let first = rows.by_ref().find(|row| counting.is_none_or(|one| row.digest == one.digest));
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

    /// The entries with such an answer to a question, newest first; somebody wrote them, and none is dated ahead.
    fn rows_with(
        &self,
        question: &Question,
        is_it: impl Fn(&Answer) -> bool,
    ) -> impl Iterator<Item = &Row> {
        let events = &self.timeline.events;
        let number = self.timeline.number(question);
        self.timeline.newest_first().filter(move |row| {
            let mut answers = events.answers(row).iter();
            number.is_some_and(|number| {
                answers.any(|answer| answer.question == number && is_it(answer))
            }) && events.worktree(row).is_some()
                && !row.is_ahead
        })
    }

    /// Number of sessions without a counting answer since a change; each look of a session counts.
    fn missed(&self, lineage: &mut dyn Lineage, question: &Question, since: u32) -> usize {
        let is_due = matches!(question.trigger, Trigger::EverySession | Trigger::OnChange);
        if !is_due || !question.says_dependencies() {
            return 0;
        }
        let Some(changed) = lineage.first_change(since, &Watch::of(question)) else {
            return 0;
        };
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

fn source(question: &Question) -> Source {
    if question.is_fact() {
        Source::Files
    } else if question.command().is_some() {
        Source::Command
    } else {
        Source::Sessions
    }
}

enum Run {
    Found(Found),
    Unstable,
    /// Only the digest of its answer is recorded.
    Long,
}

/// Compares an answer with the expected one; `None` if none is.
pub fn expected(question: &Question, found: &Found) -> Option<Standing> {
    let expect = question.expect.as_ref().filter(|expect| expect.must_hold())?;
    let value = found.value();
    let holds = value.and_then(|value| expect.holds(question.shape.as_ref(), value));
    Some(if holds == Some(true) { Standing::Holds } else { Standing::Fails })
}

fn answers_it(answer: &entry::Answer, question: &Question) -> bool {
    *answer.q_id == *question.id && answer.version() == question.version
}

/// The tree that a command ran on, and what it found; `None` if the answer comes from no run of the question's command.
fn run_in(question: &Question, line: &[u8]) -> Option<(String, Run)> {
    let (envelope, answers) = Event::answers(line)?;
    let answer = answers.iter().rfind(|answer| answers_it(answer, question))?;
    let evidence = answer.evidence.as_ref()?;
    evidence.get("run")?;
    if *evidence.get("probe")? != probe_digest(question.probe.as_ref()?) {
        return None;
    }
    let found = match answer.answer.clone()? {
        value if value == unstable() => Run::Unstable,
        value if value.get("gone").is_some() => Run::Found(Found::Gone("nothing matched".into())),
        value if value.is_object() => Run::Long,
        value => Run::Found(Found::Value(value)),
    };
    let tree = envelope.head.map(|Head { tree, .. }| tree.to_string());
    Some((tree.unwrap_or_default(), found))
}

impl AtTip {
    fn name(&mut self, events: &Events, row: &Row) {
        self.entry = Some(events.reference(row));
        self.commit = Some(events.anchor(row.anchor));
    }

    /// Compares the answer with the expected one; `words` are those of the answer.
    fn expect(&mut self, question: &Question, found: &Found, words: impl Fn() -> String) {
        if let Some(standing) = expected(question, found) {
            self.standing = standing;
            self.found = (standing == Standing::Fails).then(words);
        }
    }

    fn redact(&mut self, redaction: Option<&str>) {
        if redaction.is_some() && self.found.is_some() {
            self.found = Some("redacted".into());
        }
    }
}
