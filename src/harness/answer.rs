use serde_json::json;

use super::{Call, Harness};

impl Call {
    /// Text for the model at the start of a session.
    pub fn context(&self, text: &str) -> String {
        let shape = match self.harness {
            None | Some(Harness::Opencode) => return text.to_owned(),
            Some(Harness::Copilot) => json!({"additionalContext": text}),
            _ => json!({"hookSpecificOutput":
                {"hookEventName": "SessionStart", "additionalContext": text}}),
        };
        shape.to_string()
    }

    /// Makes the agent continue instead of stopping, with a reason.
    pub fn block(&self, reason: &str) -> String {
        match self.harness {
            None | Some(Harness::Opencode) => reason.to_owned(),
            _ => json!({"decision": "block", "reason": reason}).to_string(),
        }
    }

    /// A line for the person when the agent stops; `None` if the harness would misread it.
    pub fn message(&self, line: &str) -> Option<String> {
        self.harness
            .filter(|harness| *harness != Harness::Opencode)
            .map(|_| json!({"systemMessage": line}).to_string())
    }
}
