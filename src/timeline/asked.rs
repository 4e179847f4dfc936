//! The question versions that a session was asked, by the question stores that its entries name.

use std::collections::{HashMap, HashSet};

use super::{AskedBy, Lineage, Session, Timeline};
use crate::{
    git::Oid,
    question::{Question, QuestionSet},
    store::Row,
};

/// The number of a store without questions.
const NOTHING: u32 = u32::MAX;

#[derive(Debug, Default)]
pub(super) struct Asked {
    questions: QuestionSet,
    active: HashMap<String, u32>,
}

fn asks(asked: &Asked, question: &Question) -> bool {
    asked.active.get(&question.id) == Some(&question.version)
}

impl Timeline {
    /// Returns true if a store by which the session is judged had the question version active. An entry without one, or with
    /// an unreadable one, counts as asked everything; an unsigned entry as asked nothing.
    pub fn was_asked(&self, session: &Session, question: &Question) -> bool {
        let is_nobody = session.is_foreign && !self.row(session.first).is_imported();
        let mut stores = self.asked_of(session);
        !is_nobody && stores.any(|store| store.is_none_or(|asked| asks(asked, question)))
    }

    /// Returns true if the store by which an entry is judged is known, and had the question version active.
    pub(super) fn is_known_to_be_asked(&self, entry: u32, question: &Question) -> bool {
        let asked = self.asked.get(&self.entries[entry as usize].store);
        asked.is_some_and(|asked| asks(asked, question))
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
        // What an entry names is what it answered, by whatever it is judged.
        let mut named = HashSet::new();
        let mut others: HashMap<Oid, u32> = HashMap::new();
        for entry in &mut self.entries {
            let row = &events.rows()[entry.row as usize];
            if row.store == 0 {
                continue;
            }
            named.insert(row.store);
            entry.store = match lineage.asked(row) {
                AskedBy::Named => row.store,
                AskedBy::Other(store) => {
                    let next = NOTHING - 1 - u32::try_from(others.len()).unwrap_or(0);
                    *others.entry(store).or_insert(next)
                }
                AskedBy::Nothing => NOTHING,
                AskedBy::Unknown => 0,
            };
        }
        let named =
            named.into_iter().filter_map(|name| Some((events.store(name).parse().ok()?, name)));
        for (store, number) in named.chain(others) {
            self.asked.extend(lineage.store(store).map(|questions| {
                let active = questions.active();
                let active = active.map(|question| (question.id.clone(), question.version));
                (number, Asked { active: active.collect(), questions })
            }));
        }
        self.asked.insert(NOTHING, Asked::default());
    }
}
