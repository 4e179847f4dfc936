//! Coding agents for real, from npm, with a model of our own: `git sq agent install` brings the brief, lets the agent
//! record under its session, asks it once before it stops, and comes out to the byte.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use git_sq_test_support::{Ran, World};
use serde_json::json;

use crate::model::{Model, Step};

/// A harness as it is installed and started.
struct Harness {
    name: &'static str,
    package: &'static str,
    args: &'static [&'static str],
    /// What it wants to be told in its environment; `URL` stands for the address of the model.
    env: &'static [(&'static str, &'static str)],
    /// The same in a file below home.
    settings: (&'static str, &'static str),
    /// What a person has in the repository already.
    own: &'static [(&'static str, &'static str)],
}

const CLAUDE: Harness = Harness {
    name: "claude",
    package: "@anthropic-ai/claude-code@2.1.330",
    args: &["-p", "hello", "--model", "claude-opus-4-5"],
    env: &[
        ("ANTHROPIC_BASE_URL", "URL"),
        ("ANTHROPIC_API_KEY", "dummy"),
        ("DISABLE_TELEMETRY", "1"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ],
    settings: (
        ".claude.json",
        r#"{"projects":{"DIR":{"hasTrustDialogAccepted":true}}}"#,
    ),
    own: &[
        (
            ".claude/settings.json",
            "{\n    \"env\": { \"A\": \"b\" },\n    \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}",
        ),
        ("CLAUDE.md", "# Rules\n\nNo tabs."),
    ],
};

const CODEX: Harness = Harness {
    name: "codex",
    package: "@openai/codex@0.169.0",
    args: &[
        "exec",
        "--trust",
        "--dangerously-bypass-hook-trust",
        "--sandbox",
        "workspace-write",
        "hello",
    ],
    env: &[("FAKE_KEY", "dummy")],
    settings: (
        ".codex/config.toml",
        "model = 'fake'\nmodel_provider = 'fake'\n[model_providers.fake]\nname = 'fake'\nbase_url = 'URL/v1'\nwire_api = 'responses'\nenv_key = 'FAKE_KEY'\nsupports_websockets = false\n",
    ),
    own: &[
        (".codex/hooks.json", "{\n\t\"hooks\": {\"Stop\": []}\n}\n"),
        ("AGENTS.md", "# Rules\r\n\r\nNo tabs.\r\n"),
    ],
};

const GEMINI: Harness = Harness {
    name: "gemini",
    package: "@google/gemini-cli@0.61.0",
    args: &["-y", "-p", "hello"],
    env: &[
        ("GEMINI_CLI_TRUST_WORKSPACE", "true"),
        ("GOOGLE_GEMINI_BASE_URL", "URL"),
        ("GEMINI_API_KEY", "dummy"),
    ],
    settings: (
        ".gemini/settings.json",
        r#"{"security":{"auth":{"selectedType":"gemini-api-key"}}}"#,
    ),
    own: &[(
        ".gemini/settings.json",
        "// ours\n{\n  \"ui\": {} // plain\n}\n",
    )],
};

const COPILOT: Harness = Harness {
    name: "copilot",
    package: "@github/copilot@1.0.102",
    args: &["--allow-all-tools", "--trust-folder", "-p", "hello"],
    env: &[
        ("COPILOT_PROVIDER_BASE_URL", "URL/v1"),
        ("COPILOT_MODEL", "fake"),
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_AUTO_UPDATE", "false"),
    ],
    settings: (".copilot/README", "not read\n"),
    own: &[(
        ".github/hooks/lint.json",
        "{\"version\": 1, \"hooks\": {}}\n",
    )],
};

impl Harness {
    /// Its program, where npm can install it; says why where it can't. `SQ_HARNESSES` names a folder that has it.
    fn program(&self, world: &World) -> Option<PathBuf> {
        let kept = env::var_os("SQ_HARNESSES").map(PathBuf::from);
        let folder = kept.unwrap_or_else(|| world.root()).join(self.name);
        let program = folder.join("node_modules/.bin").join(self.name);
        if program.exists() {
            return Some(program);
        }
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("package.json"), "{\"private\":true}\n").unwrap();
        // In the environment of whoever runs this: npm's registry and its certificates are set there.
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", self.package]);
        match npm.current_dir(&folder).output() {
            Ok(ran) if ran.status.success() => Some(program),
            Ok(ran) => {
                let said = String::from_utf8_lossy(&ran.stderr);
                println!("skipped: npm could not install {}: {said}", self.package);
                None
            }
            Err(error) => {
                println!("skipped: npm could not be started: {error}");
                None
            }
        }
    }

    fn start(&self, world: &World, program: &Path, url: &str) -> Ran {
        let mut command = world.sq_command(&[]);
        let envs = command.get_envs();
        let mut own = Command::new(program);
        own.args(self.args).current_dir(&world.dir).env_clear();
        own.envs(envs.filter_map(|(name, value)| Some((name, value?))));
        own.envs(
            self.env
                .iter()
                .map(|(name, value)| (name, value.replace("URL", url))),
        );
        command = own;
        let ran: Ran = command
            .stdin(std::process::Stdio::null())
            .output()
            .unwrap()
            .into();
        assert_eq!(ran.code, 0, "{}", ran.transcript());
        ran
    }

    /// Writes what it finds in the home of its user and in the repository.
    fn prepare(&self, world: &World, url: &str) {
        let (path, text) = self.settings;
        let text = text.replace("URL", url);
        let text = text.replace("DIR", &world.dir.to_string_lossy());
        let file = world.home().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        // Codex starts a login shell, and Gemini CLI hides the user's configuration of git.
        let command = world.sq_command(&[]);
        let mut envs = command.get_envs();
        let path = envs.find_map(|(name, value)| value.filter(|_| name == "PATH"));
        let profile = format!("export PATH='{}'\n", path.unwrap().to_string_lossy());
        fs::write(world.home().join(".bash_profile"), profile).unwrap();
        world.git_ok("config user.name Ada");
        world.git_ok("config user.email ada@example.org");
        for (path, text) in self.own {
            world.write(path, text);
        }
        world.commit("Settings");
    }

    fn prove(&self) {
        let world = World::asked();
        let Some(program) = self.program(&world) else {
            return;
        };
        let (model, url) = Model::serve();
        self.prepare(&world, &url);
        let before = files(&world.dir);
        world.sq(&["agent", "install", "--yes", self.name]).ok();
        world.commit("Agents");

        model.play([
            Step::Shell("git sq record --same q1=here"),
            Step::Shell("git sq state set --status half --handover see-PARSER"),
            Step::Say("bye"),
        ]);
        self.start(&world, &program, &url);
        let asked = model.asked();
        assert_eq!(asked.len(), 3, "{asked:?}");
        assert!(
            asked[0].to_string().contains("# Standing questions"),
            "{}",
            asked[0]
        );
        let lines = world.sq(&["export", "--kind", "all"]).ok();
        let lines = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<serde_json::Value> = lines.collect();
        let of = |kind: &str| lines.iter().find(|line| line["kind"] == kind);
        let answer = of("rederive").unwrap_or_else(|| panic!("{asked:?}"));
        let sid = answer["sid"].as_str().unwrap();
        let own = files(&world.home());
        assert!(
            own.keys().any(|path| path.contains(&sid[..8])),
            "{sid}: {own:?}"
        );
        assert_eq!(of("state").map(|line| &line["sid"]), Some(&json!(sid)));

        model.play([Step::Say("bye")]);
        self.start(&world, &program, &url);
        let asked = model.asked();
        assert!(asked[0].to_string().contains("see-PARSER"), "{}", asked[0]);
        assert_eq!(asked.len(), 1, "{asked:?}");

        world.git_ok("config sq.enforce true");
        world.commit("More");
        model.play([Step::Say("one"), Step::Say("two"), Step::Say("three")]);
        self.start(&world, &program, &url);
        assert_eq!(model.asked().len(), 2, "one more turn, and no other");

        world.sq(&["agent", "remove", "--yes"]).ok();
        assert_eq!(files(&world.dir), before);
        println!(
            "{}: brief, record as {sid}, state, one question before the stop, removed",
            self.name
        );
    }
}

/// All files below a folder but git's.
fn files(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path
                .strip_prefix(dir)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            if path.is_dir() && !path.is_symlink() && name != ".git" {
                folders.push(path);
            } else if path.is_file() {
                found.insert(name, fs::read(path).unwrap_or_default());
            }
        }
    }
    found
}

#[test]
fn claude() {
    CLAUDE.prove();
}

#[test]
fn the_plugin_and_the_skill_are_valid() {
    let world = World::without_repo();
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/plugin");
    let skill = plugin.join("skills/git-sq");
    let claude = CLAUDE.program(&world);
    let claude = claude.map(|claude| (claude, &["plugin", "validate", "--strict"][..], &plugin));
    // From the Python package skills-ref.
    let agentskills = Some((PathBuf::from("agentskills"), &["validate"][..], &skill));
    for (program, args, what) in [claude, agentskills].into_iter().flatten() {
        let mut command = world.command(&program.to_string_lossy());
        match command.args(args).arg(what).output() {
            Ok(ran) => println!("{}", Ran::from(ran).ok()),
            Err(error) => println!("skipped: {}: {error}", program.display()),
        }
    }
}

#[test]
fn codex() {
    CODEX.prove();
}

#[test]
fn gemini() {
    GEMINI.prove();
}

#[test]
fn copilot() {
    COPILOT.prove();
}
