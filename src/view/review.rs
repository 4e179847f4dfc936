//! One short comment for the reviewers of a proposal.

use super::{
    FactsDocument, count, escape, fence,
    gate::{fixed_by, shown},
};
use crate::{entry::clip, project::Review};

/// Lines that are shown, and characters of one.
const SHOWN: usize = 20;
const LINE: usize = 200;

/// Text of the log is fenced; `patch` mends what broke.
pub fn review_markdown(
    review: &Review,
    verdict: &str,
    facts: Option<&FactsDocument>,
    patch: &str,
) -> String {
    let agents = match review.by_agents {
        0 => String::new(),
        agents => format!(", {agents} of them by agents"),
    };
    let (commits, sessions) = (count(review.commits, "commit"), count(review.sessions, "session"));
    let head =
        format!("### Standing questions\n\n{commits}{agents}; {sessions} answered; {verdict}.\n");
    let changed = review.changed.iter().map(|answer| {
        let cites = match answer.cites.as_slice() {
            [] => String::new(),
            cites => format!(" ({})", cites.join(", ")),
        };
        format!("{} changed: {}{cites}", answer.question, answer.note)
    });
    let worse = review.worse.iter().map(|at_tip| {
        let why = at_tip.changed.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        format!("{} {}{why}", at_tip.question, at_tip.standing.said())
    });
    let mut lines: Vec<String> =
        changed.chain(worse).map(|line| clip(&escape(&line), LINE)).collect();
    let more = lines.len().saturating_sub(SHOWN);
    if more > 0 {
        lines.truncate(SHOWN);
        lines.push(format!("and {more} more: git sq log --deltas"));
    }
    let facts = facts.map_or_else(String::new, |facts| format!("\n{}", shown(facts)));
    let facts = facts + &fixed_by(patch);
    match lines.as_slice() {
        [] if facts.is_empty() => head + "\nNothing to look at.\n",
        [] => head + &facts,
        lines => format!("{head}\n{}{facts}", fence(lines)),
    }
}
