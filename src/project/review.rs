//! The content of a proposal, for those who review it.

use std::collections::HashSet;

use serde::Serialize;

use super::{Error, Measure, Project, rows::Range};
use crate::{
    entry::{Answer, Citation, Event, Kind},
    git::Oid,
    metrics::{AtTip, Standing, Standings},
    question::{self, Question},
    store::Row,
};

#[derive(Debug, Default, Serialize)]
pub struct Review {
    pub commits: usize,
    /// Number of commits with an agent's trailer.
    pub by_agents: usize,
    /// Number of sessions that answered on these commits.
    pub sessions: usize,
    pub changed: Vec<ChangedAnswer>,
    /// The questions that are outdated, failing or disputed, and were not at the base.
    pub worse: Vec<AtTip>,
}

/// An answer that differs from the one before.
#[derive(Debug, Serialize)]
pub struct ChangedAnswer {
    pub question: String,
    pub note: String,
    pub cites: Vec<String>,
}

impl Project {
    /// Compares the tip with the commit where it is to land.
    pub fn review(&self, base: Oid, standings: &Standings) -> Result<Review, Error> {
        let commits: HashSet<Oid> =
            self.repo.commits_between(base, self.tip)?.into_iter().collect();
        let mut review = Review { commits: commits.len(), ..Review::default() };
        for &commit in &commits {
            let work = self.work(commit, &self.repo.message(commit)?)?;
            review.by_agents += usize::from(work.agent.is_some());
        }
        let events = self.events()?;
        let rows = self.rows(Range::All(&events), |row| {
            row.is(Kind::Rederive) && commits.contains(&events.anchor(row.anchor))
        });
        let sessions: HashSet<u32> = rows.iter().map(|row| row.session).collect();
        review.sessions = sessions.len();
        let rows: Vec<&Row> = rows.iter().rev().collect();
        let asked = self.questions_if_any().map(|store| &store.set);
        let is_fact = |answer: &Answer| {
            let question = asked.and_then(|asked| asked.find(&answer.q_id, answer.version()));
            question.is_some_and(Question::is_fact)
        };
        for (row, line) in rows.iter().zip(events.raw_lines(&self.repo, &rows)) {
            let Some(line) = line.filter(|_| events.redaction(row).is_none()) else {
                continue;
            };
            let Some((_, answers)) = Event::answers(&line) else {
                continue;
            };
            let changed = answers.iter().filter(|answer| answer.delta && !is_fact(answer));
            review.changed.extend(changed.map(|answer| ChangedAnswer {
                question: question::name(&answer.q_id, answer.version()),
                note: answer.note.as_deref().unwrap_or_default().to_owned(),
                cites: answer.cites().iter().map(Citation::to_string).collect(),
            }));
        }
        // A drift is a finding, open or closed.
        let facts = self.proposed_facts()?.into_iter().filter(|fact| !fact.is_drift);
        let facts = facts.map(|fact| ChangedAnswer {
            question: fact.question,
            note: fact.change,
            cites: Vec::new(),
        });
        review.changed.extend(facts);
        let before = Self::open(self.repo.clone(), Some(&base.to_string()), self.keeps)?
            .snapshot(&Measure::default())?
            .survey
            .standings;
        let is_worse = |at_tip: &&AtTip| {
            let was = before.get(&at_tip.question).map(|old| old.standing);
            matches!(at_tip.standing, Standing::Outdated | Standing::Fails | Standing::Disputed)
                && was != Some(at_tip.standing)
                && !at_tip.mended
        };
        review.worse = standings.0.iter().filter(is_worse).cloned().collect();
        Ok(review)
    }
}
