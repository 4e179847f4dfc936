use std::collections::HashSet;

use jiff::Timestamp;

use super::{Measure, Project};
use crate::{
    entry::short_sid,
    session::{Ledger, Tension},
    store::LocalState,
};

const SESSIONS: usize = 50;

impl Project {
    /// The ids of the questions with their texts; with `asked`, only of questions that take answers.
    pub fn question_names(&self, asked: bool) -> Vec<(String, String)> {
        let store = self.questions_if_any().into_iter();
        store
            .flat_map(|store| &store.set.questions)
            .filter(|question| !asked || question.status.is_asked())
            .map(|question| (question.id.clone(), question.text.clone()))
            .collect()
    }

    /// The running sessions of this repository, then those of the newest entries, abbreviated as in text output.
    pub fn session_names(&self) -> Vec<String> {
        let state = LocalState::read(&self.repo).unwrap_or_default();
        let mut names: Vec<String> =
            state.sessions.into_values().map(|session| session.sid).collect();
        if let Ok(snapshot) = self.snapshot(&Measure::default()) {
            let rows = snapshot.events.rows().iter().rev();
            names.extend(rows.map(|row| snapshot.events.sid(row).to_owned()));
        }
        let mut seen = HashSet::new();
        names
            .iter()
            .map(|sid| short_sid(sid).to_owned())
            .filter(|name| seen.insert(name.clone()))
            .take(SESSIONS)
            .collect()
    }

    pub fn tensions(&self, now: Timestamp) -> Vec<Tension> {
        let store = self.questions_if_any();
        let settings = store.map_or_else(Default::default, |store| store.set.settings.clone());
        let snapshot = self.snapshot(&Measure::default());
        snapshot.map_or_else(
            |_| Vec::new(),
            |snapshot| Ledger::of(&snapshot.events).replay(now, &settings.tension),
        )
    }
}
