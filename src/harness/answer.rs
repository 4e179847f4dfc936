//! The shapes in which harnesses take what is said to them.

use serde_json::json;

use super::Harness;

impl Harness {
    /// Text for the model, as a session starts.
    pub fn context(self, text: &str) -> String {
        let shape = match self {
            Self::Other => return text.to_owned(),
            Self::Copilot => json!({"additionalContext": text}),
            _ => json!({"hookSpecificOutput":
                {"hookEventName": "SessionStart", "additionalContext": text}}),
        };
        shape.to_string()
    }

    /// That the agent goes on in place of stopping, and why.
    pub fn block(self, reason: &str) -> String {
        match self {
            Self::Other => reason.to_owned(),
            _ => json!({"decision": "block", "reason": reason}).to_string(),
        }
    }

    /// A line for the person, as the agent stops; None where a harness would take it for something else.
    pub fn message(self, line: &str) -> Option<String> {
        (self != Self::Other).then(|| json!({"systemMessage": line}).to_string())
    }
}
