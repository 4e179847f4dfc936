//! Answers that questions expect: those of built-in probes at the tip, and recorded ones of the others.

use super::Project;
use crate::{
    entry::{Event, Head, unstable},
    evidence::{Found, Prober, exposed_by, probe_digest},
    git,
    metrics::{AtTip, Failing, failing},
    question::{Expect, Question},
    timeline::{Timeline, Unknown, Watch, short},
};

impl Project {
    /// Finds the answers that differ from the expected ones, and those for which that is unknown.
    pub(super) fn failing(
        &self,
        timeline: &Timeline,
        at_tip: &[AtTip],
    ) -> (Vec<Failing>, Vec<Unknown>) {
        let prober = Prober::new(&self.repo, self.tip);
        let (mut all, mut unknown) = (Vec::new(), Vec::new());
        for question in timeline.questions.active() {
            if !question.expect.as_ref().is_some_and(Expect::must_hold) {
                continue;
            }
            let name = question.name().to_string();
            let found = if let Some(derived) = prober.derive(question) {
                derived.map(|derived| failing(question, Ok(derived.found), short(self.tip)))
            } else {
                let counting = at_tip
                    .iter()
                    .find(|standing| standing.question == name)
                    .and_then(|standing| standing.entry.as_deref());
                self.recorded(timeline, question, counting)
            };
            match found {
                Ok(found) => all.extend(found),
                Err(error) => unknown.push(Unknown::Expected(name, error.to_string())),
            }
        }
        (all, unknown)
    }

    /// Compares the counting answer with the expected one; for a command, its newest run.
    fn recorded(
        &self,
        timeline: &Timeline,
        question: &Question,
        counting: Option<&str>,
    ) -> git::Result<Option<Failing>> {
        let events = &timeline.events;
        let number = timeline.number(question);
        let is_run = question.command().is_some();
        let mut rows = timeline.newest_first().filter(|row| {
            let mut answers = events.answers(row).iter();
            let is_somebodys = events.worktree(row).is_some() && !row.is_ahead;
            is_somebodys
                && answers
                    .any(|answer| Some(answer.question) == number && (answer.probed || !is_run))
        });
        let first = if is_run {
            None
        } else {
            rows.by_ref()
                .find(|row| counting.is_none_or(|counting| events.reference(row) == counting))
        };
        let mut rows = first.into_iter().chain(rows);
        let newest = rows.find_map(|row| {
            let line = events.raw_lines(&self.repo, &[row]).next()??;
            let (tree, found) = said(question, &line)?;
            Some((row, tree, found))
        });
        let Some((row, tree, found)) = newest else {
            let never = || Err("its command was never run".to_owned());
            return Ok(is_run.then(|| failing(question, never(), short(self.tip))).flatten());
        };
        let anchor = events.anchor(row.anchor);
        let stale = match is_run {
            true if self.repo.tree_of(anchor)?.to_string() != tree => {
                Some("the commit that it ran on was rewritten".to_owned())
            }
            true => {
                let changes = self.repo.changes(anchor, self.tip)?;
                exposed_by(&self.repo, &changes, &Watch::of(question))?
                    .map(|what| format!("{what} since its command ran"))
            }
            false => None,
        };
        let mut found = failing(question, stale.map_or(found, Err), short(anchor));
        if events.redaction(row).is_some()
            && let Some(Failing { found: Ok(found), .. }) = &mut found
        {
            *found = "redacted".into();
        }
        Ok(found)
    }
}

/// `None` if the answer has no value, or comes from a command that is not the question's.
fn said(question: &Question, line: &[u8]) -> Option<(String, Result<Found, String>)> {
    let (envelope, answers) = Event::answers(line)?;
    let answer = answers
        .iter()
        .rfind(|answer| *answer.q_id == *question.id && answer.version() == question.version)?;
    if let Some(probe) = question.probe.as_ref() {
        let evidence = answer.evidence.as_ref()?;
        evidence.get("run")?;
        if *evidence.get("probe")? != probe_digest(probe) {
            return None;
        }
    }
    let found = match answer.answer.clone()? {
        value if value == unstable() => Err("its command gave two answers".into()),
        value if value.get("gone").is_some() => Ok(Found::Gone("nothing matched".into())),
        value if value.is_object() => {
            Err("only a digest of the recorded answer is known, because it is long".into())
        }
        value => Ok(Found::Value(value)),
    };
    let tree = envelope.head.map(|Head { tree, .. }| tree.to_string());
    Some((tree.unwrap_or_default(), found))
}
