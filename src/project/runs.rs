//! A question with a command at the tip: by its newest run.

use std::iter::once;

use super::{looks::Pass, questions::store_paths, standing::answers_it};
use crate::{
    entry::{Event, Head, begins, unstable},
    evidence::{Found, change_text, exposed_by, probe_digest},
    git,
    metrics::{AtTip, Standing},
    question::{Question, closings_path},
    store::Row,
    timeline::{Lineage, Watch},
};

impl Pass<'_> {
    pub fn last_run(
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
            at_tip.found = Some("no run of its command is recorded".into());
            at_tip.missed = self.without_run(lineage, question, None);
            return Ok(());
        };
        at_tip.name(&self.timeline.events, row);
        at_tip.missed = self.without_run(lineage, question, Some(row));
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

    /// Number of other sessions that were asked a command after a run, and passed over a change since; without a run, of all
    /// that were asked.
    fn without_run(
        &self,
        lineage: &mut dyn Lineage,
        question: &Question,
        run: Option<&Row>,
    ) -> usize {
        let timeline = self.timeline;
        let changed = run.and_then(|run| lineage.first_change(run.anchor, &self.read_by(question)));
        let mut is_later = |last: &Row| {
            run.is_none_or(|run| last.millis > run.millis && last.session != run.session)
                && changed.is_none_or(|changed| lineage.is_passed_over(last, changed))
        };
        let sessions = timeline.sessions.iter();
        sessions
            .filter(|session| {
                is_later(timeline.last(session)) && timeline.was_asked(session, question)
            })
            .count()
    }

    /// What a command depends on: where its question does not say it, all but the questions and what people closed.
    fn read_by<'q>(&self, question: &'q Question) -> Watch<'q> {
        if !question.watch.is_empty() {
            return Watch::of(question);
        }
        let files = store_paths(&self.project.repo);
        let beside = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let files = files.into_iter().flat_map(|path| {
            let folder = beside(&path);
            let slash = if folder.is_empty() { "" } else { "/" };
            [format!("{folder}{slash}.gitattributes"), closings_path(&path), path]
        });
        let but = files.map(|path| format!(":(top,exclude,literal){path}"));
        Watch::new(once(":/".to_owned()).chain(but).collect(), question.lines.as_deref())
    }

    fn stale_run(&self, question: &Question, row: &Row, tree: &str) -> git::Result<Option<String>> {
        let (repo, anchor) = (&self.project.repo, self.timeline.events.anchor(row.anchor));
        if repo.tree_of(anchor)?.to_string() != tree {
            return Ok(Some("the commit that it ran on was rewritten".into()));
        }
        let since = repo.changes(anchor, self.project.tip)?;
        let changed = exposed_by(repo, &since, &self.read_by(question))?;
        Ok(changed.map(|what| format!("{what} since its command ran")))
    }
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
        value if value.is_object() && begins(&value).is_none() => Run::Long,
        value => Run::Found(Found::Value(value)),
    };
    Some((envelope.head.map(|Head { tree, .. }| tree.to_string()).unwrap_or_default(), found))
}

enum Run {
    Found(Found),
    Unstable,
    /// Only the digest of its answer is recorded.
    Long,
}
