use super::{Facts, Found, error};
use crate::entry::short_sid;

pub fn judge(facts: &Facts) -> Vec<Found> {
    let survey = &facts.survey;
    // An empty log has one finding, not one per question.
    survey
        .staleness
        .iter()
        .filter(|row| row.flagged && survey.sessions > 0)
        .map(|row| {
            let since = match &row.last_sid {
                Some(sid) => format!(
                    "{} was last answered {} sessions ago, in {}",
                    row.q_id,
                    row.staleness,
                    short_sid(sid)
                ),
                None => format!("{} was never answered in {} sessions", row.q_id, row.staleness),
            };
            error(
                format!("{since} (limit {})", row.limit),
                "record an answer at the tip, or retire the question",
            )
            .about(&row.q_id)
        })
        .collect()
}
