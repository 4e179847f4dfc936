//! Looks: each is what one session recorded at one commit. Rules judge looks.

use std::{
    collections::{HashMap, HashSet},
    mem,
};

use jiff::Timestamp;

use super::{Lineage, SessionAnswer, Timeline};
use crate::{
    entry::Kind,
    question::{Question, Trigger},
    store::{Events, Row},
};

type Known<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// In milliseconds: after this time without an entry, a session is over, and later entries under its name make another
/// look.
const SILENCE: i64 = 2 * 60 * 60 * 1000;

#[derive(Debug, Clone, Default)]
pub struct Look {
    pub session: usize,
    /// Separates entries before the end or a long silence of a session from later ones under its name.
    pub stretch: usize,
    pub anchor: u32,
    pub last: u32,
    /// Answers to questions of the store, each with the question's index there.
    pub answers: Vec<(usize, SessionAnswer)>,
    /// Answers that later ones of the look replaced, each with the one that did.
    pub replaced: Vec<(usize, SessionAnswer, SessionAnswer)>,
    /// Answers to versions that the store lacks, each with the index of a question of that id: a proposal may reword what its
    /// base asks.
    reworded: Vec<(usize, SessionAnswer)>,
    /// The indices of questions that the session was asked and left out while it answered others; empty except in the
    /// last look of a stretch.
    pub left_out: Vec<usize>,
    /// The position of the first commit on the line of first parents that contains the look.
    pub merged: u32,
}

impl Timeline {
    /// The looks of signed sessions, in the order of their last entries. Imported and unsigned entries make none.
    pub(super) fn find_looks(&self, lineage: &mut dyn Lineage) -> Vec<Look> {
        let stretches = self.stretches();
        let places = self.places();
        let is_judged = |question: usize| self.questions.questions[question].says_dependencies();
        let mut looks: Vec<Look> = Vec::with_capacity(self.sessions.len());
        let mut known: Known<(u32, u32, (bool, u32)), usize> = Known::default();
        known.reserve(self.sessions.len());
        for (place, session) in self.sessions.iter().enumerate() {
            if session.is_foreign || self.row(session.first).is_imported() {
                continue;
            }
            for entry in self.entries_of(session) {
                let row = self.row(entry);
                // Looks that were carried to one commit stay apart.
                let (anchor, head) = (row.anchor, self.events.head_number(row));
                let stretch = stretches[self.entries[entry as usize].row as usize];
                let look = *known.entry((stretch, anchor, head)).or_insert_with(|| {
                    looks.push(Look {
                        session: place,
                        stretch: stretch as usize,
                        anchor,
                        last: entry,
                        answers: Vec::with_capacity(self.events.answers(row).len()),
                        merged: lineage.reached(anchor).map_or(0, |(_, merged)| merged),
                        ..Look::default()
                    });
                    looks.len() - 1
                });
                let look = &mut looks[look];
                look.last = entry;
                for (number, given) in (0..).zip(self.events.answers(self.row(entry))) {
                    if self.is_fact(given.question) {
                        continue;
                    }
                    let answer = SessionAnswer { entry, place: number };
                    let Some(question) = places[given.question as usize] else {
                        let (id, _) = self.events.question(given.question);
                        let questions = self.questions.questions.iter();
                        let versions = questions.enumerate().filter(|(_, one)| one.id == id);
                        look.reworded.extend(versions.map(|(place, _)| (place, answer)));
                        continue;
                    };
                    let known = look.answers.iter().position(|(known, _)| *known == question);
                    match known {
                        // Without evidence, an answer to what depends on files replaces none of the look.
                        Some(_) if !given.delta && !given.cited && is_judged(question) => {}
                        Some(known) => {
                            let before = mem::replace(&mut look.answers[known].1, answer);
                            look.replaced.push((question, before, answer));
                        }
                        None => look.answers.push((question, answer)),
                    }
                }
            }
        }
        looks.sort_by_key(|look| look.last);
        let mut seen = HashSet::new();
        for number in (0..looks.len()).rev() {
            if seen.insert(looks[number].stretch) {
                looks[number].left_out = self.left_out(&looks[number]);
            }
        }
        looks
    }

    /// The corrections, oldest first, each with the id of the entry that it disputes. Unsigned and imported entries
    /// have none.
    pub fn corrections(&self) -> Vec<(SessionAnswer, &str)> {
        let mut found = Vec::new();
        for session in self.sessions.iter().filter(|session| !session.is_foreign) {
            for entry in self.entries_of(session) {
                let row = self.row(entry);
                let answers = (0..).zip(self.events.answers(row));
                found.extend(answers.filter_map(|(place, answer)| {
                    let disputed = self.events.corrects(answer)?;
                    Some((SessionAnswer { entry, place }, disputed))
                }));
            }
        }
        found.sort_unstable();
        found
    }

    /// Returns true if a session corrected an answer, or looked at one again.
    pub fn has_doubts(&self) -> bool {
        self.events.rows().iter().any(|row| row.is(Kind::Second)) || !self.corrections().is_empty()
    }

    /// The signed entries by id; of several with one id the first.
    pub fn entries_by_id(&self) -> HashMap<&str, u32> {
        let mut entries: Vec<u32> = self
            .sessions
            .iter()
            .filter(|session| !session.is_foreign)
            .flat_map(|session| self.entries_of(session))
            .collect();
        entries.sort_unstable_by(|one, two| two.cmp(one));
        entries.into_iter().map(|entry| (self.events.id(self.row(entry)), entry)).collect()
    }

    /// The last answer of an entry to a question version, by its number.
    pub fn answer_in(&self, entry: u32, question: u32) -> Option<SessionAnswer> {
        let (place, _) = self.events.answer_to(self.row(entry), question)?;
        Some(SessionAnswer { entry, place })
    }

    /// The index in the store of each answered question version.
    fn places(&self) -> Vec<Option<usize>> {
        let questions = &self.questions.questions;
        let places = self.events.questions().map(|(id, version)| {
            questions.iter().position(|one| one.id == id && one.version == version)
        });
        places.collect()
    }

    /// The active questions, except those due by time or answered by the tool, that a look was asked and left out while it answered others. An
    /// answer to any version counts: a branch may have other versions than its base. A session that only corrects, or runs commands,
    /// leaves nothing out.
    fn left_out(&self, look: &Look) -> Vec<usize> {
        let given = || look.answers.iter().chain(&look.reworded);
        let questions = &self.questions.questions;
        // What the tool answers is no answer of the session; the store, and not the line, says what the tool may answer.
        let is_own = |(place, answer): &(usize, SessionAnswer)| {
            let answer = self.answer(*answer);
            let is_probed = answer.probed && questions[*place].probe.is_some();
            !is_probed && self.events.corrects(&answer).is_none()
        };
        if !given().any(is_own) {
            return Vec::new();
        }
        let is_left_out = |place: &usize| {
            let question: &Question = &questions[*place];
            !look.answers.iter().any(|(one, _)| one == place)
                && matches!(question.trigger, Trigger::EverySession | Trigger::OnChange)
                && !given().any(|(one, _)| questions[*one].id == question.id)
                && self.is_known_to_be_asked(look.last, question)
        };
        let active = questions.iter().enumerate();
        let active = active.filter(|(_, one)| {
            one.status == crate::question::Status::Active && one.probe.is_none()
        });
        active.map(|(place, _)| place).filter(is_left_out).collect()
    }

    fn stretches(&self) -> Vec<u32> {
        let rows = self.events.rows();
        let mut next = 0..;
        let mut open: Known<u32, (u32, i64)> = Known::default();
        let stretches = rows.iter().map(|row| {
            let known = open.get(&row.session).copied();
            let known = known.filter(|(_, last)| row.millis.saturating_sub(*last) <= SILENCE);
            let stretch = known.map(|(stretch, _)| stretch);
            let stretch = stretch.unwrap_or_else(|| next.next().unwrap_or(u32::MAX));
            open.insert(row.session, (stretch, row.millis));
            if row.is(Kind::Session) {
                open.remove(&row.session);
            }
            stretch
        });
        stretches.collect()
    }
}

/// Returns true if what the session of a row records now is of the same stretch.
pub fn goes_on(events: &Events, row: &Row, now: Timestamp) -> bool {
    let later = events.rows().iter().skip_while(|one| events.id(one) != events.id(row));
    let mut last = row.millis;
    for one in later.filter(|one| one.session == row.session) {
        if one.is(Kind::Session) || one.millis.saturating_sub(last) > SILENCE {
            return false;
        }
        last = one.millis;
    }
    now.as_millisecond().saturating_sub(last) <= SILENCE
}
