//! Signs of sham tensions: too many in one session, or opened and closed in one session without a citation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    entry::{Citation, Person, Ts},
    session::Ledger,
};

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TensionConduct {
    pub sid: String,
    pub by: Option<Person>,
    /// Number of tensions that it opened.
    pub opened: usize,
    /// Number of tensions that it opened and closed without a citation on either line.
    pub unfounded: usize,
}

/// The sessions with suspicious tensions that were opened `since` then, by name, then by clone.
pub fn tension_conduct(
    ledger: &Ledger,
    per_session: u32,
    since: Option<Ts>,
) -> Vec<TensionConduct> {
    let mut sessions: BTreeMap<(&str, Option<&str>), TensionConduct> = BTreeMap::new();
    let recent = ledger.openings.iter().filter(|opening| Some(opening.ts) >= since);
    for opening in recent {
        let identity = (opening.source.sid.as_str(), opening.source.writer.as_deref());
        let session = sessions.entry(identity).or_insert_with(|| TensionConduct {
            sid: opening.source.sid.clone(),
            by: opening.source.by.clone(),
            ..TensionConduct::default()
        });
        session.opened += 1;
        let unfounded = ledger.closings.get(&opening.id).is_some_and(|closing| {
            let closed_by = (closing.source.sid.as_str(), closing.source.writer.as_deref());
            // A tension can't be the citation for itself.
            let mut cited = opening.body.cite.iter().chain(&closing.body.cite);
            let is_itself =
                |cite: &Citation| matches!(cite, Citation::Entry { entry } if *entry == opening.id);
            closed_by == identity && cited.all(is_itself)
        });
        session.unfounded += usize::from(unfounded);
    }
    let per_session = usize::try_from(per_session).unwrap_or(usize::MAX);
    let sessions = sessions.into_values();
    sessions.filter(|session| session.opened > per_session || session.unfounded > 0).collect()
}
