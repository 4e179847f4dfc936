//! What a name means to `git sq show`, and the lines of the whole log, whatever HEAD contains.

use std::collections::HashSet;

use super::{Error, Project};
use crate::{
    entry::is_entry_id,
    git::Oid,
    question::QuestionRef,
    session::whole_name,
    store::{Events, Reading, Row},
    timeline::Timeline,
};

/// The fewest digits that name a commit that is gone.
const SHORTEST: usize = 7;

/// What was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Question(QuestionRef),
    /// The id of an entry.
    Entry(String),
    /// The whole name of a session.
    Session(String),
    /// A commit, also one that only the log still knows.
    Commit(Oid),
}

impl Project {
    /// Whether the question store or the log has a question.
    pub fn knows(&self, question: &QuestionRef) -> Result<bool, Error> {
        let store = self.questions_if_any();
        let is_asked = store.is_some_and(|store| store.set.resolve(question).is_some());
        let is_named = |id: &str, version| question.names(id, version);
        Ok(is_asked || self.events()?.has_answers_to(is_named))
    }

    /// What a name means: a question, an entry, a session or a commit, the first of these that there is.
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
        let session = whole_name(&self.repo, name, Some(&events)).ok();
        let has_lines = |sid: &String| events.rows().iter().any(|row| events.sid(row) == sid);
        if let Some(sid) = session.filter(has_lines) {
            return Ok(Some(Found::Session(sid)));
        }
        let commit = self.repo.commit(name).ok();
        let gone = || {
            let anchors = anchors(&events).filter(|id| id.to_string().starts_with(name));
            let mut anchors = anchors.collect::<Vec<_>>().into_iter();
            let only = anchors.next().filter(|_| name.len() >= SHORTEST);
            only.filter(|_| anchors.next().is_none())
        };
        Ok(commit.or_else(gone).map(Found::Commit))
    }

    /// The entries of what was found, newest first. Answers to a question are those of the tip's history or, where that
    /// has none, of the whole log; without a name, the latest entry.
    pub fn entries_of(&self, found: Option<&Found>, timeline: &Timeline) -> Vec<Row> {
        let events = &timeline.events;
        let rows = match found {
            None => timeline.newest_first().take(1).collect(),
            Some(Found::Question(question)) => timeline
                .newest_first()
                .filter(|row| answers(events, row, question))
                .collect(),
            Some(_) => Vec::new(),
        };
        let anywhere = || match found {
            None => rows_anywhere(events, |_| true)
                .into_iter()
                .take(1)
                .collect(),
            Some(Found::Question(question)) => {
                rows_anywhere(events, |row| answers(events, row, question))
            }
            Some(Found::Entry(id)) => rows_anywhere(events, |row| events.id(row) == id),
            Some(Found::Session(sid)) => rows_anywhere(events, |row| events.sid(row) == sid),
            Some(Found::Commit(commit)) => {
                rows_anywhere(events, |row| events.anchor(row.anchor) == *commit)
            }
        };
        let rows: Vec<&Row> = if rows.is_empty() { anywhere() } else { rows };
        rows.into_iter().copied().collect()
    }

    /// Whether what was found is a commit with lines that can't be read.
    pub fn has_unreadable(&self, found: Option<&Found>, events: &Events) -> bool {
        let Some(Found::Commit(commit)) = found else {
            return false;
        };
        let mut rows = events.rows().iter();
        rows.any(|row| !is_entry(row) && events.anchor(row.anchor) == *commit)
    }

    /// The commits with entries that revisions such as `main..topic` name.
    pub fn anchors_in(&self, events: &Events, revisions: &[String]) -> Result<HashSet<Oid>, Error> {
        let (tips, hidden) = self.repo.revisions(revisions)?;
        let all: Vec<Oid> = anchors(events).collect();
        let contained = |tips: Vec<Oid>| -> HashSet<Oid> {
            let found = tips.into_iter().map(|tip| self.repo.contained(tip, &all));
            found.flatten().collect()
        };
        let hidden = contained(hidden);
        let mut found = contained(tips);
        found.retain(|anchor| !hidden.contains(anchor));
        Ok(found)
    }
}

/// The lines that can be read and are wanted, newest first, each once: on the commit that it names, where it stands
/// there.
pub fn rows_anywhere(events: &Events, is_wanted: impl Fn(&Row) -> bool) -> Vec<&Row> {
    let rows = events.rows().iter();
    let rows = rows.filter(|row| is_entry(row) && is_wanted(row));
    let mut rows: Vec<&Row> = rows.collect();
    // Copies of a line stand side by side, because the digest is a part of the order.
    rows.dedup_by(|row, kept| {
        let is_copy = row.millis == kept.millis && row.digest == kept.digest;
        if is_copy && events.is_at_head(row) {
            *kept = *row;
        }
        is_copy
    });
    rows.reverse();
    rows
}

fn anchors(events: &Events) -> impl Iterator<Item = Oid> {
    let count = u32::try_from(events.anchor_count()).unwrap_or(u32::MAX);
    (0..count).map(|anchor| events.anchor(anchor))
}

fn answers(events: &Events, row: &Row, question: &QuestionRef) -> bool {
    let mut answers = events.answers(row).iter();
    answers.any(|answer| {
        let (id, version) = events.question(answer.question);
        question.names(id, version)
    })
}

/// Whether a row can be shown as an entry.
fn is_entry(row: &Row) -> bool {
    !matches!(row.reading, Reading::Unreadable | Reading::Text)
}
