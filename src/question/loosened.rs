//! What one question store asks less strictly than another.

use jiff::SignedDuration;

use super::{Question, QuestionSet, Settings, Status, Trigger};

/// A way in which a store is laxer than the one that it is measured by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loosening {
    /// The question, with its version where that is not 1, or the setting.
    pub about: String,
    /// What was done to it, as in `was retired`.
    pub what: String,
    /// Whether a version of a question says something else than before.
    pub is_in_place: bool,
}

/// How `new` is laxer than `old`: limits that were raised, questions that are asked less, or are not the same.
pub fn loosened(old: &QuestionSet, new: &QuestionSet) -> Vec<Loosening> {
    let mut found = settings(&old.settings, &new.settings);
    for question in old.active() {
        let name = question.name().to_string();
        let laxer = of_question(question, old, new).into_iter();
        found.extend(laxer.map(|what| Loosening {
            about: name.clone(),
            what,
            is_in_place: false,
        }));
    }
    found.extend(changed_in_place(old, new));
    found
}

/// The versions of questions that both stores have, and that do not ask the same.
pub fn changed_in_place(old: &QuestionSet, new: &QuestionSet) -> Vec<Loosening> {
    let changed = old.questions.iter();
    let changed = changed.filter(|question| new.asks_otherwise(question) == Some(true));
    let changed = changed.map(|question| Loosening {
        about: question.name().to_string(),
        what: "was changed in place".into(),
        is_in_place: true,
    });
    changed.collect()
}

fn settings(old: &Settings, new: &Settings) -> Vec<Loosening> {
    let limits = [
        ("staleness.max", old.staleness.max, new.staleness.max),
        ("quiet.max_run", old.quiet.max_run, new.quiet.max_run),
        (
            "unanswered.max_run",
            old.unanswered.max_run,
            new.unanswered.max_run,
        ),
        (
            "tension.per_session",
            old.tension.per_session,
            new.tension.per_session,
        ),
        ("second.confirm", old.second.confirm, new.second.confirm),
        ("second.gate", old.second.gate, new.second.gate),
        // Of these fewer is laxer.
        (
            "second.per_session",
            new.second.per_session,
            old.second.per_session,
        ),
    ];
    let limits = limits.into_iter().filter(|(_, old, new)| new > old);
    let mut found: Vec<Loosening> = limits
        .map(|(name, one, two)| {
            let (from, to) = if name == "second.per_session" {
                (two, one)
            } else {
                (one, two)
            };
            of_setting(name, format!("went from {from} to {to}"))
        })
        .collect();
    let tolerance = |settings: &Settings| settings.clock.tolerance;
    if tolerance(new) > tolerance(old) {
        let minutes = |length: SignedDuration| format!("{length:#}");
        let (from, to) = (minutes(tolerance(old)), minutes(tolerance(new)));
        found.push(of_setting(
            "clock.tolerance",
            format!("went from {from} to {to}"),
        ));
    }
    if let Some(through) = new.quiet.accepted_through
        && old
            .quiet
            .accepted_through
            .is_none_or(|before| before < through)
    {
        found.push(of_setting(
            "quiet.accepted_through",
            format!("was set to {through}"),
        ));
    }
    for (name, old, new) in [
        ("ignore_lines", &old.ignore_lines, &new.ignore_lines),
        ("accepted", &old.accepted, &new.accepted),
    ] {
        let more = new.iter().filter(|one| !old.contains(one)).count();
        if more > 0 {
            found.push(of_setting(name, format!("accepts {more} more")));
        }
    }
    found
}

fn of_setting(name: &str, what: String) -> Loosening {
    Loosening {
        about: name.into(),
        what,
        is_in_place: false,
    }
}

fn of_question(question: &Question, old: &QuestionSet, new: &QuestionSet) -> Vec<String> {
    let id = &question.id;
    let Some(now) = new
        .active()
        .find(|now| now.id == *id && now.version >= question.version)
    else {
        let same = new.find(id, question.version);
        return vec![match same.map(|same| same.status) {
            Some(Status::Retired) => "was retired".into(),
            Some(Status::Deprecated) => "was deprecated without a successor".into(),
            Some(Status::Trial) => "is only on trial".into(),
            Some(Status::Active) | None => "is gone".into(),
        }];
    };
    let mut found = Vec::new();
    if new.find(id, question.version).is_none() {
        found.push("is gone".into());
    }
    if now.importance < question.importance {
        let (from, to) = (question.importance.0, now.importance.0);
        found.push(format!("lost importance: {from} to {to}"));
    }
    let limit = |question: &Question, set: &QuestionSet| {
        question.max_staleness.unwrap_or(set.settings.staleness.max)
    };
    let (from, to) = (limit(question, old), limit(now, new));
    if to > from && now.max_staleness != question.max_staleness {
        found.push(format!(
            "may become staler: max_staleness went from {from} to {to}"
        ));
    }
    if question.severity > now.severity {
        found.push("has a drift that no longer blocks".into());
    }
    if question.requires_evidence() && !now.requires_evidence() {
        found.push("requires no evidence any more".into());
    }
    if now.trigger != question.trigger && now.trigger != Trigger::EverySession {
        found.push("is due less often".into());
    }
    found.extend(narrower(&question.dependencies(), &now.dependencies()));
    found
}

/// How pathspecs may match less than others did; none at all match everything.
fn narrower(old: &[String], new: &[String]) -> Option<String> {
    if new.is_empty() {
        return None;
    }
    if old.iter().all(|spec| is_exclusion(spec)) && !new.iter().all(|spec| is_exclusion(spec)) {
        return Some(format!("watches only {}", new.join(" ")));
    }
    let mut lost = old.iter().filter(|spec| !is_exclusion(spec));
    let lost = lost.find(|spec| !new.iter().any(|new| covers(new, spec)));
    let mut left_out = new.iter().filter(|spec| is_exclusion(spec));
    let left_out = left_out.find(|spec| !old.contains(spec));
    let lost = lost.map(|spec| format!("no longer watches {spec}"));
    lost.or_else(|| left_out.map(|spec| format!("leaves out {spec}")))
}

/// Whether one pathspec surely matches what the other does: it is the same, or a plain folder above it.
fn covers(wide: &str, spec: &str) -> bool {
    let is_plain = !wide.contains(['*', '?', '[', '\\', ':']);
    let rest = spec.strip_prefix(wide.trim_end_matches('/'));
    wide == spec || is_plain && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a pathspec takes files away: `:!docs`, `:/^docs`, `:(top,exclude)docs`.
fn is_exclusion(spec: &str) -> bool {
    let Some(magic) = spec.strip_prefix(':') else {
        return false;
    };
    match magic.strip_prefix('(') {
        Some(words) => {
            let words = words.split(')').next().unwrap_or_default();
            words.split(',').any(|word| word.trim() == "exclude")
        }
        None => magic.trim_start_matches('/').starts_with(['!', '^']),
    }
}

impl QuestionSet {
    /// Whether the same version of a question asks something else here; None where it is not here.
    pub fn asks_otherwise(&self, question: &Question) -> Option<bool> {
        let here = self.find(&question.id, question.version)?;
        Some(here.asks() != question.asks())
    }
}

impl Question {
    /// What a version must not change: what it asks, how that is derived, and what an answer is.
    fn asks(&self) -> impl PartialEq + '_ {
        (
            &self.text,
            &self.probe,
            &self.shape,
            &self.lines,
            &self.expect,
        )
    }
}
