//! The shapes in which harnesses take what is said to them.

use serde_json::json;

use super::{Call, Harness};

impl Call {
    /// Text for the model, as a session starts.
    pub fn context(&self, text: &str) -> String {
        let shape = match self.harness {
            None => return text.to_owned(),
            Some(Harness::Copilot) => json!({"additionalContext": text}),
            _ => json!({"hookSpecificOutput":
                {"hookEventName": "SessionStart", "additionalContext": text}}),
        };
        shape.to_string()
    }

    /// That the agent goes on in place of stopping, and why.
    pub fn block(&self, reason: &str) -> String {
        match self.harness {
            None => reason.to_owned(),
            _ => json!({"decision": "block", "reason": reason}).to_string(),
        }
    }

    /// A line for the person, as the agent stops; None where a harness would take it for something else.
    pub fn message(&self, line: &str) -> Option<String> {
        self.harness
            .map(|_| json!({"systemMessage": line}).to_string())
    }
}
