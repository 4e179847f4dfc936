//! One short comment for the reviewers of a proposal.

use super::{
    Ci, FactsDocument, Gated as _, count, escape, fence,
    gate::{RemarkKind, fixed_by, shown},
    joined,
};
use crate::{
    entry::clip,
    finding::{Rule, Severity},
    metrics::AtTip,
    project::Review,
};

/// Lines that are shown, and characters of an answer.
const SHOWN: usize = 20;
const LINE: usize = 200;

/// What fails or can't be told comes first. Text of the log is fenced; `patch` mends what broke. The facts are shown
/// apart from the report.
pub fn review_markdown(
    review: &Review,
    report: &Ci,
    facts: Option<&FactsDocument>,
    patch: &str,
) -> String {
    let agents = match review.by_agents {
        0 => String::new(),
        agents => format!(", {agents} of them by agents"),
    };
    let (commits, sessions) = (count(review.commits, "commit"), count(review.sessions, "session"));
    let gate = report.gate();
    let verdict = gate.verdict.replace('\n', "; ");
    let head =
        format!("### Standing questions\n\n{commits}{agents}; {sessions} answered; {verdict}.\n");
    let told = gate.remarks.iter().filter_map(|remark| {
        let label = match remark.kind {
            RemarkKind::Error => "error",
            RemarkKind::Unknown => "unknown",
            // What the branch does to what it is measured by.
            RemarkKind::Warning if remark.rule == Rule::Loosened.name() => "warning",
            RemarkKind::Warning => return None,
        };
        let parts = [remark.message.as_str(), &remark.help].into_iter();
        Some(format!("{label}: {}", joined(parts.filter(|part| !part.is_empty()), "; ")))
    });
    let unpublished = report.unpublished.iter().map(|why| format!("not published: {why}"));
    let changed = review.changed.iter().map(|answer| {
        let cites = match answer.cites.as_slice() {
            [] => String::new(),
            cites => format!(" ({})", cites.join(", ")),
        };
        clip(&escape(&format!("{} changed: {}{cites}", answer.question, answer.note)), LINE)
    });
    let is_told = |at_tip: &AtTip| {
        report.check.findings.iter().any(|finding| {
            finding.severity == Severity::Error
                && finding.about.as_ref() == Some(&at_tip.question)
                && finding.rule.is_of(at_tip.standing)
        })
    };
    let worse = review.worse.iter().filter(|at_tip| !is_told(at_tip)).map(|at_tip| {
        let why = at_tip.changed.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        clip(&escape(&format!("{} {}{why}", at_tip.question, at_tip.standing.said())), LINE)
    });
    let mut lines: Vec<String> = told.chain(unpublished).chain(changed).chain(worse).collect();
    let more = lines.len().saturating_sub(SHOWN);
    if more > 0 {
        lines.truncate(SHOWN);
        lines.push(format!("and {more} more: git sq check, git sq log --deltas"));
    }
    let facts = facts.map_or_else(String::new, |facts| format!("\n{}", shown(facts)));
    let facts = facts + &fixed_by(patch);
    match lines.as_slice() {
        [] if facts.is_empty() && gate.remarks.is_empty() => head + "\nNothing to look at.\n",
        [] => head + &facts,
        lines => format!("{head}\n{}{facts}", fence(lines)),
    }
}
