//! Nothing that a repository names is started: a canary stands in each setting with which git starts a program.

mod scene;

use std::fs;

use git_sq_test_support::{Team, executable};
use scene::Scene;

/// What the network takes, and signing.
const NETWORK: &[&str] = &["core.sshCommand", "core.gitProxy", "remote.", "credential."];
const PUBLISHING: &[&str] = &["core.sshCommand", "core.gitProxy", "remote.", "credential.", "gpg."];

/// Git names `pager.var` where it is asked for the pager.
const PAGER: &[&str] = &["core.pager", "pager.var"];

/// Each command, and the beginnings of the canaries that may sing.
const COMMANDS: &[(&str, &[&str])] = &[
    ("", &[]),
    ("status --format json", &[]),
    ("brief --format markdown", &[]),
    ("record --sure --sid s8 --delta q1=other", PUBLISHING),
    ("record --sure --sid s9 --delta run=two", PUBLISHING),
    ("log --all --since yesterday", &[]),
    ("show q1", &[]),
    ("show moved.txt", &[]),
    ("show HEAD~1", &[]),
    ("check", &[]),
    ("check --base BASE", &[]),
    ("check --base BASE --format markdown", &[]),
    ("ci", NETWORK),
    ("ci --base BASE", NETWORK),
    ("ci --base BASE --format markdown", NETWORK),
    ("sync", PUBLISHING),
    ("sync ext", PUBLISHING),
    ("sync vcs", PUBLISHING),
    ("sync secure", PUBLISHING),
    ("sync plain", PUBLISHING),
    ("doctor", &[]),
    ("carry", &[]),
    ("carry --pr BASE..HEAD", &[]),
    ("session start --sid s10", &[]),
    ("session sweep", PUBLISHING),
    ("session current", &[]),
    ("session end --sid s10", PUBLISHING),
    ("state set --sid s8 --status waiting --next moved.txt:1", PUBLISHING),
    ("state show", &[]),
    ("tension open why --type gap --source x --cite moved.txt:1", PUBLISHING),
    ("tension list", &[]),
    ("tension next", &[]),
    ("tension show TENSION", &[]),
    ("tension tick", &[]),
    ("tension close TENSION --as resolved --note so", PUBLISHING),
    ("probe run", &[]),
    ("probe run --at HEAD~1", &[]),
    ("trace probed", &[]),
    ("verify", &[]),
    ("verify --run", &[]),
    ("verify --log --signers SIGNERS", &[]),
    ("triage", &[]),
    ("redact ENTRY --because secret", &[]),
    ("stats --format openmetrics", &[]),
    ("fleet .", &[]),
    ("report -o ../page.html", &[]),
    ("question list", &[]),
    ("question lint", &[]),
    ("question add q9 Why?", &[]),
    ("question reword q9 How?", &[]),
    ("question trial q1 When?", &[]),
    ("question promote q1@2", &[]),
    ("question retire q9", &[]),
    ("question history q1", &[]),
    ("question test q1", &[]),
    ("facts", &[]),
    ("question approve --list", &[]),
    ("probe '{\"grep\":{\"pattern\":\"one\",\"paths\":[\"*.txt\"],\"take\":\"count\"}}'", &[]),
    ("import ../import.jsonl", &[]),
    ("export", &[]),
    ("schema", &[]),
    ("demo", &[]),
    ("completions bash", &[]),
    ("complete -- show q", &[]),
    ("man", &[]),
    ("agent install claude --yes", &[]),
    ("agent status", &[]),
    ("agent remove --yes", &[]),
    ("hook pre-push origin REMOTE", PUBLISHING),
    ("hook post-rewrite amend", &[]),
    ("hook session-start", &[]),
    ("hook stop", &[]),
    ("hook prompt", &[]),
    ("hook pre-compact", &[]),
    ("hook session-end", &[]),
    ("hook publish", PUBLISHING),
    ("init", NETWORK),
];

/// The same for a person on a terminal: there, what was chosen for the terminal is started as well.
const ON_A_TERMINAL: &[(&str, &[&str])] = &[
    ("status", &[]),
    ("log", PAGER),
    ("show q1", PAGER),
    ("record --sid s11", &["core.editor", "remote.", "gpg."]),
    ("question approve run", &[]),
    ("triage q1 --expected --because planned", PUBLISHING),
    ("check --accept", &[]),
    ("report -o ../page.html --open", &["browser."]),
    ("redact ENTRY --because secret", PUBLISHING),
    ("init --undo", &[]),
];

#[test]
fn no_command_starts_what_the_repository_names() {
    let scene = Scene::new();
    scene.plant();
    let mut sang = Vec::new();
    for (line, allowed) in COMMANDS {
        scene.touch();
        let ran = scene.team.try_sq_in(&scene.team.clone, &scene.line(line));
        println!("{line}: {}", ran.transcript());
        sang.extend(scene.sang(line, allowed, &ran));
    }
    for (line, allowed) in ON_A_TERMINAL {
        scene.touch();
        let ran = scene.person(line, "yes\n");
        println!("{line}: {}", ran.transcript());
        sang.extend(scene.sang(line, allowed, &ran));
    }
    assert!(sang.is_empty(), "{sang:#?}");
}

/// Else the test above would see nothing.
#[test]
fn git_itself_starts_the_canaries() {
    let scene = Scene::new();
    scene.plant();
    scene.touch();
    fs::write(scene.team.clone.join("a.txt"), "three\n").unwrap();
    for line in [
        "status",
        // It ends too early for some versions of git.
        "config --unset filter.long.process",
        "diff --ext-diff",
        "log -p --textconv -1",
        "commit --quiet --allow-empty",
        "commit --quiet --allow-empty -m signed",
        "checkout --quiet HEAD~1 -- a.txt",
        "fetch origin",
        "fetch secure",
        "fetch plain",
        "fetch ext",
        "push origin HEAD:refs/heads/new",
        "-c gpg.ssh.allowedSignersFile=../signers log --format=%G? refs/notes/remotes/origin/sq",
        "grep --textconv one",
    ] {
        scene.team.try_git(line);
    }
    let ran = scene.ran();
    let silent: Vec<&str> = "core.fsmonitor core.editor core.sshCommand core.gitProxy diff.planted.command \
        diff.planted.textconv filter.planted.clean filter.planted.smudge filter.long.process filter.included.clean \
        filter.raw.clean filter.users.clean filter.inner.clean gpg.openpgp.program gpg.ssh.program gpg.x509.program \
        remote.origin.uploadpack remote.origin.receivepack remote.ext.url core.alternateRefsCommand"
        .split_whitespace()
        .filter(|name| !ran.contains(*name))
        .collect();
    assert!(silent.is_empty(), "{silent:?} of {ran:#?}");
    assert!(
        ran.contains("hooks pre-push") && ran.contains("hooks reference-transaction"),
        "{ran:#?}"
    );
}

#[test]
fn every_command_is_among_those_that_are_watched() {
    let known: Vec<&str> = COMMANDS.iter().chain(ON_A_TERMINAL).map(|(line, _)| *line).collect();
    let reference = git_sq::cli::reference();
    let names: Vec<&str> =
        reference.lines().filter_map(|line| line.strip_prefix("## git sq ")).collect();
    let is_group = |name: &str| names.iter().any(|other| other.starts_with(&format!("{name} ")));
    let missing: Vec<&&str> = names
        .iter()
        .filter(|name| !is_group(name))
        .filter(|name| {
            !known.iter().any(|line| format!("{line} ").starts_with(&format!("{name} ")))
        })
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn signatures_are_verified_by_the_user_s_own_programs() {
    let scene = Scene::new();
    scene.plant();
    let users = scene.canary("users");
    scene.team.git_ok(&format!("config --global gpg.program {users}"));
    scene.team.try_sq_in(&scene.team.clone, "verify --log");
    assert_eq!(scene.ran().into_iter().collect::<Vec<_>>(), ["users"]);
}

/// In a partial clone, git fetches what it lacks in any command.
#[test]
fn what_reads_fetches_by_no_program_that_the_repository_names() {
    let team = Team::new();
    team.work(&team.clone, "s1");
    let (canary, sang) = (team.world.root().join("canary"), team.world.root().join("sang"));
    executable(&canary, &format!("#!/bin/sh\ntouch {}\nexit 1\n", sang.display()));
    let url = format!("'ext::{} %S'", canary.display());
    for setting in [
        "core.repositoryFormatVersion 1",
        "extensions.partialClone origin",
        "remote.origin.promisor true",
        "protocol.ext.allow always",
        &format!("remote.origin.url {url}"),
    ] {
        team.git_ok(&format!("config {setting}"));
    }
    fs::remove_file(team.object("HEAD:standing_questions.json")).unwrap();
    for line in
        ["", "brief", "check", "log", "show q1", "stats", "facts", "fleet .", "doctor", "verify"]
    {
        let ran = team.try_sq_in(&team.clone, line);
        assert!(!sang.exists(), "{line}: {}", ran.transcript());
    }
    // By git itself.
    team.try_git("cat-file -p HEAD:standing_questions.json");
    assert!(sang.exists());
}
