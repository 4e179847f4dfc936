//! The entries that rules or readers name, which a person can accept.

use super::Survey;
use crate::entry::is_entry_id;

/// The ids of the flagged entries, each once.
pub fn flagged_entries(survey: &Survey) -> Vec<String> {
    let named = survey.named.iter().filter(|one| !one.is_of_question);
    let named = named.map(|one| &one.entry);
    let wrong = survey.second.wrong.iter().map(|one| &one.entry);
    let mut entries: Vec<String> = Vec::new();
    for entry in named.chain(wrong).filter(|id| is_entry_id(id)) {
        if !entries.contains(entry) {
            entries.push(entry.clone());
        }
    }
    entries
}
