use super::{Facts, Found, error};
use crate::entry::short_sid;

const HELP: &str = "put the old text back and add a new version";

pub fn judge(facts: &Facts) -> Vec<Found> {
    let found = facts.survey.changed_in_place.iter().map(|(name, sid)| {
        let sid = short_sid(sid);
        let message = format!("{name} was changed in place since session {sid} answered it");
        error(message, HELP).about(name)
    });
    let proposed =
        facts.proposed.loosened.iter().filter(|(laxer, _)| laxer.is_in_place).map(|(laxer, _)| {
            error(format!("{} {}", laxer.about, laxer.what), HELP).about(&laxer.about)
        });
    found.chain(proposed).collect()
}
