//! Acts reserved for people: approving, judging, redacting, accepting, and changing the questions.

use super::{Context, Failure, context::text};
use crate::harness;

impl Context {
    pub fn require_person(&self, act: &str) -> Result<(), Failure> {
        self.refuse_agents(act)?;
        if self.is_interactive() {
            return Ok(());
        }
        Err(Failure::refused(
            format!("{act} is for people only, and there is no terminal"),
            "nothing was changed; run it in a terminal, without redirecting it",
        ))
    }

    /// Returns true for a person on a terminal: only there do programs start that the person chose, or approved.
    pub fn is_person(&self) -> bool {
        self.require_person("").is_ok()
    }

    pub fn refuse_agents(&self, act: &str) -> Result<(), Failure> {
        match harness::signs().find(|name| text(name).is_some()) {
            None => Ok(()),
            Some(variable) => Err(Failure::refused(
                format!("{act} is for people only, and {variable} says that an agent runs it"),
                "nothing was changed; a person runs it in a terminal that no agent started",
            )),
        }
    }
}
