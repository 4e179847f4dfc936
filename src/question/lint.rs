//! Advice about a store that is valid; it never fails anything.

use super::{QuestionSet, Trigger};

/// More active questions than this go stale: 28 were too many.
pub const MANY: usize = 15;

/// What is unwise in a store, and what to do about it.
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
    let blind = set
        .active()
        .filter(|q| q.trigger == Trigger::OnChange && q.dependencies().is_empty());
    warnings.extend(blind.map(|q| {
        let name = q.name();
        format!("{name} is due on change but watches nothing: add pathspecs under `watch`")
    }));
    warnings
}
