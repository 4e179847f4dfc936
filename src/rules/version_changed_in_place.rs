use super::{Facts, Found, error};
use crate::{entry::short_sid, question::undo_edit};

pub fn check(facts: &Facts) -> Vec<Found> {
    let changed = |message, name: &str| error(message, undo_edit(name, facts.schema)).about(name);
    let found = facts.survey.changed_in_place.iter().map(|(name, sid)| {
        let sid = short_sid(sid);
        changed(format!("{name} was changed in place since session {sid} answered it"), name)
    });
    let proposed = facts
        .proposed
        .loosened
        .iter()
        .filter(|(laxer, _)| laxer.is_in_place)
        .map(|(laxer, _)| changed(format!("{} {}", laxer.about, laxer.what), &laxer.about));
    found.chain(proposed).collect()
}
