//! What is wrong or unwise in a store that can be read.

use jiff::Timestamp;

use super::{
    CiteSettings, Probe, Question, QuestionSet, SecondSettings, Trigger, changed_in_place,
};

/// More active questions than this go stale: 28 were too many.
pub const MANY: usize = 15;

/// What breaks a rule: `committed` is the store as it was before.
pub fn errors(set: &QuestionSet, committed: Option<&QuestionSet>, now: Timestamp) -> Vec<String> {
    let changed = committed.map(|committed| changed_in_place(committed, set));
    let changed = changed.into_iter().flatten();
    let mut errors: Vec<String> = changed
        .map(|one| {
            format!(
                "{} {}: put the old text back and add a new version",
                one.about, one.what
            )
        })
        .collect();
    if let Some(through) = set.settings.quiet.accepted_through
        && through > now
    {
        errors.push(format!(
            "quiet.accepted_through is in the future: {through}"
        ));
    }
    errors
}

/// What is unwise in a store, and what to do about it; it never fails anything.
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
    warnings.extend(inert(set));
    warnings
}

/// Keys on which nothing acts yet: they must not pass for a safeguard. Of probes, that is `run`.
fn inert(set: &QuestionSet) -> impl Iterator<Item = String> + '_ {
    type IsSet = fn(&Question) -> bool;
    let keys: [(&str, IsSet); 1] = [("probe", |q| matches!(q.probe, Some(Probe::Run(_))))];
    let of_questions = keys.into_iter().filter_map(|(key, is_set)| {
        let names: Vec<String> = set
            .active()
            .filter(|question| is_set(question))
            .map(|question| question.name().to_string())
            .collect();
        (!names.is_empty()).then(|| format!("`{key}` has no effect yet ({})", names.join(", ")))
    });
    let settings = &set.settings;
    let groups = [
        ("second", settings.second != SecondSettings::default()),
        ("cite", settings.cite != CiteSettings::default()),
    ];
    let groups = groups.into_iter().filter(|(_, is_set)| *is_set);
    of_questions.chain(groups.map(|(key, _)| format!("the setting `{key}` has no effect yet")))
}
