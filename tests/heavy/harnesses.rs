//! Coding agents for real, from npm, with a model of our own: what `git sq agent install` and the paragraph bring about in
//! each, from the brief in the first request to the removal of every byte.

use std::{
    fs,
    path::{Path, PathBuf},
};

use git_sq_test_support::{Ran, World};
use serde_json::{Value, json};

use crate::{
    model::Step,
    scene::Scene,
    table::{CLAUDE, CODEX, COPILOT, Compact, GEMINI, Harness, OPENCODE, PI, QWEN},
};

/// The beginning of a brief, as it is in JSON.
const BRIEF: &str = "# Standing questions\\n\\nDerive";

const GOES_ON: &str = "already answered in this session: q1";

impl Scene {
    /// Proves what the harness can do, else says why it can't.
    fn row(&self, name: &str, prove: impl FnOnce()) {
        let mut lacks = self.harness.lacks.iter();
        let why = lacks.find(|(row, _)| *row == name);
        if why.is_none() {
            prove();
        }
        let said = why.map_or("proven".to_owned(), |(_, why)| format!("skipped: {why}"));
        println!("{}: {name}: {said}", self.harness.name);
    }

    fn prove(&self) {
        let (harness, world) = (self.harness, &self.world);
        let before = self.tree();
        self.install();

        let asked = self.run(
            harness.args,
            [
                Step::Shell("git sq record 'q1=the answer' --cite q1=standing_questions.json:1"),
                Step::Shell("git sq state set --status half --handover see-PARSER"),
                Step::Say("bye"),
            ],
        );
        assert_eq!(asked.len(), 3, "{asked:?}");
        if harness.install.is_some() {
            has(&asked[0], BRIEF);
            has(&asked[0], "git sq record 'q1=the answer' --cite q1=path:3-5");
        } else {
            has(&asked[0], "run `git sq brief --format markdown`");
        }
        let lines = self.lines();
        let of = |kind: &str| lines.iter().find(|line| line["kind"] == kind);
        let answer = of("rederive").unwrap_or_else(|| panic!("{asked:?}"));
        let sid = answer["sid"].as_str().unwrap();
        assert_eq!(of("state").map(|line| &line["sid"]), Some(&json!(sid)));
        assert_eq!(answer["by"]["name"], "Ada Example");
        if harness.install.is_some() {
            assert_eq!(answer["agent"]["name"], harness.name);
            let is_known = |path: &String| path.contains(&sid[..8]);
            // opencode keeps its sessions in a database.
            assert!(harness.name == "opencode" || files(&world.home()).iter().any(is_known));
        }
        self.row("brief, record, state", || {});
        self.row("end", || {
            assert_eq!(of("session").map(|line| &line["sid"]), Some(&json!(sid)));
        });

        let resume = harness.resume.replace("SID", sid);
        let asked = self.run(&resume, [Step::Shell("git sq brief"), Step::Say("bye")]);
        has(asked.last().unwrap(), GOES_ON);
        assert!(harness.install.is_none() || asked[0].to_string().contains(GOES_ON));
        self.row("resume", || {});
        self.row("compaction", || self.compact(sid));
        self.row("subagent", || self.delegate());

        world.sq_ok("state set --sid last --handover see-PARSER");
        let asked = self.run(harness.args, [Step::Shell("git sq brief"), Step::Say("bye")]);
        has(asked.last().unwrap(), "see-PARSER");
        assert_eq!(asked.len(), 2, "{asked:?}");

        world.git_ok("config sq.enforce true");
        self.row("enforce", || self.enforce());

        match harness.install {
            Some(more) => {
                let remove = ["agent", "remove", "--yes"];
                world.sq(&[&remove[..], more].concat()).ok();
            }
            None => fs::remove_file(world.dir.join("AGENTS.md")).unwrap(),
        }
        assert_eq!(self.tree(), before);
        let settings = fs::read_to_string(world.home().join(harness.settings.0)).unwrap();
        assert!(!settings.contains("git sq hook"), "{settings}");
        self.row("removal", || {});
    }

    fn compact(&self, sid: &str) {
        let resume = self.harness.resume.replace("SID", sid);
        let asked = match self.harness.compact {
            Compact::At(tokens) => {
                let full = Step::Full(tokens, "git sq status");
                self.run(&resume, [full, Step::Say("bye"), Step::Say("bye")])
            }
            Compact::By(args) => {
                self.run(&args.replace("SID", sid), []);
                self.run(&resume, [Step::Say("bye")])
            }
            Compact::Not => unreachable!(),
        };
        let last = asked.last().unwrap();
        has(last, BRIEF);
        has(last, GOES_ON);
    }

    /// What a subagent writes belongs to the session of the main agent.
    fn delegate(&self) {
        let (tool, input) = self.harness.sub;
        let before = self.lines().len();
        let steps = [
            Step::Tool(tool, serde_json::from_str(input).unwrap()),
            Step::Shell("sleep 3"),
            Step::Shell("git sq state set --status from-the-main-agent"),
            Step::Say("bye"),
        ];
        self.run(self.harness.args, steps);
        let asked = self.model.asked_by_sub();
        assert!(!asked[0].to_string().contains(BRIEF), "{}", asked[0]);
        let lines = self.lines();
        let wrote: Vec<&Value> =
            lines[before..].iter().filter(|line| line["kind"] == "state").collect();
        assert_eq!(wrote.len(), 2, "{asked:?}");
        assert_eq!(wrote[0]["sid"], wrote[1]["sid"], "{wrote:?}");
        for line in wrote {
            assert_eq!(line["agent"]["name"], self.harness.name);
        }
    }

    fn enforce(&self) {
        let world = &self.world;
        // After the session has started.
        world.pass(600);
        let mut commit = world.command("git");
        world.pass(-600);
        commit.args(["commit", "--quiet", "--allow-empty", "-m", "Work"]);
        let stop = Step::SayAfter("one", commit);
        let asked = self.run(self.harness.args, [stop, Step::Say("two"), Step::Say("three")]);
        assert_eq!(asked.len(), 2, "one more turn, and no other");
        assert_eq!(
            self.run(self.harness.args, [Step::Say("hello")]).len(),
            1,
            "nothing was committed"
        );
    }
}

#[track_caller]
fn has(request: &Value, text: &str) {
    let request = request.to_string();
    assert!(request.contains(text), "{request}");
}

/// The names of all files below a folder.
fn files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else {
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    found
}

fn prove(harness: Harness) {
    if let Some(scene) = Scene::set(harness) {
        scene.prove();
    }
}

#[test]
fn claude() {
    prove(CLAUDE);
}

#[test]
fn codex() {
    prove(CODEX);
}

#[test]
fn copilot() {
    prove(COPILOT);
}

#[test]
fn gemini() {
    prove(GEMINI);
}

#[test]
fn qwen() {
    prove(QWEN);
}

#[test]
fn opencode() {
    prove(OPENCODE);
}

#[test]
fn pi() {
    prove(PI);
}

/// A person approved a command; the agent edits the file that it reads, and asks for its run outside the sandbox.
#[test]
fn no_command_of_a_question_is_a_way_out_of_the_sandbox() {
    for harness in [CODEX, CLAUDE, GEMINI] {
        let Some(scene) = Scene::set(harness) else {
            continue;
        };
        let world = &scene.world;
        let escaped = world.dir.join(".git/ESCAPED");
        world.write("tests/run.sh", ". tests/lib.sh\n");
        // What git ignores keeps nothing from running.
        world.write(".gitignore", "tests/lib.sh\n");
        world.write("tests/lib.sh", "echo ok\n");
        let probe = json!({"run": ["sh", "tests/run.sh"]});
        let store = json!({"_schema": "standing_questions/v2", "questions":
            [{"id": "q4", "q": "Do the tests pass?", "importance": 3, "probe": probe}]});
        world.write("standing_questions.json", store.to_string());
        scene.install();
        world.person("question approve q4", "yes\n").ok();
        world.person("probe q4", "").ok();
        world.write("tests/lib.sh", format!("touch '{}'\n", escaped.display()));
        let asked = scene.run(
            harness.args,
            [
                Step::Shell("touch .git/ESCAPED"),
                Step::Shell("git sq probe q4"),
                Step::Shell("git sq record"),
                Step::Shell("git sq check"),
                Step::Shell("git sq question approve q4"),
                Step::Shell("git sq init --undo"),
                Step::Say("bye"),
            ],
        );
        assert_eq!(asked.len(), 7, "{asked:?}");
        assert!(!escaped.exists(), "{asked:?}");
        has(&asked[4], "1 question asked");
        world.person("probe q4", "").ok();
        assert!(escaped.exists(), "the person's own run");
        println!("{}: refused", harness.name);
    }
}

#[test]
fn the_plugin_and_the_skill_are_valid() {
    let world = World::without_repo();
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/plugin");
    let skill = plugin.join("skills/git-sq");
    let claude = CLAUDE.folder(&world).map(|folder| folder.join("node_modules/.bin/claude"));
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
