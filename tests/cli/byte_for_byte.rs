//! Settings and instructions of every form: installed twice and removed, they are what they were.

use git_sq_test_support::World;

use super::remembered::{remembers, tree};

/// The agent, its file, and what a person has in it.
const SETTINGS: [(&str, &str, &str); 29] = [
    ("claude", ".claude/settings.json", "{}"),
    ("claude", ".claude/settings.json", "{}\n"),
    ("claude", ".claude/settings.json", "{}\r\n"),
    ("claude", ".claude/settings.json", "{ }\n\n"),
    ("claude", ".claude/settings.json", "{\n}\n"),
    ("claude", ".claude/settings.json", "\u{feff}{}\n"),
    ("claude", ".claude/settings.json", "\u{feff}{\r\n  \"model\": \"opus\"\r\n}\r\n"),
    ("claude", ".claude/settings.json", "{\"hooks\":{}}"),
    ("claude", ".claude/settings.json", "{\n  \"hooks\": {\n  }\n}\n"),
    ("claude", ".claude/settings.json", "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n"),
    (
        "claude",
        ".claude/settings.json",
        "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}\r\n",
    ),
    (
        "claude",
        ".claude/settings.json",
        "{\n  \"permissions\": {\n    \"allow\": [],\n    \"deny\": []\n  }\n}",
    ),
    (
        "claude",
        ".claude/settings.json",
        "{\"permissions\":{\"allow\":[\"Bash(git sq record:*)\",\"Bash(ls:*)\"]}}\n",
    ),
    (
        "claude",
        ".claude/settings.json",
        "{\n\t\"permissions\": {\"allow\": [\"Bash(npm test)\"]},\n\t\"env\": {\"TOKEN\": \"secret\"}\n}",
    ),
    (
        "claude",
        ".claude/settings.json",
        "{\n    \"model\": \"opus\",\n\n\n    \"includeCoAuthoredBy\": false\n\n}\n",
    ),
    (
        "claude",
        ".claude/settings.json",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\n        \"hooks\": [\n          { \"type\": \"command\", \"command\": \"./notify.sh && git sq hook stop\" }\n        ]\n      }\n    ]\n  }\n}\n",
    ),
    (
        "claude",
        ".claude/settings.json",
        "{\n  \"hooks\": {\n    \"Stop\": [{\"matcher\": \"\", \"hooks\": []}],\n    \"PostToolUse\": [{\"matcher\": \"Edit|Write\", \"hooks\": [{\"type\": \"command\", \"command\": \"cargo fmt\"}]}]\n  }\n}\n",
    ),
    (
        "claude --local",
        ".claude/settings.local.json",
        "{\n  \"permissions\": {\n    \"allow\": [\n      \"WebSearch\"\n    ]\n  },\n  \"enabledMcpjsonServers\": []\n}\n",
    ),
    ("gemini", ".gemini/settings.json", "{ // c\n  \"hooks\": { }, /* x */\n}\n"),
    (
        "gemini",
        ".gemini/settings.json",
        "// first\r\n{\r\n    \"ui\": {}, // plain\r\n    \"hooks\": {\r\n        \"AfterAgent\": [ ], // none yet\r\n    },\r\n}\r\n// last",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\"mcpServers\":{\"db\":{\"command\":\"npx\",\"args\":[\"-y\",\"db\"]}},\"contextFileName\":[\"AGENTS.md\"]}",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "/* one */ { \"hooks\" : { \"SessionStart\" : [ /* two */ ] } } /* three */",
    ),
    (
        "gemini",
        ".gemini/settings.json",
        "{\n  \"mcpServers\": {},\n  \"tools\": {\"allowed\": [\"run_shell_command(git)\"]},\n}",
    ),
    ("qwen", ".qwen/settings.json", "{\n  \"$version\": 4\n}\n"),
    (
        "qwen",
        ".qwen/settings.json",
        "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(git *)\"\n    ]\n  },\n  \"$version\": 3\n}",
    ),
    (
        "codex",
        ".codex/hooks.json",
        "{\n  \"hooks\": {\n    \"SessionStart\": [\n      {\n        \"matcher\": \"startup|resume\",\n        \"hooks\": [\n          {\n            \"type\": \"command\",\n            \"command\": \"python3 .codex/start.py\",\n            \"timeout\": 30\n          }\n        ]\n      }\n    ]\n  }\n}\n",
    ),
    (
        "codex",
        ".codex/hooks.json",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]}]}}\r\n",
    ),
    ("codex", ".codex/config.toml", "# mine\r\nmodel = \"o4\"\r\n[features]\r\nhooks = true"),
    ("cursor", ".cursor/hooks.json", "{\n  \"version\": 1,\n  \"hooks\": {\"stop\": []}\n}\n"),
];

/// What people have in the instructions.
const INSTRUCTIONS: [&str; 8] = [
    "",
    "\n",
    "# Rules",
    "# Rules\n",
    "# Rules\r\n\r\nNo tabs.\r\n",
    "\u{feff}# Rules\n\n\n",
    "a\rb",
    "See <!-- git sq: begin\n",
];

#[test]
fn settings_of_every_form_come_out_byte_for_byte() {
    for (agent, path, text) in SETTINGS {
        let world = World::asked();
        world.write(path, text);
        let before = tree(&world.dir);
        world.sq_ok(&format!("agent install {agent} --yes"));
        let planted = tree(&world.dir);
        assert!(planted != before && remembers(&world), "{path} {text}");
        let again = world.sq_ok(&format!("agent install {agent} --yes"));
        assert_eq!(again, "Nothing to do.\n", "{text}");
        assert_eq!(tree(&world.dir), planted, "{text}");
        world.sq_ok("agent remove --yes");
        assert_eq!(tree(&world.dir), before, "{text}");
        assert!(!remembers(&world), "{text}");
    }
}

#[test]
fn instructions_of_every_form_come_out_byte_for_byte() {
    for text in INSTRUCTIONS {
        let world = World::asked();
        world.write("AGENTS.md", text);
        world.write("CLAUDE.md", text);
        let before = tree(&world.dir);
        for _ in 0..2 {
            world.sq_ok("agent install claude --yes");
        }
        world.sq_ok("agent remove --yes");
        assert_eq!(tree(&world.dir), before, "{text:?}");
    }
}
