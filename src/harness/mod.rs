//! Coding agents' hooks: the formats of their input and of the answers to them. No input or output.
//!
//! A new harness is a variant of `Harness`, a row in its table, and a sample of its input in `tests/property/harness.rs`.

mod signs;

use std::path::PathBuf;

use clap::ValueEnum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use serde_json::{Deserializer, Value, json};
pub use signs::{shown, signs};

/// A program that runs coding agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Harness {
    /// Claude Code
    Claude,
    /// Codex CLI
    Codex,
    /// Copilot CLI
    Copilot,
    /// Gemini CLI
    Gemini,
    /// Qwen Code
    Qwen,
    /// opencode
    Opencode,
    /// Cursor
    Cursor,
    /// Any other agent that reads AGENTS.md
    AgentsMd,
}

pub struct Facts {
    /// On the command line and in entries.
    pub name: &'static str,
    /// The programs that it may be started as.
    pub programs: &'static [&'static str],
    /// Files and folders that show its use in a repository.
    pub traces: &'static [&'static str],
    /// The variable with the name of an agent's session. The environment is inherited: an agent that another one
    /// started may show the other's.
    pub session: Option<&'static str>,
    /// The variable that names its folder for a user, and the folder's path below the home folder without it.
    pub folder: (&'static str, &'static str),
}

impl Harness {
    #[rustfmt::skip]
    pub fn facts(self) -> Facts {
        let facts = |name, programs, traces, session, folder| Facts { name, programs, traces, session, folder };
        match self {
            Self::Claude => facts("claude", &["claude"], &[".claude", "CLAUDE.md"],
                Some("CLAUDE_CODE_SESSION_ID"), ("CLAUDE_CONFIG_DIR", ".claude")),
            Self::Codex => facts("codex", &["codex"], &[".codex"],
                Some("CODEX_SESSION_ID"), ("CODEX_HOME", ".codex")),
            Self::Copilot => facts("copilot", &["copilot"], &[".github/hooks", ".github/copilot-instructions.md"],
                Some("COPILOT_AGENT_SESSION_ID"), ("COPILOT_HOME", ".copilot")),
            Self::Gemini => facts("gemini", &["gemini"], &[".gemini", "GEMINI.md"], None, ("", ".gemini")),
            Self::Qwen => facts("qwen", &["qwen"], &[".qwen", "QWEN.md"], Some("QWEN_CODE_SESSION_ID"), ("", ".qwen")),
            Self::Opencode => facts("opencode", &["opencode"], &[".opencode", "opencode.json"],
                None, ("OPENCODE_CONFIG_DIR", ".config/opencode")),
            Self::Cursor => facts("cursor", &["cursor-agent", "cursor"], &[".cursor"], None, ("", ".cursor")),
            Self::AgentsMd => facts("agents-md", &["pi", "amp", "aider", "goose", "crush", "cline"], &["AGENTS.md"],
                None, ("", ".pi")),
        }
    }

    pub fn name(self) -> &'static str {
        self.facts().name
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::from_str(name, false).ok()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// `None` if unknown: plain text is understood everywhere.
    pub harness: Option<Harness>,
    /// The harness's own name of the session.
    pub session: String,
    /// The agent's working directory.
    pub cwd: Option<PathBuf>,
    /// The cause of a start: `startup`, `resume`, `compact`, and so on.
    pub source: Option<String>,
    pub model: Option<String>,
    /// The path of the harness's own record of the session.
    pub transcript: Option<String>,
    /// True if a subagent calls, which takes no part in the session.
    pub is_subagent: bool,
}

/// The relevant part of a hook's input. The last ones are only tested for presence.
#[derive(Deserialize)]
struct Input {
    /// From a plugin of git sq.
    harness: Option<String>,
    session_id: Option<String>,
    #[serde(rename = "sessionId")]
    camel_case_id: Option<String>,
    cwd: Option<PathBuf>,
    source: Option<String>,
    model: Option<Value>,
    transcript_path: Option<Value>,
    #[serde(alias = "agentId")]
    agent_id: Option<IgnoredAny>,
    permission_mode: Option<IgnoredAny>,
    turn_id: Option<IgnoredAny>,
    timestamp: Option<IgnoredAny>,
    stop_reason: Option<IgnoredAny>,
}

/// Returns true if an input that is still arriving has the end of its first value, or can't be one.
pub fn is_whole(input: &[u8]) -> bool {
    let value = || IgnoredAny::deserialize(&mut Deserializer::from_slice(input));
    input.trim_ascii_end().ends_with(b"}") && !value().is_err_and(|error| error.is_eof())
}

impl Call {
    /// Reads the first value. The error says why the input can't be read.
    pub fn parse(input: &[u8]) -> Result<Self, String> {
        let input = Input::deserialize(&mut Deserializer::from_slice(input))
            .map_err(|error| format!("the hook's input can't be read: {error}"))?;
        let harness = input.harness();
        let session = input.session_id.or(input.camel_case_id);
        let text = |value: Option<Value>| value?.as_str().map(str::to_owned);
        Ok(Self {
            harness,
            session: session.ok_or("the hook's input names no session")?,
            cwd: input.cwd,
            source: input.source,
            is_subagent: input.agent_id.is_some(),
            model: text(input.model),
            transcript: text(input.transcript_path),
        })
    }

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

impl Input {
    /// The harness that sent the input. Neither the environment nor the command line tells: agents start each other and
    /// inherit the one, and run each other's settings with the other. Ends of sessions look alike, but need no answer.
    fn harness(&self) -> Option<Harness> {
        if let Some(name) = &self.harness {
            return Harness::named(name);
        }
        let has_transcript = self.transcript_path.is_some();
        let has_mode = self.permission_mode.is_some();
        Some(if self.camel_case_id.is_some() || self.stop_reason.is_some() {
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
            return None;
        })
    }
}
