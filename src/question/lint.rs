//! What is allowed in a store and still unwise.

use super::{QuestionSet, Trigger};

/// More active questions than this go stale at the long tail: 28 were too many.
pub const MANY: usize = 15;

/// Advice about a store; it never fails anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    pub message: String,
    pub help: String,
}

/// Looks through a store that can be used.
pub fn warnings(set: &QuestionSet) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let active = set.active().count();
    if active > MANY {
        warnings.push(Warning {
            message: format!("{active} questions are active, more than {MANY}"),
            help:
                "retire what no longer earns its keep: the long tail goes stale and hides the rest"
                    .into(),
        });
    }
    if active == 0 {
        warnings.push(Warning {
            message: "no question is active".into(),
            help: "nothing is asked and nothing can be measured: make one active".into(),
        });
    }
    for question in set.active() {
        if question.trigger == Trigger::OnChange && question.dependencies().is_empty() {
            warnings.push(Warning {
                message: format!("{} is due on change, but watches nothing", question.name()),
                help: "say under `watch` which pathspecs its answer depends on".into(),
            });
        }
    }
    warnings
}
