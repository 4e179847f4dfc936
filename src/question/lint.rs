//! Problems of a store that can be read, and unwise questions.

use jiff::Timestamp;

use super::{Loosening, QuestionSet, Severity, StoreSchema, Trigger, changed_in_place};

/// More active questions than this go stale: 28 were too many.
pub const MANY: usize = 15;

/// Finds broken rules; `committed` is the store before the change.
pub fn errors(set: &QuestionSet, committed: Option<&QuestionSet>, now: Timestamp) -> Vec<String> {
    let changed = committed.map(|committed| changed_in_place(committed, set)).unwrap_or_default();
    let changed = changed.into_iter().map(|Loosening { about, what, .. }| {
        format!("{about} {what}: {}", undo_edit(&about, set.schema))
    });
    let ahead = set
        .settings
        .quiet
        .accepted_through
        .filter(|through| *through > now)
        .map(|at| format!("quiet.accepted_through is in the future: {at}"));
    changed.chain(ahead).collect()
}

/// The advice about a question of this name that was changed in place.
pub fn undo_edit(name: &str, schema: StoreSchema) -> String {
    let id = name.split('@').next().unwrap_or(name);
    let by_hand = match schema {
        // It has neither versions nor probes; the command makes it one that has.
        StoreSchema::V1 => "",
        StoreSchema::V2 => "; a changed probe needs a new version, too, by hand",
    };
    format!(
        "undo the edit, then run `git sq question reword {id} 'the new wording'`, which adds a version{by_hand}"
    )
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
        let is_blocking = question.severity == Some(Severity::Blocking);
        if is_blocking && !question.says_dependencies() {
            let name = question.name();
            warnings.push(format!(
                "{name} is blocking but watches nothing, so that no answer needs evidence: add pathspecs under `watch`"
            ));
        }
    }
    warnings
}
