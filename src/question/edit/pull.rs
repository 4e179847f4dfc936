//! Takes questions over from another store, by id and version, each with a note of where it came from.

use jsonc_parser::common::Ranged as _;
use serde_json::json;

use super::StoreEdit;
use crate::question::{Status, StoreSchema};

/// The key that names the source of a question.
const FROM: &str = "x-from";

/// The questions that are newer in another store.
#[derive(Debug, Default)]
pub struct Pulled {
    pub added: Vec<String>,
    /// Why questions were left alone.
    pub clashes: Vec<String>,
}

impl StoreEdit<'_> {
    /// Adds the active questions of another store that are newer there. Questions that nobody asks here any more stay so.
    pub fn pull(&mut self, source: &StoreEdit, from: &str) -> Pulled {
        let mut pulled = Pulled::default();
        let (set, theirs) = (self.set, source.set.questions.iter().enumerate());
        for (place, new) in theirs.filter(|(_, new)| new.status == Status::Active) {
            let name = new.name();
            let same = set.find(&new.id, new.version);
            if same.is_some_and(|same| same.text != new.text) {
                let clash = format!("{name} has another text here; reword one of them");
                pulled.clashes.push(clash);
                continue;
            }
            let newest = set
                .questions
                .iter()
                .enumerate()
                .filter(|(_, own)| own.id == new.id)
                .max_by_key(|(_, own)| own.version);
            match newest {
                Some((_, own)) if own.version >= new.version || !own.status.is_asked() => continue,
                Some((own, _)) => {
                    let id = &new.id;
                    let clash = match self.source(own) {
                        Some(source) if source == from => None,
                        Some(source) => Some(format!(
                            "{id} here came from {source}; pull it from there, or change its {FROM}"
                        )),
                        None => Some(format!("{id} here was not pulled; give yours another id")),
                    };
                    if let Some(clash) = clash {
                        pulled.clashes.push(format!("{name}: {clash}"));
                        continue;
                    }
                }
                None => {}
            }
            self.copy(source, place, from);
            pulled.added.push(name.to_string());
        }
        if !pulled.added.is_empty() && source.set.schema == StoreSchema::V2 {
            self.need_v2();
        }
        pulled
    }

    /// The sources that questions came from, each once.
    pub fn sources(&self) -> Vec<String> {
        let found = (0..self.questions.len()).filter_map(|place| self.source(place));
        let mut found: Vec<String> = found.collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn source(&self, place: usize) -> Option<String> {
        Some(self.questions[place].get_string(FROM)?.value.to_string())
    }

    fn copy(&mut self, source: &StoreEdit, place: usize, from: &str) {
        let members = source.questions[place].properties.iter().map(|member| {
            let value = member.value.text(source.text);
            (member.name.as_str(), value.to_owned())
        });
        let mut members: Vec<_> = members.filter(|(key, _)| *key != FROM).collect();
        members.push((FROM, json!(from).to_string()));
        let id = &source.set.questions[place].id;
        let mut ours = self.set.questions.iter();
        let old = ours.position(|own| own.id == *id && own.status == Status::Active);
        if let Some(old) = old {
            self.set_member(old, "status", Status::Deprecated);
        }
        self.put(old, &members);
    }
}
