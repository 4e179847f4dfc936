//! The coding agents that were run: how each is installed, configured and started, and what it lacks.

/// A harness as it is installed and started.
#[derive(Clone, Copy)]
pub struct Harness {
    pub name: &'static str,
    /// What npm installs, and in its place a newer node where that is needed.
    pub packages: &'static str,
    /// More words for `git sq agent install` and `remove`; none where the paragraph has to do.
    pub install: Option<&'static [&'static str]>,
    pub args: &'static str,
    /// Goes on with the session `SID`.
    pub resume: &'static str,
    pub compact: Compact,
    /// The tool that starts a subagent, and its input.
    pub sub: (&'static str, &'static str),
    /// What it wants to be told in its environment; `ADDRESS` stands for the address of the model.
    pub env: &'static [(&'static str, &'static str)],
    /// The same in a file below home; `DIR` stands for the repository.
    pub settings: (&'static str, &'static str),
    /// What a person has in the repository already.
    pub own: &'static [(&'static str, &'static str)],
    /// What it does not do, each with the reason.
    pub lacks: &'static [(&'static str, &'static str)],
}

/// How its context is compacted.
#[derive(Clone, Copy)]
pub enum Compact {
    /// When the model was given so many tokens.
    At(u64),
    /// By a prompt; the session is resumed afterwards.
    By(&'static str),
    Not,
}

const AGENT: &str =
    r#"{"description":"look","prompt":"SUB-TASK","subagent_type":"general-purpose"}"#;

pub const CLAUDE: Harness = Harness {
    name: "claude",
    packages: "@anthropic-ai/claude-code@2.1.330",
    install: Some(&[]),
    args: "-p MAIN-TASK --model claude-opus-4-5",
    resume: "-p MAIN-TASK --model claude-opus-4-5 --resume SID",
    compact: Compact::By("-p /compact --model claude-opus-4-5 --resume SID"),
    sub: ("Agent", AGENT),
    env: &[
        ("ANTHROPIC_BASE_URL", "ADDRESS"),
        ("ANTHROPIC_API_KEY", "dummy"),
        ("DISABLE_TELEMETRY", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ],
    settings: (".claude.json", r#"{"projects":{"DIR":{"hasTrustDialogAccepted":true}}}"#),
    own: &[
        (
            ".claude/settings.json",
            "{\n    \"env\": { \"A\": \"b\" },\n    \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}",
        ),
        ("CLAUDE.md", "# Rules\n\nNo tabs."),
    ],
    lacks: &[],
};

pub const CODEX: Harness = Harness {
    name: "codex",
    packages: "@openai/codex@0.169.0",
    args: "exec --trust --dangerously-bypass-hook-trust --sandbox workspace-write MAIN-TASK",
    resume: "exec --trust --dangerously-bypass-hook-trust --sandbox workspace-write resume SID MAIN-TASK",
    compact: Compact::At(60_000),
    sub: ("spawn_agent", r#"{"message":"SUB-TASK"}"#),
    env: &[("FAKE_KEY", "dummy")],
    settings: (
        ".codex/config.toml",
        "model = 'fake'\nmodel_provider = 'fake'\nmodel_context_window = 100000\nmodel_auto_compact_token_limit = 50000\n[model_providers.fake]\nname = 'fake'\nbase_url = 'ADDRESS/v1'\nwire_api = 'responses'\nenv_key = 'FAKE_KEY'\nsupports_websockets = false\n",
    ),
    own: &[
        (
            ".codex/hooks.json",
            "{\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{ \"hooks\": [{ \"type\": \"command\", \"command\": \"true\" }] }\n\t\t]\n\t}\n}\n",
        ),
        ("AGENTS.md", "# Rules\r\n\r\nNo tabs.\r\n"),
    ],
    ..CLAUDE
};

/// Without a terminal, it runs a shell only by a policy of the user.
pub const GEMINI: Harness = Harness {
    name: "gemini",
    packages: "@google/gemini-cli@0.61.0",
    install: Some(&["--user"]),
    args: "-p MAIN-TASK",
    resume: "-p MAIN-TASK --resume latest",
    compact: Compact::Not,
    sub: ("invoke_agent", r#"{"agent_name":"generalist","prompt":"SUB-TASK"}"#),
    env: &[
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("GOOGLE_GEMINI_BASE_URL", "ADDRESS"),
        ("GEMINI_API_KEY", "dummy"),
    ],
    settings: (
        ".gemini/settings.json",
        r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#,
    ),
    own: &[],
    lacks: &[("compaction", "no hook is called after it; the last messages are kept as they are")],
};

pub const COPILOT: Harness = Harness {
    name: "copilot",
    packages: "@github/copilot@1.0.102",
    args: "'--allow-tool=shell(git sq:*)' -p MAIN-TASK",
    resume: "'--allow-tool=shell(git sq:*)' -p MAIN-TASK --resume=SID",
    compact: Compact::Not,
    sub: (
        "task",
        r#"{"description":"look","prompt":"SUB-TASK","agent_type":"general-purpose","name":"look"}"#,
    ),
    env: &[
        ("COPILOT_PROVIDER_BASE_URL", "ADDRESS/v1"),
        ("COPILOT_MODEL", "fake"),
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_AUTO_UPDATE", "false"),
    ],
    settings: (".copilot/config.json", r#"{"trusted_folders":["DIR"]}"#),
    own: &[(".github/hooks/lint.json", "{\"version\": 1, \"hooks\": {}}\n")],
    lacks: &[(
        "compaction",
        "the brief comes with the next prompt, and without a terminal there is one",
    )],
    ..CLAUDE
};

pub const QWEN: Harness = Harness {
    name: "qwen",
    packages: "@qwen-code/qwen-code@0.24.4 node@22",
    args: "-y -p MAIN-TASK",
    resume: "-y -p MAIN-TASK --resume SID",
    compact: Compact::By("-y -p /compress --resume SID"),
    sub: ("agent", AGENT),
    env: &[
        ("OPENAI_API_KEY", "dummy"),
        ("OPENAI_BASE_URL", "ADDRESS/v1"),
        ("OPENAI_MODEL", "fake"),
    ],
    settings: (".qwen/settings.json", r#"{"security":{"auth":{"selectedType":"openai"}}}"#),
    own: &[],
    lacks: &[("end", "without a terminal, it calls no hook at its end")],
    ..CLAUDE
};

pub const OPENCODE: Harness = Harness {
    name: "opencode",
    packages: "opencode-ai@1.18.33",
    args: "run MAIN-TASK",
    resume: "run --session SID MAIN-TASK",
    compact: Compact::At(199_000),
    sub: ("task", r#"{"description":"look","prompt":"SUB-TASK","subagent_type":"general"}"#),
    env: &[("OPENCODE_DISABLE_AUTOUPDATE", "1"), ("OPENCODE_DISABLE_MODELS_FETCH", "1")],
    settings: (
        ".config/opencode/opencode.json",
        r#"{"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"fake","options":{"baseURL":"ADDRESS/v1","apiKey":"dummy"},"models":{"fake":{"name":"fake","limit":{"context":200000,"output":4096}}}}},"model":"fake/fake","small_model":"fake/fake"}"#,
    ),
    own: &[],
    lacks: &[("enforce", "it goes on after a stop only under `opencode serve`")],
    ..CLAUDE
};

/// It reads AGENTS.md, and has no hooks that a file of a repository could set.
pub const PI: Harness = Harness {
    name: "pi",
    packages: "@mariozechner/pi-coding-agent@0.73.1",
    install: None,
    args: "--offline --model fake/fake -p MAIN-TASK",
    resume: "--offline --model fake/fake --continue -p MAIN-TASK",
    compact: Compact::Not,
    env: &[],
    settings: (
        ".pi/agent/models.json",
        r#"{"providers":{"fake":{"baseUrl":"ADDRESS/v1","api":"openai-completions","apiKey":"dummy","models":[{"id":"fake"}]}}}"#,
    ),
    own: &[],
    lacks: &[
        ("compaction", "there are no hooks"),
        ("subagent", "it has none"),
        ("enforce", "there are no hooks"),
        ("end", "there are no hooks"),
    ],
    ..CLAUDE
};
