use super::{Facts, Found, error};
use crate::entry::short_sid;

pub fn judge(facts: &Facts) -> Vec<Found> {
    let survey = &facts.survey;
    // An empty log has one finding, not one per question.
    survey
        .staleness
        .iter()
        .filter(|one| one.flagged && survey.sessions > 0)
        .map(|one| {
            let since = match &one.last_sid {
                Some(sid) => format!(
                    "{} was last answered {} sessions ago, in {}",
                    one.q_id,
                    one.staleness,
                    short_sid(sid)
                ),
                None => format!("{} was never answered in {} sessions", one.q_id, one.staleness),
            };
            error(
                format!("{since} (limit {})", one.limit),
                "record an answer at the tip, or retire the question",
            )
            .about(&one.q_id)
        })
        .collect()
}
