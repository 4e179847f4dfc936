//! Resolves the names that `git sq show` takes, and reads lines of the whole log, inside and outside of HEAD.

use std::collections::HashSet;

use super::{Error, Project, rows::Range};
use crate::{
    entry::{Kind, SecondLook, is_entry_id},
    git::Oid,
    question::QuestionRef,
    session::{self, whole_name},
    store::{Events, Row},
    timeline::Timeline,
};

/// Digits that the name of a lost commit has at least.
const SHORTEST: usize = 7;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Question(QuestionRef),
    Entry(String),
    Session(String),
    Commit(Oid),
}

impl Project {
    pub fn knows(&self, question: &QuestionRef) -> Result<bool, Error> {
        let store = self.questions_if_any();
        let is_asked = store.is_some_and(|store| store.set.resolve(question).is_some());
        let events = self.events()?;
        let is_answered = || events.rows().iter().any(|row| answers(&events, row, question));
        Ok(is_asked || is_answered())
    }

    /// Tries a question, an entry, a session and a commit, in this order.
    pub fn find(&self, name: &str) -> Result<Option<Found>, Error> {
        if let Ok(question) = name.parse()
            && self.knows(&question)?
        {
            return Ok(Some(Found::Question(question)));
        }
        let events = self.events()?;
        if is_entry_id(name) && events.has_id(name) {
            return Ok(Some(Found::Entry(name.to_owned())));
        }
        let has_lines = |sid: &String| events.rows().iter().any(|row| events.sid(row) == sid);
        if let Some(sid) = whole_name(&self.repo, name, Some(&events)).ok().filter(has_lines) {
            return Ok(Some(Found::Session(sid)));
        }
        // A commit that is gone may still carry entries.
        let gone = || {
            let named = events.anchors().filter(|id| id.to_string().starts_with(name));
            match named.collect::<Vec<_>>()[..] {
                [only] if name.len() >= SHORTEST => Some(only),
                _ => None,
            }
        };
        Ok(self.repo.commit(name).ok().or_else(gone).map(Found::Commit))
    }

    /// The entries, newest first; without a name, the latest one of the tip's history or, if it has none, of the whole log.
    /// With an answer come the second looks at it.
    pub fn entries_of(&self, found: Option<&Found>, timeline: &Timeline) -> Vec<Row> {
        let events = &timeline.events;
        let looks = session::events::<SecondLook>(events).into_iter().filter(|look| match found {
            Some(Found::Question(asked)) => asked.names(&look.body.q_id, look.body.q_version),
            Some(Found::Entry(id)) => look.body.entry == *id,
            _ => false,
        });
        let looks: HashSet<_> = looks.map(|look| look.row.digest).collect();
        let is_look = |row: &Row| row.is(Kind::Second) && looks.contains(&row.digest);
        let is_meant = |row: &Row| match found {
            None => true,
            Some(Found::Question(question)) => answers(events, row, question) || is_look(row),
            Some(Found::Entry(id)) => events.id(row) == id || is_look(row),
            Some(Found::Session(sid)) => events.sid(row) == sid,
            Some(Found::Commit(commit)) => events.anchor(row.anchor) == *commit,
        };
        let mut rows = match found {
            None => self.rows(Range::Tip(timeline), |row| row.is(Kind::Rederive)),
            Some(_) => Vec::new(),
        };
        if rows.is_empty() {
            rows = self.rows(Range::All(events), is_meant);
        }
        if found.is_none() {
            rows.truncate(1);
        }
        rows
    }

    pub fn anchors_in(&self, events: &Events, revisions: &[String]) -> Result<HashSet<Oid>, Error> {
        let (tips, hidden) = self.repo.revisions(revisions)?;
        let all: Vec<Oid> = events.anchors().collect();
        let contained = |tips: Vec<Oid>| -> HashSet<Oid> {
            tips.into_iter().flat_map(|tip| self.repo.contained(tip, &all)).collect()
        };
        let hidden = contained(hidden);
        let mut found = contained(tips);
        found.retain(|anchor| !hidden.contains(anchor));
        Ok(found)
    }
}

fn answers(events: &Events, row: &Row, question: &QuestionRef) -> bool {
    events.answered(row).any(|(id, version, _)| question.names(id, version))
}
