//! What is wrong or unwise in a store that can be read.

use jiff::Timestamp;

use super::{Loosening, QuestionSet, Trigger, changed_in_place};

/// More active questions than this go stale: 28 were too many.
pub const MANY: usize = 15;

/// Finds broken rules; `committed` is the store before the change.
pub fn errors(set: &QuestionSet, committed: Option<&QuestionSet>, now: Timestamp) -> Vec<String> {
    let changed = committed.map(|committed| changed_in_place(committed, set)).unwrap_or_default();
    let changed = changed.into_iter().map(|Loosening { about, what, .. }| {
        format!("{about} {what}: put the old text back and add a new version")
    });
    let ahead = set
        .settings
        .quiet
        .accepted_through
        .filter(|through| *through > now)
        .map(|at| format!("quiet.accepted_through is in the future: {at}"));
    changed.chain(ahead).collect()
}

/// Advice on a store; it never fails anything.
pub fn warnings(set: &QuestionSet) -> Vec<String> {
    let active = set.active().count();
    let mut warnings = Vec::new();
    if active > MANY {
        warnings.push(format!(
            "{active} active questions, more than {MANY}: retire those that no longer earn their keep"
        ));
    }
    if active == 0 {
        warnings.push("no active questions: nothing can be measured".into());
    }
    for question in set.active() {
        if question.trigger == Trigger::OnChange && question.dependencies().is_empty() {
            let name = question.name();
            warnings.push(format!(
                "{name} is due on change but watches nothing: add pathspecs under `watch`"
            ));
        }
    }
    warnings
}
