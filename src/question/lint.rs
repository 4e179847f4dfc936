//! Problems of a store that can be read, and unwise questions.

use jiff::Timestamp;
use serde_json::Value;

use super::{
    Expect, FilesTake, GrepTake, LogTake, Loosening, Probe, Question, QuestionSet, Severity,
    StoreSchema, Trigger, ValueTake, changed_in_place,
};

/// More active questions than this go stale: 28 were too many.
pub const MANY: usize = 15;

/// What probes give.
const BOOLEAN: &str = "true or false";
const NUMBER: &str = "a number";
const LIST: &str = "a list";

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
    let asked = set.questions.iter().filter(|question| question.status.is_asked());
    changed.chain(ahead).chain(asked.filter_map(Question::why_hopeless)).collect()
}

/// The advice about a question of this name that was changed in place.
pub fn undo_edit(name: &str, schema: StoreSchema) -> String {
    let id = name.split('@').next().unwrap_or(name);
    let also = match schema {
        // It has neither versions nor probes; the command makes it one that has.
        StoreSchema::V1 => "",
        StoreSchema::V2 => ", with `--lines`, `--shape` or `--probe` where these change",
    };
    format!(
        "undo the edit, then run `git sq question reword {id} 'the new wording'`, which adds a version{also}"
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
        warnings.extend(question.without_effect());
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

impl Question {
    /// Keys that have no effect beside its others, with the reason.
    pub fn without_effect(&self) -> Option<String> {
        let name = self.name();
        let waits = self.trigger != Trigger::EverySession || self.max_staleness.is_some();
        if self.is_fact() && waits {
            return Some(format!(
                "{name} is a fact, which no session owes: `trigger` and `max_staleness` have no effect"
            ));
        }
        let of_change = self.expect.as_ref().filter(|expect| !expect.must_hold());
        let is_blocking = self.severity == Some(Severity::Blocking);
        if let Some(expect) = of_change.filter(|_| self.is_fact() && !is_blocking) {
            let words = expect.words();
            return Some(format!(
                "{name} is expected {words}, which has no effect without `\"severity\": \"blocking\"`"
            ));
        }
        let is_idle = self.lines.is_some() && self.dependencies().is_empty();
        is_idle
            .then(|| format!("{name} has `lines` but watches nothing: add pathspecs under `watch`"))
    }

    /// The reason why its answer can never be, or never change to, what is expected, with a remedy.
    pub fn why_hopeless(&self) -> Option<String> {
        let expect = self.expect.as_ref()?;
        let (name, words) = (self.name(), expect.words());
        if self.shape.as_ref().is_some_and(|shape| expect.never_allows(shape)) {
            return Some(format!(
                "{name} is expected {words}, and answers of its shape never do: only numbers and versions can"
            ));
        }
        let probe = self.probe.as_ref()?;
        if let Expect::AtMost(Value::Number(_)) | Expect::AtLeast(Value::Number(_)) = expect
            && probe.is_version()
            && probe.reading().1 != Some(1)
        {
            return Some(format!(
                "{name} is expected {words}, a number, and its probe gives a version: put the limit in quotes"
            ));
        }
        let (wanted, take) = match expect {
            Expect::Increase | Expect::Decrease | Expect::AtMost(_) | Expect::AtLeast(_) => {
                (NUMBER, "count")
            }
            Expect::Is(Value::Number(_)) => (NUMBER, "count"),
            Expect::Is(Value::Bool(_)) => (BOOLEAN, "exists"),
            _ => return None,
        };
        let given = given(probe).filter(|given| *given != wanted)?;
        let remedy = match probe {
            Probe::Grep(_) | Probe::Files(_) => format!("use `\"take\": \"{take}\"`"),
            Probe::Log(_) if wanted == NUMBER => format!("use `\"take\": \"{take}\"`"),
            _ => format!("expect {given}"),
        };
        Some(format!(
            "{name} is expected {words}, and its probe gives {given}, never {wanted}: {remedy}"
        ))
    }
}

/// What a probe always gives; `None` if that depends on the files.
fn given(probe: &Probe) -> Option<&'static str> {
    match probe {
        Probe::Grep(grep) => match grep.take {
            GrepTake::Lines => Some(LIST),
            GrepTake::Count => Some(NUMBER),
            GrepTake::Exists => Some(BOOLEAN),
            GrepTake::First => None,
        },
        Probe::Files(files) => Some(match files.take {
            FilesTake::List => LIST,
            FilesTake::Count => NUMBER,
            FilesTake::Exists => BOOLEAN,
        }),
        Probe::Log(log) => Some(match log.take {
            LogTake::Last => "an id",
            LogTake::Count => NUMBER,
            LogTake::Authors => LIST,
        }),
        Probe::Tree(_) => Some("an id"),
        Probe::Lines(_) => Some(NUMBER),
        Probe::Agree(_) => Some(BOOLEAN),
        Probe::Subset(_) | Probe::Exist(_) => Some(LIST),
        Probe::Value(of) => (of.take == ValueTake::Keys).then_some(LIST),
        Probe::Text(_) | Probe::Run(_) => None,
    }
}
