//! `git sq agent`: what is planted for coding agents, and that taking it out leaves no trace.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
};

use git_sq_test_support::{World, each, executable};
use serde_json::{Value, json};

use super::remembered::{age, tree};

const ALL: [&str; 7] = ["claude", "codex", "copilot", "gemini", "qwen", "opencode", "cursor"];

/// What people have before: each in a layout of its own.
const OWN: [(&str, &str); 5] = [
    (".claude/settings.json", "{\n\t\"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}"),
    (".gemini/settings.json", "// ours\r\n{\r\n    \"ui\": {} // plain\r\n}\r\n"),
    (".qwen/settings.json", "{\n  \"a\": 1\n}\n"),
    ("CLAUDE.md", "# Rules\n\nNo tabs."),
    ("AGENTS.md", "# Rules\r\n"),
];

fn agents(world: &World) -> BTreeMap<String, Value> {
    let status = world.json("agent status");
    each(&status["agents"])
        .map(|agent| (agent["name"].as_str().unwrap().to_owned(), agent.clone()))
        .collect()
}

#[test]
fn what_is_installed_again_changes_nothing_and_what_is_removed_leaves_nothing() {
    let world = World::asked();
    world.write(
        ".claude/settings.local.json",
        "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ]\n  }\n}\n",
    );
    let before = tree(&world.dir);
    let shown = world.sq_ok("agent install --yes claude --local --dry-run");
    insta::assert_snapshot!(shown, @"
    claude  hooks, allow  .claude/settings.local.json
    Nothing was changed (--dry-run).
    ");
    assert_eq!(tree(&world.dir), before);
    world.sq_ok("agent install --yes claude --local");
    let again = world.try_sq("agent install --yes claude --local");
    assert_eq!(again.ok(), "Nothing to do.\n");
    world.sq_ok("agent remove --yes");
    assert_eq!(tree(&world.dir), before);
}

#[test]
fn a_summary_comes_first_and_only_yes_writes() {
    let world = World::asked();
    let line = "agent install claude codex gemini";
    let ran = world.person(line, "n\n");
    assert_has!(ran.stdout, "Nothing was written.");
    let ran = world.person(line, "y\n");
    insta::assert_snapshot!(ran.stdout.replace('\r', ""), @"
    claude  hooks, allow  .claude/settings.json
            skill         .claude/skills/git-sq/SKILL.md
            instructions  AGENTS.md
    codex   hooks, allow  .codex/hooks.json, .codex/rules/git-sq.rules
            skill         .agents/skills/git-sq/SKILL.md
            instructions  AGENTS.md
    gemini  hooks         .gemini/settings.json
            skill         .agents/skills/git-sq/SKILL.md
    Write this? [y/N] Commit these files: they are for everyone who works on this repository. Some agents ask once whether you trust them.
    ");
}

#[test]
fn a_file_that_can_t_be_changed_stops_no_other_agent() {
    let world = World::asked();
    let twice = "{\"hooks\": {}, \"hooks\": {}}";
    world.write(".gemini/settings.json", twice);
    let ran = world.try_sq("agent install codex gemini --yes").exits(1);
    assert_has!(
        ran.stderr,
        "note: gemini is left out: .gemini/settings.json:1:15: duplicate key \"hooks\"\n"
    );
    assert!(world.dir.join(".codex/hooks.json").exists());
    assert_eq!(world.read(".gemini/settings.json"), twice);
    world.write(".qwen/settings.json", "git sq {");
    let ran = world.try_sq("agent remove --yes");
    assert_has!(ran.stderr, "note: qwen is left out: .qwen/settings.json:1:1:");
    assert!(!world.dir.join(".codex").exists() && !world.dir.join("AGENTS.md").exists());
}

#[test]
fn ignored_files_need_no_commit() {
    let world = World::asked();
    world.write(".gitignore", ".claude/\n");
    let said = world.sq_ok("agent install claude --yes");
    assert_has!(
        said,
        "Commit these files (git ignores .claude/settings.json, .claude/skills/git-sq/SKILL.md): they"
    );
    world.sq_ok("agent remove --yes");
    world.write(".gitignore", "*\n");
    let said = world.sq_ok("agent install claude --yes");
    assert!(!said.contains("Commit"), "{said}");
    assert_has!(said, "for this worktree alone");
}

#[test]
fn any_agent_that_reads_agents_md_gets_the_paragraph_alone() {
    let world = World::asked();
    let before = tree(&world.dir);
    world.sq_ok("agent install agents-md --yes");
    let text = world.read("AGENTS.md");
    assert_has!(text, "git sq brief --format markdown");
    let mut with = before.clone();
    with.insert("AGENTS.md".into(), Some(text.into()));
    assert_eq!(tree(&world.dir), with);
    // Others share it, and need it for longer.
    world.sq_ok("agent install codex --yes");
    assert_eq!(world.sq_ok("agent remove agents-md --yes"), "Nothing to do.\n");
    world.sq_ok("agent remove codex --yes");
    assert_eq!(tree(&world.dir), before);
}

fn is_where_each_agent_reads_it(world: &World) {
    let files = tree(&world.dir).into_iter().filter_map(|(name, text)| text.map(|_| name + "\n"));
    insta::assert_snapshot!(files.collect::<String>(), @r#"
    .agents/skills/git-sq/SKILL.md
    .claude/settings.json
    .claude/skills/git-sq/SKILL.md
    .codex/hooks.json
    .codex/rules/git-sq.rules
    .cursor/rules/git-sq.mdc
    .gemini/settings.json
    .github/hooks/git-sq.json
    .opencode/plugins/git-sq.js
    .qwen/settings.json
    AGENTS.md
    standing_questions.json
    "#);
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/plugin/hooks/hooks.json");
    let hooks = |text: &str| serde_json::from_str::<Value>(text).unwrap()["hooks"].clone();
    assert_eq!(
        hooks(&world.read(".claude/settings.json")),
        hooks(&fs::read_to_string(plugin).unwrap()),
        "as the plugin has them"
    );
    let skill = world.read(".agents/skills/git-sq/SKILL.md");
    assert_eq!(skill, world.sq_ok("brief --help-agent"));
}

#[test]
fn permissions_are_named_and_can_be_left_out() {
    let world = World::asked();
    let said = world.try_sq("agent install --yes claude codex").stderr;
    let told = |file: &str| {
        format!(
            "note: {file} lets the agent run `git sq` without asking (--no-allow leaves this out)\n"
        )
    };
    assert_eq!(said, told(".claude/settings.json") + &told(".codex/rules/git-sq.rules"));
    world.sq_ok("agent remove --yes");
    let said = world.try_sq("agent install --yes claude codex --no-allow");
    assert_eq!(said.stderr, "");
    assert!(!world.read(".claude/settings.json").contains("permissions"));
    assert!(!world.dir.join(".codex/rules").exists());
    assert_eq!(agents(&world)["codex"]["allowed"], false);
}

/// The brief and the refusals of `record` name it.
#[test]
fn an_agent_may_list_the_questions() {
    let world = World::asked();
    let refused = world.try_sq("record --sid s1 q9=yes").transcript();
    assert!(refused.contains("git sq question list"), "{refused}");
    world.sq_ok("agent install --yes claude codex gemini");
    for path in
        [".claude/settings.json", ".codex/rules/git-sq.rules", ".agents/skills/git-sq/SKILL.md"]
    {
        let words = world.read(path).replace(['"', ','], "");
        assert!(words.contains("git sq question list"), "{path}: {words}");
    }
}

#[test]
fn all_go_in_and_come_out() {
    let install = format!("agent install --yes {}", ALL.join(" "));
    for own in [&OWN[..], &[]] {
        let world = World::asked();
        for (path, text) in own {
            world.write(path, text);
        }
        let before = tree(&world.dir);
        world.sq_ok(&install);
        let planted = agents(&world);
        for name in ALL {
            let files = planted[name]["planted"].as_array().unwrap();
            assert!(files.len() >= 2 && files.iter().all(|file| file["current"] == true));
            assert_eq!(planted[name]["warnings"], json!([]));
        }
        if own.is_empty() {
            is_where_each_agent_reads_it(&world);
        }
        assert_eq!(world.sq_ok(&install), "Nothing to do.\n");
        // One after the other, each takes what no other needs.
        for name in ALL {
            let left = world.sq_ok(&format!("agent remove --yes {name}"));
            assert_eq!(agents(&world)[name]["planted"], json!([]), "{left}");
        }
        assert_eq!(tree(&world.dir), before);
    }
}

#[test]
fn files_keep_their_mode_and_the_folder_does_not_matter() {
    let world = World::asked();
    world.write(".codex/hooks.json", "{}");
    let file = world.dir.join(".codex/hooks.json");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    world.write("src/a.rs", "");
    let below = world.dir.join("src");
    world.sq_ok_in(&below, "agent install codex --yes");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!below.join(".codex").exists());
    world.commit("Agents");
    world.git_ok("worktree add --quiet ../linked");
    let linked = world.root().join("linked");
    world.sq_ok_in(&linked, "agent remove codex --yes");
    assert!(!linked.join("AGENTS.md").exists());
    assert!(world.dir.join("AGENTS.md").exists());
}

#[test]
fn another_versions_files_are_told_and_updated() {
    let world = World::asked();
    world.sq_ok("agent install --yes claude cursor");
    let now = tree(&world.dir);
    for (path, from, to) in [
        (".claude/settings.json", "|| true", "|| :"),
        (".claude/skills/git-sq/SKILL.md", "# Standing", "# Old"),
        ("AGENTS.md", "questions", "old questions"),
        (".cursor/rules/git-sq.mdc", "Record", "Write"),
    ] {
        age(&world.dir, path, from, to);
    }
    let status = world.sq_ok("agent status");
    let status = status.lines().filter(|line| !line.contains("found"));
    insta::assert_snapshot!(git_sq_test_support::ended(status), @"
    claude    installed, may run git sq without asking
      project  hooks         .claude/settings.json  (differs)
      project  allow         .claude/settings.json
      project  skill         .claude/skills/git-sq/SKILL.md  (differs)
      project  instructions  AGENTS.md  (differs)
      warning: not up to date (`git sq agent install claude --project` updates it)
    cursor    installed
      project  instructions  .cursor/rules/git-sq.mdc  (differs)
      project  skill         .agents/skills/git-sq/SKILL.md
      warning: not up to date (`git sq agent install cursor --project` updates it)
    agents-md installed
      project  instructions  AGENTS.md  (differs)
      warning: not up to date (`git sq agent install agents-md --project` updates it)
    ");
    let doctor = world.sq_ok("doctor");
    assert_has!(doctor, "claude: not up to date");
    world.sq_ok("agent install --yes claude cursor");
    assert_eq!(tree(&world.dir), now);
    assert!(!world.sq_ok("doctor").contains("claude"));
}

#[test]
fn where_it_can_t_be_planted_nothing_is_written() {
    let outside = World::without_repo();
    outside.write("elsewhere", "{}");
    let mut told = String::new();
    for (path, text, args) in [
        (".claude/settings.json", &b"{\n  \"a\": 1,\n  b\n}\n"[..], "claude"),
        (".gemini/settings.json", b"{\"hooks\": {\"AfterAgent\": {}}}", "gemini"),
        (".claude/settings.json", b"{\"a\": \"\xff\"}", "claude"),
        (".codex", b"", "codex"),
        (".cursor/rules/git-sq.mdc", b"mine\n", "cursor"),
        ("a", b"", "gemini"),
        ("a", b"", "codex --local"),
        ("a", b"", "cursor --user"),
    ] {
        let world = World::asked();
        if path == ".codex" {
            symlink(outside.dir.join("elsewhere"), world.dir.join(path)).unwrap();
        } else {
            world.write(path, text);
        }
        let before = tree(&world.dir);
        let ran = world.try_sq(&format!("agent install {args}")).exits(128);
        assert_eq!(tree(&world.dir), before);
        told += &format!("$ {args}\n{}", ran.stderr);
    }
    insta::assert_snapshot!(told, @r#"
    $ claude
    fatal: .claude/settings.json:3:3: Expected string for object property
    hint: nothing was written; fix the file, and try again
    $ gemini
    fatal: .gemini/settings.json:1:26: "AfterAgent" is not an array
    hint: nothing was written; fix the file, and try again
    $ claude
    fatal: .claude/settings.json is not UTF-8
    hint: move it away, or leave this agent out by naming the others
    $ codex
    fatal: .codex is a symbolic link, which git sq does not follow
    hint: move it away, or leave this agent out by naming the others
    $ cursor
    fatal: .cursor/rules/git-sq.mdc exists, and is not as git sq wrote it
    hint: move it away, and try again
    $ gemini
    fatal: could not ask for confirmation: this is not a terminal
    hint: nothing was written; use --yes to write this, or --dry-run to only show it
    $ codex --local
    fatal: codex has no local settings in a repository
    hint: use --project or --user
    $ cursor --user
    fatal: cursor has no file for the rules of a user
    hint: use --project
    "#);
    assert_eq!(outside.read("elsewhere"), "{}");
}

#[test]
fn instructions_behind_a_link_are_left_alone() {
    let world = World::asked();
    world.write("CLAUDE.md", "# Rules\n");
    symlink("CLAUDE.md", world.dir.join("AGENTS.md")).unwrap();
    let said = world.try_sq("agent install --yes codex").exits(0);
    assert_has!(said.stderr, "AGENTS.md is a symbolic link and is left alone");
    assert_eq!(world.read("CLAUDE.md"), "# Rules\n");
    // Agents read what is planted at its end.
    let world = World::asked();
    for (linked, path) in [("CLAUDE.md", "AGENTS.md"), ("AGENTS.md", "CLAUDE.md")] {
        world.write(path, "# Rules\n");
        symlink(path, world.dir.join(linked)).unwrap();
        world.sq_ok("agent install --yes claude");
        let warnings = || agents(&world)["claude"]["warnings"].to_string();
        assert_eq!(warnings(), "[]", "{linked}");
        world.write(path, "# Rules\n");
        assert_has!(warnings(), &*format!("{linked} is a symbolic link"));
        fs::remove_file(world.dir.join(linked)).unwrap();
        fs::remove_file(world.dir.join(path)).unwrap();
    }
    // Nor is the paragraph there twice.
    let world = World::asked();
    world.write("CLAUDE.md", "@AGENTS.md\n");
    world.sq_ok("agent install --yes claude");
    assert_eq!(world.read("CLAUDE.md"), "@AGENTS.md\n");
}

#[test]
fn agents_are_found_by_what_they_leave() {
    let world = World::asked();
    let path = world.root().join("bin").display().to_string();
    let run = || world.sq_env("agent install --yes", &[("PATH", &path)]);
    insta::assert_snapshot!(run().transcript(), @r#"
    --- stderr
    fatal: no coding agent was found: neither a program on the PATH nor settings of one
    hint: name it: `git sq agent install claude`
    --- exit 128
    "#);
    world.write(".qwen/settings.json", "{}");
    executable(&world.root().join("bin/codex"), "#!/bin/sh\n");
    run().ok();
    let planted = agents(&world);
    let found: Vec<_> = ALL.iter().filter(|name| planted[**name]["planted"] != json!([])).collect();
    assert_eq!(found, [&"codex", &"qwen"]);
}

#[test]
fn for_a_user_the_commands_that_register_the_plugin_are_told() {
    let world = World::asked();
    let home = world.home().to_string_lossy().into_owned();
    let run = |line: &str| world.sq_ok(line).replace(&home, "HOME");
    let said = run("agent install codex --user --yes");
    let (_, told) = said.split_once("Run this").unwrap();
    insta::assert_snapshot!(told, @"
     yourself, because the agent's own program manages its plugins:
      codex plugin marketplace add HOME/.local/share/git-sq
      codex plugin add git-sq@git-sq
    ");
    assert!(world.home().join(".codex/rules/git-sq.rules").exists());
    let market = world.home().join(".local/share/git-sq");
    assert!(market.join("seeds/plugin/skills/git-sq/SKILL.md").exists());
    run("agent remove codex --user --yes");
    assert!(!world.home().join(".codex/rules").exists());
    assert!(!market.exists());
    // As Claude Code notes that it was done.
    run("agent install claude --user --no-allow --yes");
    let settings = world.home().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, "{\"enabledPlugins\": {\"git-sq@git-sq\": true}}").unwrap();
    assert_eq!(run("agent install claude --user --no-allow --yes"), "Nothing to do.\n");
    // Twice is told.
    run("agent install claude --yes");
    assert_eq!(
        agents(&world)["claude"]["warnings"],
        json!(["installed more than once: only one copy answers each call"])
    );
    assert_has!(run("agent remove --user --yes"), "  claude plugin uninstall git-sq@git-sq\n");
    assert!(!market.exists());
    assert!(world.dir.join(".claude/settings.json").exists());
}

#[test]
fn settings_that_a_user_keeps_elsewhere_are_edited_there() {
    let world = World::without_repo();
    let kept = world.root().join("dotfiles.json");
    fs::write(&kept, "{\"a\": 1}\n").unwrap();
    fs::create_dir_all(world.home().join(".gemini")).unwrap();
    let link = world.home().join(".gemini/settings.json");
    symlink(&kept, &link).unwrap();
    world.sq_ok("agent install --yes gemini --user");
    assert!(link.is_symlink());
    assert!(fs::read_to_string(&kept).unwrap().contains("git sq hook"));
    world.sq_ok("agent remove --yes --user");
    let rest: Value = serde_json::from_str(&fs::read_to_string(&kept).unwrap()).unwrap();
    assert_eq!(rest, json!({"a": 1}));
    assert!(!world.home().join(".gemini/policies").exists());
}
