//! A coding agent in a world of its own, where a person has set it up.

use std::{env, fs, path::PathBuf, process::Command};

use git_sq_test_support::{Ran, World, variables, words};
use serde_json::Value;

use crate::{
    model::{Model, Step},
    table::Harness,
};

impl Harness {
    /// Its folder of npm, where npm can install it; says why where it can't. `SQ_HARNESSES` names a folder that has it.
    pub fn folder(&self, world: &World) -> Option<PathBuf> {
        let folder =
            env::var_os("SQ_HARNESSES").map_or_else(|| world.root(), PathBuf::from).join(self.name);
        if folder.join("node_modules/.bin").join(self.name).exists() {
            return Some(folder);
        }
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("package.json"), "{\"private\":true}\n").unwrap();
        // In the environment of whoever runs this: npm's registry and its certificates are set there.
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund"]);
        match npm.args(self.packages.split(' ')).current_dir(&folder).output() {
            Ok(ran) if ran.status.success() => Some(folder),
            Ok(ran) => {
                let said = String::from_utf8_lossy(&ran.stderr);
                println!("skipped: npm could not install {:?}: {said}", self.packages);
                None
            }
            Err(error) => {
                println!("skipped: npm could not be started: {error}");
                None
            }
        }
    }
}

pub struct Scene {
    pub harness: Harness,
    pub world: World,
    program: PathBuf,
    path: String,
    pub model: Model,
    url: String,
}

impl Scene {
    pub fn set(harness: Harness) -> Option<Self> {
        let world = World::new();
        let folder = harness.folder(&world)?;
        let (model, url) = Model::serve();
        let command = world.sq_command(&[]);
        let path = command.get_envs().find_map(|(name, value)| value.filter(|_| name == "PATH"));
        // Qwen Code wants a newer node than others have.
        let node = folder.join("node_modules/node/bin");
        let path = format!("{}:{}", node.display(), path.unwrap().to_string_lossy());
        let scene = Self {
            program: folder.join("node_modules/.bin").join(harness.name),
            harness,
            world,
            path,
            model,
            url,
        };
        scene.prepare();
        Some(scene)
    }

    /// Writes what the harness finds in the home of its user and in the repository.
    fn prepare(&self) {
        let world = &self.world;
        let (path, text) = self.harness.settings;
        let text = text.replace("ADDRESS", &self.url).replace("DIR", &world.dir.to_string_lossy());
        let file = world.home().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        // Codex starts a login shell.
        let profile = format!("export PATH='{}'\n", self.path);
        fs::write(world.home().join(".bash_profile"), profile).unwrap();
        world.git_ok("config --global --unset sq.agentCommands");
        for (path, text) in self.harness.own {
            world.write(path, text);
        }
        world.ask(&["q1", "q2"]);
    }

    pub fn install(&self) {
        match self.harness.install {
            Some(more) => {
                let install = ["agent", "install", "--yes", self.harness.name];
                self.world.sq(&[&install[..], more].concat()).ok();
            }
            None => self.world.write("AGENTS.md", include_str!("../../seeds/agents/paragraph.md")),
        }
        self.world.git_ok("add --all");
        self.world.git_ok("commit --quiet --allow-empty -m Agents");
    }

    /// Runs it with the words of a line; gives what the model was asked.
    pub fn run(&self, line: &str, steps: impl IntoIterator<Item = Step>) -> Vec<Value> {
        self.model.play(steps);
        let command = self.world.sq_command(&[]);
        let mut own = Command::new(&self.program);
        own.args(words(line)).current_dir(&self.world.dir).env_clear();
        own.envs(variables(&command));
        own.env("PATH", &self.path);
        let env = self.harness.env.iter();
        own.envs(env.map(|(name, value)| (name, value.replace("ADDRESS", &self.url))));
        let ran = own.stdin(std::process::Stdio::null()).output().unwrap();
        Ran::from(ran).ok();
        self.model.asked()
    }

    /// All that git would take. opencode puts more into its folder, with a `.gitignore` for it.
    pub fn tree(&self) -> String {
        self.world.git_ok("add --all");
        self.world.git_ok("ls-files --stage")
    }

    pub fn lines(&self) -> Vec<Value> {
        self.world
            .sq(&["export", "--kind", "all"])
            .ok()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}
