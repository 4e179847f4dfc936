//! The question versions that a session was asked, by the question stores that its entries name.

use std::collections::{HashMap, HashSet};

use super::{Lineage, Session, Timeline};
use crate::{
    question::{Question, QuestionSet},
    store::Row,
};

/// After this number of missing stores, the search stops; their sessions, and those of the stores not looked up, count
/// as asked everything.
const MISSING: usize = 100;

#[derive(Debug)]
pub(super) struct Asked {
    questions: QuestionSet,
    active: HashMap<String, u32>,
}

fn asks(asked: &Asked, question: &Question) -> bool {
    asked.active.get(&question.id) == Some(&question.version)
}

impl Timeline {
    /// Returns true if a store that the session answered had the question version active. An entry that names no store,
    /// or an unreadable one, counts as asked everything; an unsigned entry as asked nothing.
    pub fn was_asked(&self, session: &Session, question: &Question) -> bool {
        let is_nobody = session.is_foreign && !self.row(session.first).is_imported();
        let mut stores = self.asked_of(session);
        !is_nobody && stores.any(|store| store.is_none_or(|asked| asks(asked, question)))
    }

    /// Returns true if an entry names a question store, and the store by which it is judged, if known, had the question
    /// version active.
    pub(super) fn is_known_to_be_asked(&self, entry: u32, question: &Question) -> bool {
        let (named, believed) = (self.row(entry).store, self.entries[entry as usize].store);
        let asked = self.asked.get(&believed);
        named != 0 && (believed == 0 || asked.is_some_and(|asked| asks(asked, question)))
    }

    /// The question stores by which a session is judged, if they can be read.
    pub fn stores_of(&self, session: &Session) -> impl Iterator<Item = &QuestionSet> {
        self.asked_of(session).flatten().map(|asked| &asked.questions)
    }

    /// The question store that an entry names, if it can be read.
    pub fn store_of(&self, row: &Row) -> Option<&QuestionSet> {
        let asked = self.asked.get(&row.store).filter(|_| row.store != 0);
        asked.map(|asked| &asked.questions)
    }

    /// The question store that an entry names, if that is the one by which it is judged.
    pub fn believed_store(&self, entry: u32) -> Option<&QuestionSet> {
        let row = self.row(entry);
        self.store_of(row).filter(|_| self.entries[entry as usize].store == row.store)
    }

    fn asked_of(&self, session: &Session) -> impl Iterator<Item = Option<&Asked>> {
        self.entries_of(session).map(|entry| self.asked.get(&self.entries[entry as usize].store))
    }

    pub(super) fn read_stores(&mut self, lineage: &mut dyn Lineage) {
        let events = self.events.clone();
        let (mut seen, mut missing) = (HashSet::new(), 0);
        // Stores that asked without an entry that names them.
        let mut unnamed: HashMap<String, u32> = HashMap::new();
        // The newest matter most.
        for entry in self.entries.iter_mut().rev() {
            let row = &events.rows()[entry.row as usize];
            let asked = (row.store != 0).then(|| lineage.asked(row)).flatten();
            let Some(asked) = asked else {
                continue;
            };
            let store = if asked == events.store(row.store) {
                row.store
            } else {
                let next = u32::MAX - u32::try_from(unnamed.len()).unwrap_or(0);
                *unnamed.entry(asked.clone()).or_insert(next)
            };
            entry.store = store;
            // What it names is what it answered, by whatever it is judged.
            for (number, blob) in [(store, &*asked), (row.store, events.store(row.store))] {
                if !seen.insert(number) || missing == MISSING {
                    continue;
                }
                if let Some(questions) = lineage.store(blob) {
                    let active = questions.active();
                    let active = active.map(|question| (question.id.clone(), question.version));
                    let active = active.collect();
                    self.asked.insert(number, Asked { questions, active });
                } else {
                    missing += 1;
                }
            }
        }
    }
}
