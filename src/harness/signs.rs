//! The variables that say that an agent runs a command: what programs set in the shells of their agents.

use clap::ValueEnum as _;

use super::Harness;

/// Each program with what it sets beside the name of a session, and where that is said or seen.
///
/// Left out are variables that a person's own terminal has as well (`CURSOR_TRACE_ID` in every terminal of Cursor, see
/// vercel-labs/skills#1549; `TERM_PROGRAM`; `WINDSURF_*`) and settings that people export (`AIDER_*`, `GOOSE_PROVIDER`,
/// `COPILOT_MODEL`, `OPENCODE_CLIENT`).
#[rustfmt::skip]
const SIGNS: [(&str, &[&str]); 17] = [
    // docs/agents.md
    ("git sq", &["SQ_AGENT", "SQ_MODEL", "SQ_HARNESS"]),
    // agentsmd/agents.md#136, vercel/detect-agent; Aider-AI/aider#5521 asks for the second
    ("any", &["AGENT", "AI_AGENT"]),
    // ampcode.com/manual, and AGENT
    ("amp", &["AMP_CURRENT_THREAD_ID"]),
    // vercel/detect-agent
    ("antigravity", &["ANTIGRAVITY_AGENT"]),
    // docs.augmentcode.com/cli/reference
    ("augment", &["AUGMENT_AGENT"]),
    // code.claude.com/docs/en/env-vars
    ("claude", &["CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"]),
    // cline/cline, discussion 5366
    ("cline", &["CLINE_ACTIVE"]),
    // openai/codex, codex-rs/core/src/spawn.rs; developers.openai.com/codex/environment-variables
    ("codex", &["CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"]),
    // docs.rs/mise-agent-env
    ("copilot", &["COPILOT_CLI"]),
    // charmbracelet/crush#2484, and both for any
    ("crush", &["CRUSH"]),
    // git-ai-project/git-ai#1289, web-infra-dev/rstest#994
    ("cursor", &["CURSOR_AGENT"]),
    // google-gemini/gemini-cli, docs/tools/shell.md
    ("gemini", &["GEMINI_CLI"]),
    // aaif-goose/goose#7017, and AGENT
    ("goose", &["GOOSE_TERMINAL"]),
    // vercel/detect-agent
    ("opencode", &["OPENCODE"]),
    // docs.rs/mise-agent-env
    ("pi", &["PI_CODING_AGENT"]),
    ("qwen", &["QWEN_CODE"]),
    // RooCodeInc/Roo-Code, src/integrations/terminal/Terminal.ts
    ("roo", &["ROO_ACTIVE"]),
];

/// The programs whose agents may run a command; several where one started another.
pub fn shown(is_set: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let named = SIGNS.iter().filter(|(name, _)| !["git sq", "any"].contains(name));
    let named = named.filter(|(_, variables)| variables.iter().any(|variable| is_set(variable)));
    let sessions = Harness::value_variants().iter().map(|harness| harness.facts());
    let sessions = sessions.filter(|facts| facts.session.is_some_and(&is_set));
    let mut shown: Vec<&str> =
        named.map(|(name, _)| *name).chain(sessions.map(|facts| facts.name)).collect();
    shown.sort_unstable();
    shown.dedup();
    shown
}

/// Every such variable.
pub fn signs() -> impl Iterator<Item = &'static str> {
    let sessions = Harness::value_variants().iter().filter_map(|harness| harness.facts().session);
    SIGNS.iter().flat_map(|(_, variables)| variables.iter().copied()).chain(sessions)
}
