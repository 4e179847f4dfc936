//! What a session has to re-derive now. Old answers are left out: copying them is how the ritual dies.

use std::num::NonZeroUsize;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Asked, Error, Measure, Project, SecondAsked, Since, Snapshot, StateReport, TensionRow, asked,
    states::last_states,
};
use crate::{
    evidence::Cites,
    metrics::SessionInBrief,
    session::{Ledger, ranked},
};

pub const STATES_SHOWN: NonZeroUsize = NonZeroUsize::new(2).unwrap();
pub const TENSIONS_SHOWN: usize = 3;

pub struct Reader {
    pub agent: Option<String>,
    /// The session, where it is known.
    pub sid: Option<String>,
    pub now: Timestamp,
}

/// What a session begins with.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Brief {
    pub tip: String,
    pub branch: Option<String>,
    /// The most important and the stalest first.
    pub questions: Vec<Asked>,
    pub since: Option<Since>,
    /// Answers of other sessions that this one shall derive again.
    pub second: Vec<SecondAsked>,
    /// The last two sessions, newest first.
    pub latest: Vec<SessionInBrief>,
    /// Where the last two sessions of this agent stopped, those in HEAD's own past first; of anybody, where the
    /// environment names no agent.
    pub states: Vec<StateReport>,
    /// The agent that is meant.
    pub agent: Option<String>,
    /// The open questions that pull most, the best first.
    pub tensions: Vec<TensionRow>,
    pub warnings: Vec<String>,
    pub unknown: Vec<String>,
    /// The place that was looked at, as in `main at 15cd9173c8`.
    #[serde(skip)]
    pub place: String,
    #[serde(skip)]
    pub now: Timestamp,
}

impl Project {
    /// What a session begins with.
    pub fn brief(&self, reader: Reader) -> Result<Brief, Error> {
        let store = self.questions()?;
        let (set, now) = (&store.set, reader.now);
        let Snapshot { survey, events, .. } = self.snapshot(&Measure::default())?;
        let has_entry = |id: &str| self.has_entry(id);
        let agent = reader.agent.as_deref();
        let cites = Cites::new(&self.repo, self.tip, &has_entry);
        let states = last_states(self, &events, &cites, agent, STATES_SHOWN);
        let settings = &set.settings.tension;
        let tensions = Ledger::of(&events).replay(now, settings);
        let tensions = ranked(&tensions).into_iter().take(TENSIONS_SHOWN);
        Ok(Brief {
            tip: self.tip.to_string(),
            branch: self.head.branch.clone(),
            questions: asked(self, set, &survey, now)?,
            since: self.since(&survey)?,
            second: self.second_looks(&survey.second, set, reader.sid.as_deref()),
            latest: survey.latest.clone(),
            states,
            tensions: tensions
                .map(|tension| TensionRow::new(tension, settings))
                .collect(),
            warnings: store
                .warning()
                .into_iter()
                .chain(survey.unanswered_news())
                .chain(survey.drifts.iter().map(|drift| {
                    let name = &drift.question;
                    format!("{name} blocks: its answer changed, see `git sq triage {name}`")
                }))
                .collect(),
            unknown: survey.unknown.clone(),
            place: self.place(),
            agent: reader.agent,
            now,
        })
    }
}
