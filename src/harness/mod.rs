//! Coding agents' hooks: what they say on standard input, and the shapes of what they want to hear. No input or output.

mod answer;

use std::path::PathBuf;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

/// The program that runs an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Harness {
    Claude,
    Codex,
    Copilot,
    Gemini,
    Qwen,
    /// One that is not known, or a plugin of ours: plain text is what it wants.
    Other,
}

/// A call by a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub harness: Harness,
    /// The harness's own name of the session.
    pub session: String,
    /// Where the agent works.
    pub cwd: Option<PathBuf>,
    /// Why a session starts: `startup`, `resume`, `compact`, and so on.
    pub source: Option<String>,
    pub model: Option<String>,
}

/// What hooks are given, as far as it matters here. Of the last six only their presence tells anything.
#[derive(Deserialize)]
struct Input {
    session_id: Option<String>,
    #[serde(rename = "sessionId")]
    camel_case_id: Option<String>,
    cwd: Option<PathBuf>,
    source: Option<String>,
    model: Option<Value>,
    transcript_path: Option<IgnoredAny>,
    permission_mode: Option<IgnoredAny>,
    turn_id: Option<IgnoredAny>,
    timestamp: Option<IgnoredAny>,
    stop_reason: Option<IgnoredAny>,
}

impl Call {
    /// Reads what a hook was given; the error says why it can't be.
    pub fn parse(input: &[u8]) -> Result<Self, String> {
        let input: Input = serde_json::from_slice(input)
            .map_err(|error| format!("the hook's input can't be read: {error}"))?;
        let harness = input.harness();
        let session = input.session_id.or(input.camel_case_id);
        Ok(Self {
            harness,
            session: session.ok_or("the hook's input names no session")?,
            cwd: input.cwd,
            source: input.source,
            model: input
                .model
                .as_ref()
                .and_then(Value::as_str)
                .map(str::to_owned),
        })
    }
}

impl Input {
    /// Whose input this is. Neither the environment nor the command line tells: agents start each other and inherit the
    /// one, and run each other's settings with the other. Ends of sessions are alike; nothing is answered to them.
    fn harness(&self) -> Harness {
        let has_transcript = self.transcript_path.is_some();
        let has_mode = self.permission_mode.is_some();
        if self.camel_case_id.is_some() || self.stop_reason.is_some() {
            Harness::Copilot
        } else if self.timestamp.is_some() {
            match (has_transcript, has_mode) {
                (false, _) => Harness::Copilot,
                (true, true) => Harness::Qwen,
                (true, false) => Harness::Gemini,
            }
        } else if self.turn_id.is_some() || (has_transcript && has_mode && self.model.is_some()) {
            Harness::Codex
        } else if has_transcript {
            Harness::Claude
        } else {
            Harness::Other
        }
    }
}

impl Harness {
    /// Its name in entries; None where it is not known.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Claude => Some("claude"),
            Self::Codex => Some("codex"),
            Self::Copilot => Some("copilot"),
            Self::Gemini => Some("gemini"),
            Self::Qwen => Some("qwen"),
            Self::Other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn harness(input: &str) -> Harness {
        Call::parse(input.as_bytes()).unwrap().harness
    }

    #[test]
    fn the_harness_is_told_by_what_it_says() {
        for (input, expected) in [
            (
                r#"{"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"SessionStart","source":"startup"}"#,
                Harness::Claude,
            ),
            (
                r#"{"session_id":"s","transcript_path":"t","cwd":"/","prompt_id":"p","hook_event_name":"SessionStart","source":"compact","model":"m"}"#,
                Harness::Claude,
            ),
            (
                r#"{"session_id":"s","transcript_path":"t","cwd":"/","prompt_id":"p","permission_mode":"default","effort":{"level":"high"},"hook_event_name":"Stop","stop_hook_active":false}"#,
                Harness::Claude,
            ),
            (
                r#"{"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"SessionStart","model":"m","permission_mode":"p","source":"startup"}"#,
                Harness::Codex,
            ),
            (
                r#"{"session_id":"s","turn_id":"t","transcript_path":"t","cwd":"/","hook_event_name":"Stop","model":"m","permission_mode":"p","stop_hook_active":false}"#,
                Harness::Codex,
            ),
            (
                r#"{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/","hook_event_name":"PreCompact","model":"m","trigger":"auto"}"#,
                Harness::Codex,
            ),
            (
                r#"{"sessionId":"s","timestamp":1795349642086,"cwd":"/","source":"new","initialPrompt":"hello"}"#,
                Harness::Copilot,
            ),
            (
                r#"{"hook_event_name":"SessionStart","session_id":"s","timestamp":"t","cwd":"/","source":"new","initial_prompt":"hello"}"#,
                Harness::Copilot,
            ),
            (
                r#"{"hook_event_name":"Stop","session_id":"s","timestamp":"t","cwd":"/","transcript_path":"t","stop_reason":"end_turn","stop_hook_active":false}"#,
                Harness::Copilot,
            ),
            (
                r#"{"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"SessionStart","timestamp":"t","source":"startup"}"#,
                Harness::Gemini,
            ),
            (
                r#"{"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"AfterAgent","timestamp":"t","prompt":"p","stop_hook_active":false}"#,
                Harness::Gemini,
            ),
            (
                r#"{"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"SessionStart","timestamp":"t","permission_mode":"yolo","source":"startup","model":"m"}"#,
                Harness::Qwen,
            ),
            (
                r#"{"session_id":"s","transcript_path":"t","cwd":"/","hook_event_name":"Stop","timestamp":"t","permission_mode":"yolo","stop_hook_active":false}"#,
                Harness::Qwen,
            ),
            (
                r#"{"session_id":"s","cwd":"/","hook_event_name":"session-start"}"#,
                Harness::Other,
            ),
        ] {
            assert_eq!(harness(input), expected, "{input}");
        }
    }

    #[test]
    fn a_call_is_what_the_input_says() {
        let call = Call::parse(br#"{"sessionId":"s","cwd":"/a b","source":"new","model":"m"}"#);
        let expected = Call {
            harness: Harness::Copilot,
            session: "s".into(),
            cwd: Some("/a b".into()),
            source: Some("new".into()),
            model: Some("m".into()),
        };
        assert_eq!(call.unwrap(), expected);
        let odd = Call::parse(br#"{"session_id":"s","model":{"id":"m"},"cwd":null}"#).unwrap();
        assert_eq!((odd.model, odd.cwd), (None, None));
    }

    #[test]
    fn what_names_no_session_is_refused() {
        for input in [
            "",
            "{",
            "[]",
            "{}",
            r#"{"session_id":7}"#,
            "\u{0}",
            r#"{"session_id":null}"#,
        ] {
            assert!(Call::parse(input.as_bytes()).is_err(), "{input:?}");
        }
    }
}
