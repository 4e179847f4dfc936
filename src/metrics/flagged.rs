//! The flagged entries, which a person can accept.

use super::Survey;

/// Without duplicates.
pub fn flagged_entries(survey: &Survey) -> Vec<String> {
    let flagged = survey.flagged.iter().map(|one| &one.entry);
    let alike = survey.never_differs.iter().map(|one| &one.entry);
    let wrong = survey.second.wrong.iter().map(|one| &one.entry);
    let mut entries: Vec<String> = Vec::new();
    for entry in flagged.chain(alike).chain(wrong) {
        if !entries.contains(entry) {
            entries.push(entry.clone());
        }
    }
    entries
}
