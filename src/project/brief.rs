//! The questions that a session has to answer now. Old answers are left out: copying them is how the ritual dies.

use std::num::NonZeroUsize;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Asked, Error, Measure, Project, SecondAsked, Snapshot, StateReport, TensionRow,
    states::{is_old, last_states},
};
use crate::{
    evidence::Cites,
    git::Oid,
    metrics::{SessionInBrief, Survey},
    session::{Ledger, ranked},
};

pub const STATES_SHOWN: NonZeroUsize = NonZeroUsize::new(2).unwrap();
pub const TENSIONS_SHOWN: usize = 3;

pub struct Reader {
    pub agent: Option<String>,
    pub sid: Option<String>,
    pub now: Timestamp,
}

/// Changes since the last entry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Since {
    pub sid: String,
    /// The commit of the last entry.
    pub commit: String,
    pub commits: usize,
    pub files: Vec<String>,
}

/// The start of a session.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Brief {
    pub tip: String,
    pub branch: Option<String>,
    /// The most important and the stalest first.
    pub questions: Vec<Asked>,
    pub since: Option<Since>,
    /// Answers of other sessions that this one has to answer again, blind.
    pub second: Vec<SecondAsked>,
    /// The last two sessions, newest first.
    pub latest: Vec<SessionInBrief>,
    /// The places where the last two sessions of this agent stopped, those in HEAD's own past first; of all agents, if
    /// the environment names none.
    pub states: Vec<StateReport>,
    /// The time of the newest state that is left out because it is older than two weeks; null if a newer one is shown.
    pub old_state: Option<String>,
    /// The agent of the session.
    pub agent: Option<String>,
    /// The open tensions with the highest scores.
    pub tensions: Vec<TensionRow>,
    pub warnings: Vec<String>,
    pub unknown: Vec<String>,
    /// The place of the brief, as in `main at 15cd9173c8`.
    #[serde(skip)]
    pub place: String,
    #[serde(skip)]
    pub now: Timestamp,
}

impl Project {
    pub fn brief(&self, reader: Reader) -> Result<Brief, Error> {
        let store = self.questions()?;
        let (set, now) = (&store.set, reader.now);
        let snapshot = self.snapshot(&Measure::default())?;
        let Snapshot { survey, events, .. } = &snapshot;
        let agent = reader.agent.as_deref();
        let cites = Cites::new(&self.repo, self.tip, |id| self.has_entry(id));
        let mut states = last_states(self, events, &cites, (agent, now), STATES_SHOWN);
        let old = states.iter().map(|state| &state.ts).find(|ts| is_old(ts, now)).cloned();
        states.retain(|state| !is_old(&state.ts, now));
        let settings = &set.settings.tension;
        let tensions = Ledger::of(events).replay(now, settings);
        let tensions = ranked(&tensions).into_iter().take(TENSIONS_SHOWN);
        Ok(Brief {
            tip: self.tip.to_string(),
            branch: self.head.branch.clone(),
            questions: self.asked(set, &snapshot, reader.sid.as_deref(), &[])?,
            since: self.since(survey)?,
            second: self.second_looks(&survey.second, set, reader.sid.as_deref()),
            latest: survey.latest.clone(),
            old_state: old.filter(|_| states.is_empty()),
            states,
            tensions: tensions.map(|tension| TensionRow::new(tension, settings)).collect(),
            warnings: store
                .warning()
                .into_iter()
                .chain(survey.unanswered_news())
                .chain(survey.drifts.iter().map(|drift| {
                    let name = &drift.question;
                    match &drift.error {
                        Some((who, why)) => {
                            format!("{name} changed, and {who} called it an error: {why}; fix it")
                        }
                        None => format!(
                            "{name} is blocking, and its answer changed: see `git sq triage {name}`"
                        ),
                    }
                }))
                .chain(self.waiting_facts()?.iter().map(|fact| {
                    let name = &fact.question;
                    format!(
                        "{name} is blocking, and this branch changed it ({}): see `git sq triage {name}`",
                        fact.change
                    )
                }))
                .collect(),
            unknown: survey.unknown.clone(),
            place: self.place(),
            agent: reader.agent,
            now,
        })
    }

    pub fn since(&self, survey: &Survey) -> Result<Option<Since>, Error> {
        let last = survey.latest.first();
        last.and_then(|last| Some((&last.sid, last.anchor.parse().ok()?)))
            .map(|(sid, anchor)| self.moved_since(sid, anchor))
            .transpose()
    }

    pub fn moved_since(&self, sid: &str, anchor: Oid) -> Result<Since, Error> {
        let files = match self.repo.changes(anchor, self.tip) {
            Ok(changes) => changes.paths().collect(),
            Err(error) if error.is_unread() => Vec::new(),
            Err(error) => return Err(error),
        };
        Ok(Since {
            sid: sid.to_owned(),
            commit: anchor.to_string(),
            commits: self.repo.count_between(anchor, self.tip)?,
            files,
        })
    }
}
