//! What was planted is remembered, and no more than that is taken back.

use std::{collections::BTreeMap, fs, path::Path};

use git_sq::entry::sha256_hex;
use git_sq_test_support::World;
use serde_json::{Value, json};

/// All files and folders but git's, with what is in them.
pub fn tree(dir: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(dir).unwrap().to_str().unwrap();
            if name != ".git" {
                found.insert(name.to_owned(), fs::read(&path).ok());
                folders.extend(path.is_dir().then_some(path));
            }
        }
    }
    found
}

/// Makes a planted file one that another version of the program planted in this clone.
pub fn age(dir: &Path, path: &str, from: &str, to: &str) {
    let file = dir.join(path);
    let text = fs::read_to_string(&file).unwrap();
    let older = text.replacen(from, to, 1);
    assert_ne!(older, text, "{path}");
    fs::write(file, &older).unwrap();
    let memory = dir.join(".git/sq/planted.json");
    let mut roots: Value = serde_json::from_slice(&fs::read(&memory).unwrap()).unwrap();
    for planted in roots
        .as_object_mut()
        .unwrap()
        .values_mut()
        .flat_map(|root| root["files"].as_object_mut().unwrap().values_mut())
        .filter(|planted| planted["sha256"] == sha256_hex(text.as_bytes()))
    {
        planted["sha256"] = sha256_hex(older.as_bytes()).into();
        let texts = planted["texts"].as_array_mut().unwrap();
        for own in texts {
            *own = own.as_str().unwrap().replacen(from, to, 1).into();
        }
    }
    fs::write(memory, roots.to_string()).unwrap();
}

pub fn remembers(world: &World) -> bool {
    world.dir.join(".git/sq/planted.json").exists()
}

/// A world where this was installed for Claude Code, and what was there before.
fn installed() -> (World, BTreeMap<String, Option<Vec<u8>>>) {
    let world = World::asked();
    let before = tree(&world.dir);
    world.sq_ok("agent install claude --yes");
    (world, before)
}

fn edit(world: &World, path: &str, from: &str, to: &str) {
    let text = world.read(path);
    assert_has!(text, from);
    world.write(path, text.replacen(from, to, 1));
}

fn settings(world: &World) -> Value {
    let text = fs::read(world.dir.join(".claude/settings.json")).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn what_a_person_changed_since_stays() {
    let (world, _) = installed();
    edit(
        &world,
        ".claude/settings.json",
        "&& git sq hook stop",
        "&& ./notify.sh; git sq hook stop",
    );
    edit(&world, ".claude/settings.json", "{\n", "{\n  \"model\": \"opus\",\n");
    edit(&world, ".claude/skills/git-sq/SKILL.md", "# Standing", "# Our standing");
    edit(&world, "AGENTS.md", "Record the answers", "Write the answers down");
    let status = world.json("agent status");
    let told = "SKILL.md exists, and is not as git sq wrote it; without it, `git sq agent install claude --project` writes it again";
    assert_has!(status["agents"][0]["warnings"][0].as_str().unwrap(), told);
    let changed = ["AGENTS.md", ".claude/skills/git-sq/SKILL.md"]
        .map(|path| fs::read(world.dir.join(path)).unwrap());
    let ran = world.try_sq("agent remove --yes");
    let why = "stays: this clone did not write it, or it was changed since";
    assert_has!(ran.stderr, format!("note: AGENTS.md (instructions) {why}\n"));
    assert_has!(ran.stderr, format!("note: .claude/skills/git-sq/SKILL.md (skill) {why}\n"));
    let ours = "command -v git-sq >/dev/null 2>&1 && ./notify.sh; git sq hook stop || true";
    let handler = json!({ "type": "command", "command": ours, "timeout": 10 });
    assert_eq!(
        settings(&world),
        json!({ "model": "opus", "hooks": { "Stop": [{ "hooks": [handler] }] } })
    );
    assert_eq!(
        changed,
        ["AGENTS.md", ".claude/skills/git-sq/SKILL.md"]
            .map(|path| fs::read(world.dir.join(path)).unwrap())
    );
    // Nor does the next install replace it, and what is told works.
    let ran = world.try_sq("agent install claude --project --yes");
    assert_has!(
        ran.stderr,
        "fatal: .claude/skills/git-sq/SKILL.md exists, and is not as git sq wrote it\nhint: move it away, and try again\n"
    );
    fs::remove_file(world.dir.join(".claude/skills/git-sq/SKILL.md")).unwrap();
    let ran = world.try_sq("agent install claude --project --yes");
    assert_has!(ran.stderr, "hint: delete the paragraph with its marks, and try again\n");
    fs::remove_file(world.dir.join("AGENTS.md")).unwrap();
    world.sq_ok("agent install claude --project --yes");
    assert_eq!(world.json("agent status")["agents"][0]["warnings"], json!([]));
}

#[test]
fn an_edit_elsewhere_keeps_nothing_of_ours() {
    let (world, before) = installed();
    world.write(".claude/own.md", "mine\n");
    let text = world.read(".claude/settings.json");
    world.write(".claude/settings.json", text.replace("  ", "\t").replace('\n', "\r\n"));
    edit(&world, "AGENTS.md", "<!--", "# Rules\n\n<!--");
    let told = world.sq_ok("agent remove --dry-run");
    let said = world.sq_ok("agent remove --yes");
    assert_eq!(told, said + "Nothing was changed (--dry-run).\n");
    let mut left = before;
    left.insert(".claude".into(), None);
    left.insert(".claude/own.md".into(), Some("mine\n".into()));
    left.insert("AGENTS.md".into(), Some("# Rules\n".into()));
    assert_eq!(tree(&world.dir), left);
    assert!(!remembers(&world));
}

#[test]
fn folders_and_files_that_were_there_stay_though_they_are_empty() {
    let world = World::asked();
    fs::create_dir_all(world.dir.join(".claude/skills")).unwrap();
    world.write("AGENTS.md", "");
    let before = tree(&world.dir);
    world.sq_ok("agent install claude gemini --yes");
    world.sq_ok("agent remove gemini --yes");
    world.sq_ok("agent remove --yes");
    assert_eq!(tree(&world.dir), before);
}

/// It knows its own commands, whole, and no more.
#[test]
fn a_clone_that_remembers_nothing_deletes_no_file() {
    let world = World::asked();
    world.write(".claude/settings.json", "{\"hooks\": {\"Stop\": []}}\n");
    world.sq_ok("agent install claude codex --yes");
    world.commit("agents");
    world.git_ok("clone --quiet . ../fresh");
    let planter = world.dir.clone();
    let fresh = world.root().join("fresh");
    let fresh = world.at(fresh);
    let files = |world: &World| tree(&world.dir).into_keys().collect::<Vec<_>>();
    let before = files(&fresh);
    let ran = fresh.try_sq("agent remove --yes").exits(0);
    assert_eq!(files(&fresh), before);
    let why = "stays: this clone did not write it, or it was changed since";
    let notes: String = [
        ".agents/skills/git-sq/SKILL.md (skill)",
        ".claude/settings.json (allow)",
        ".claude/skills/git-sq/SKILL.md (skill)",
        ".codex/rules/git-sq.rules (allow)",
    ]
    .map(|what| format!("note: {what} {why}\n"))
    .concat();
    assert_eq!(ran.stderr, notes);
    // What stays is not among what is removed.
    assert!(!ran.stdout.contains("allow") && !ran.stdout.contains("skill"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("claude").count(), 2, "{}", ran.stdout);
    let left = settings(&fresh);
    let hooks = json!({ "SessionStart": [], "Stop": [], "PreCompact": [], "SessionEnd": [] });
    assert_eq!(
        (&left["hooks"], left["permissions"]["allow"].as_array().unwrap().len()),
        (&hooks, 11)
    );
    assert_eq!(fs::read_to_string(fresh.dir.join("AGENTS.md")).unwrap(), "");
    // The clone that planted it has it all back.
    let world = fresh.at(planter);
    world.sq_ok("agent remove --yes");
    assert_eq!(world.read(".claude/settings.json"), "{\"hooks\": {\"Stop\": []}}\n");
    assert!(!world.dir.join("AGENTS.md").exists() && !world.dir.join(".codex").exists());
}

#[test]
fn rules_that_are_added_later_come_out_with_the_rest() {
    let world = World::asked();
    let own = "{\"permissions\": {\"allow\": [\"Bash(git sq log:*)\"]}}";
    world.write(".claude/settings.json", own);
    let before = tree(&world.dir);
    world.sq_ok("agent install claude --yes --no-allow");
    world.sq_ok("agent install claude --yes");
    // Also if it is edited, and a rule is one that the person had.
    edit(&world, ".claude/settings.json", "{", "{ ");
    world.sq_ok("agent remove --yes");
    assert_eq!(settings(&world), serde_json::from_str::<Value>(own).unwrap());
    world.write(".claude/settings.json", own);
    assert_eq!(tree(&world.dir), before);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn undo_forgets_no_agents() {
    let world = World::asked();
    let before = tree(&world.dir);
    world.sq_ok("init");
    world.sq_ok("agent install claude --yes");
    let told = world.sq_ok("init --undo --dry-run");
    let undone = world.person_ok("init --undo");
    assert_has!(
        undone,
        "sq/ in the git directory, with the local state of this clone, but for what `git sq agent remove` needs\n"
    );
    assert_has!(
        told,
        "sq/ in the git directory, with the local state of this clone, but for what `git sq agent remove` needs\n"
    );
    let left: Vec<_> = fs::read_dir(world.dir.join(".git/sq"))
        .unwrap()
        .map(|it| it.unwrap().file_name())
        .collect();
    assert_eq!(left, ["planted.json"]);
    world.sq_ok("agent remove --yes");
    assert_eq!(tree(&world.dir), before);
    assert!(!world.dir.join(".git/sq").exists());
    // Also where a person took it all out by hand.
    world.sq_ok("agent install claude --yes");
    world.git_ok("clean -dffqx");
    let own = "{\"model\": \"opus\"}";
    world.write(".claude/settings.json", own);
    assert_eq!(world.sq_ok("agent remove --yes"), "Nothing to do.\n");
    assert_eq!(world.read(".claude/settings.json"), own);
    assert!(!world.dir.join(".git/sq").exists());
}

#[test]
fn what_was_put_back_by_hand_is_as_it_was() {
    let world = World::asked();
    let own = "{\"permissions\": {\"allow\": [\"Bash(git sq log:*)\"]}}";
    for text in ["{}", own, own, "{\"hooks\": {\"Stop\": []}}"] {
        world.write(".claude/settings.json", text);
        let before = tree(&world.dir);
        world.sq_ok("agent install claude --yes");
        world.write(".claude/settings.json", text);
        world.sq_ok("agent install claude --yes");
        world.sq_ok("agent remove --yes");
        assert_eq!(tree(&world.dir), before);
    }
}

/// In a repository where the questions that fit are fewer, and where the store was changed.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn undo_knows_the_store_that_init_made() {
    for path in ["package.json", ".github/workflows/ci.yml", "Cargo.toml"] {
        let world = World::new();
        world.change(path, "{}\n");
        let before = tree(&world.dir);
        for _ in 0..2 {
            world.sq_ok("init");
        }
        world.person_ok("init --undo");
        assert_eq!(tree(&world.dir), before, "{path}");
        world.sq_ok("init");
        edit(&world, "context/standing_questions.json", "{", "{ ");
        let said = world.person_ok("init --undo");
        assert_has!(
            said,
            "store:  context/standing_questions.json stays: init did not write it, or it was changed since\n"
        );
    }
    // A store that looks like one of ours.
    let world = World::new();
    world.write(
        "context/standing_questions.json",
        "{\n  \"_schema\": \"standing_questions/v2\",\n  \"questions\": []\n}\n",
    );
    let before = tree(&world.dir);
    world.sq_ok("init");
    world.person_ok("init --undo");
    assert_eq!(tree(&world.dir), before);
}

#[cfg(unix)]
#[test]
fn the_memory_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let world = World::asked();
    let token = "{\"env\": {\"TOKEN\": \"hunter2\"}}\n";
    world.write(".claude/settings.json", token);
    world.sq_ok("agent install claude --yes");
    let user = world.home().join(".gemini/settings.json");
    fs::create_dir_all(user.parent().unwrap()).unwrap();
    fs::write(&user, token).unwrap();
    world.sq_ok("agent install gemini --user --yes");
    let memories = [
        world.dir.join(".git/sq/planted.json"),
        world.home().join(".local/state/git-sq/planted.json"),
    ];
    for memory in &memories {
        assert_eq!(memory.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert!(!world.sq_ok("agent status").contains("hunter2"));
    world.sq_ok("agent remove --yes");
    world.sq_ok("agent remove --user --yes");
    assert_eq!(fs::read_to_string(&user).unwrap(), token);
    assert!(memories.iter().all(|memory| !memory.exists()));
    // A damaged one is as good as none.
    world.sq_ok("agent install claude --yes");
    world.write(".git/sq/planted.json", "{\"\": 1");
    let ran = world.try_sq("agent remove --yes");
    assert_eq!((ran.code, settings(&world)["env"]["TOKEN"].as_str()), (0, Some("hunter2")));
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn values_that_init_did_not_set_stay_in_the_configuration() {
    let world = World::new();
    world.commit("one");
    for (key, value) in [
        ("notes.displayRef", "refs/notes/sq*"),
        ("remote.fork.sq", "false"),
        ("sq.hooks", "true"),
        ("hook.sq-lint.command", "make lint"),
        ("hook.sq-pre-push.command", "git-sq hook pre-push; ./notify.sh"),
        ("hook.sq-pre-push.event", "pre-push"),
    ] {
        world.git(&["config", key, value]).ok();
    }
    let config = || world.read(".git/config");
    let before = config();
    world.sq_ok("init --display");
    let undone = world.person_ok("init --undo");
    assert_eq!(config(), before, "{undone}");
}
