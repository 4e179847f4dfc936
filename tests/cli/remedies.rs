//! Every remedy that doctor prints is run as it stands on what it is for: it mends that, and no line is gone that any
//! clone or the remote had.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
    thread,
};

use git_sq_test_support::{Team, Template, each, executable};

/// What is broken, what doctor calls it, and how to break it.
type Case = (&'static str, &'static str, fn(&Team));

const CASES: &[Case] = &[
    ("nobody shares the log", "not-shared", |team| {
        team.git_ok("config --unset remote.origin.sq");
    }),
    ("its refspec is gone", "not-fetched", |team| {
        team.git_ok("config --unset remote.origin.fetch refs/notes");
    }),
    ("a fetch overwrites the log", "dangerous-refspec", |team| {
        team.git_ok("config --add remote.origin.fetch '+refs/notes/*:refs/notes/*'");
    }),
    ("a mirror overwrites the log", "dangerous-refspec", |team| {
        team.git_ok("config --add remote.origin.fetch '+refs/*:refs/*'");
    }),
    ("its ref is none", "bad-setting", |team| {
        team.git_ok("config sq.logRef main");
    }),
    ("git notes edits the log", "notes-ref", |team| {
        team.git_ok("config core.notesRef refs/notes/sq");
    }),
    ("git copies notes of the log", "rewrite-ref", |team| {
        team.git_ok("config notes.rewriteRef 'refs/notes/*'");
    }),
    ("a hook is gone", "hook-not-run", |team| {
        team.try_git("config --remove-section hook.sq-pre-push");
        let _ = fs::remove_file(team.clone.join(".git/hooks/pre-push"));
    }),
    ("the remote takes no notes", "refused", |team| {
        let hook = "#!/bin/sh\ncase $1 in refs/notes/*) exit 1;; esac\n";
        executable(&team.remote.join("hooks/update"), hook);
        team.git_ok("push --quiet --no-verify");
        assert_eq!(team.sq(&team.clone, &["sync"]).code, 128);
    }),
    ("a commit was amended behind the hook's back", "orphans", |team| {
        team.write("moved", "moved\n");
        team.git_ok("add moved");
        team.work(&team.clone, "moved");
        team.git_ok("-c core.hooksPath=/dev/null commit --quiet --amend -m again");
    }),
    ("lines were not published", "not-pushed", |team| {
        team.git_ok("push --quiet --no-verify");
    }),
    ("the log of the remote was deleted", "tampered", |team| {
        team.git_ok_in(&team.remote, "update-ref -d refs/notes/sq");
        team.work(&team.clone, "again");
        team.git_ok("config --unset sq.pushTimeout");
        team.push();
    }),
    ("the remote has a branch in its place", "bad-ref", |team| {
        team.git_ok_in(&team.remote, "update-ref refs/notes/sq main");
        team.git_ok("fetch --quiet");
    }),
    ("the ref is a link to what it was", "damaged", |team| {
        team.git_ok("update-ref refs/notes/real refs/notes/sq~");
        team.git_ok("symbolic-ref refs/notes/sq refs/notes/real");
    }),
    ("the ref is a link to a branch", "damaged", |team| {
        team.git_ok("symbolic-ref refs/notes/sq refs/heads/main");
    }),
    ("the ref is a link to nothing", "damaged", |team| {
        team.git_ok("symbolic-ref refs/notes/sq refs/notes/nowhere");
    }),
    ("the ref holds a branch", "damaged", |team| {
        team.git_ok("update-ref refs/notes/sq main");
    }),
    ("the ref holds nothing that is here", "damaged", |team| {
        write(team, "refs/notes/sq", &"1".repeat(40));
    }),
    ("the file of the ref is empty", "damaged", |team| {
        write(team, "refs/notes/sq", "");
    }),
    ("the file of the ref is cut off", "damaged", |team| {
        team.git_ok("pack-refs --all");
        team.world.record_in(&team.clone, "after").ok();
        write(team, "refs/notes/sq", "0123");
    }),
    ("the file of a tracking ref is empty", "damaged", |team| {
        write(team, "refs/notes/remotes/origin/sq", "");
    }),
    ("the file of what was seen is empty", "damaged", |team| {
        let place =
            fs::read_dir(team.clone.join(".git/refs/sq/push")).unwrap().flatten().next().unwrap();
        fs::write(place.path().join("seen"), "").unwrap();
    }),
    ("the notes tree is cut off", "damaged", |team| {
        damage(team, "refs/notes/sq^{tree}");
    }),
    ("the notes commit is cut off", "damaged", |team| {
        damage(team, "refs/notes/sq");
    }),
    ("a note is cut off", "damaged", |team| {
        team.world.record_in(&team.clone, "lost").ok();
        let head = team.git_ok("rev-parse HEAD");
        damage(team, &format!("refs/notes/sq:{}", head.trim()));
    }),
    ("an old note is gone", "damaged", |team| {
        let note = team.git_ok("rev-parse HEAD");
        team.git_ok("notes --ref=sq append -m {}");
        team.work(&team.clone, "later");
        let note = format!("refs/notes/sq:{}", note.trim());
        fs::remove_file(team.object(&note)).unwrap();
    }),
    ("a fetched tree is cut off", "damaged", |team| {
        damage(team, "refs/notes/remotes/origin/sq^{tree}");
    }),
    ("somebody removed a note", "lost-lines", |team| {
        team.git_ok("notes --ref=sq remove HEAD");
    }),
    ("the ref was set back", "lost-lines", |team| {
        team.git_ok("update-ref refs/notes/sq refs/notes/sq~");
    }),
    ("the file of the ref is gone", "lost-lines", |team| {
        fs::remove_file(team.clone.join(".git/refs/notes/sq")).unwrap();
    }),
];

/// Where the newest line hung on nothing but what was damaged.
const CUT_OFF: [&str; 2] = ["the notes tree is cut off", "the notes commit is cut off"];

fn write(team: &Team, name: &str, text: &str) {
    fs::write(team.clone.join(".git").join(name), text).unwrap();
}

/// Cuts an object off, as a full disk or a crash does.
fn damage(team: &Team, revision: &str) {
    let path = team.object(revision);
    let bytes = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
}

/// A clone with a line that the remote has and one that it has not, and another such clone.
fn two_clones() -> (Team, PathBuf) {
    static MADE: OnceLock<Template> = OnceLock::new();
    let team = Team::copy_of(&MADE, || {
        let team = Team::new();
        team.publish("shared");
        team.git_ok("fetch --quiet");
        team.git_ok("config sq.pushTimeout 0");
        team.work(&team.clone, "private");
        let other = team.join("other");
        team.work(&other, "theirs");
        // What was seen at the remote, by its address, which a copy has not.
        fs::remove_dir_all(team.clone.join(".git/refs/sq")).unwrap();
        team
    });
    let other = team.world.root().join("other");
    team.sq(&team.clone, &["sync"]).ok();
    (team, other)
}

/// Every line under any notes ref.
fn lines(team: &Team, dir: &Path) -> BTreeSet<String> {
    let refs = team.git(dir, &["for-each-ref", "--format=%(refname)", "refs/notes"]);
    refs.stdout
        .lines()
        .flat_map(|name| team.lines_at(dir, name))
        .filter(|line| line.contains("\"sid\""))
        .collect()
}

fn rules(found: &serde_json::Value) -> Vec<&str> {
    each(&found["findings"]).map(|finding| finding["rule"].as_str().unwrap()).collect()
}

/// Runs what doctor says about a rule, as it stands; gives what was run, and what failed.
fn follow(team: &Team, found: &serde_json::Value, rule: &str) -> (Vec<String>, Vec<String>) {
    let commands = each(&found["findings"])
        .filter(|finding| finding["rule"] == rule)
        .flat_map(|finding| finding["help"].as_str().unwrap().lines())
        .filter(|line| line.starts_with("git ") || line.starts_with("rm "));
    let commands: Vec<String> =
        commands.map(|line| line.split("   (").next().unwrap().to_owned()).collect();
    let mut failed = Vec::new();
    for command in &commands {
        let ran = team.world.shell_in(&team.clone, command);
        // Something else may be left.
        if ran.code != 0 && !command.contains("doctor") {
            failed.push(format!("{command}: {}", ran.transcript()));
        }
    }
    (commands, failed)
}

/// Breaks it, does what doctor says, and gives what is wrong after that.
fn mend((name, rule, spoil): &Case) -> Vec<String> {
    let mut wrong = Vec::new();
    let (team, other) = two_clones();
    let clones = [&team.clone, &team.remote, &other];
    let before = clones.map(|dir| lines(&team, dir));
    spoil(&team);
    let doctor = || team.sq(&team.clone, &["doctor", "--format", "json"]);
    let found = doctor();
    if found.code == 128 || !rules(&found.json()).contains(rule) {
        return vec![format!("{name}: not found\n{}", found.transcript())];
    }
    let (commands, failed) = follow(&team, &found.json(), rule);
    wrong.extend(failed.iter().map(|failed| format!("{name}: {failed}")));
    let after = doctor();
    if after.code == 128 || rules(&after.json()).contains(rule) {
        let said = after.transcript();
        wrong.push(format!("{name}: not mended by {commands:#?}\n{said}"));
    }
    for (dir, before) in clones.iter().zip(&before) {
        let now = lines(&team, dir);
        let mut lost: Vec<_> = before.difference(&now).collect();
        // Nothing but the damaged object led to it.
        lost.retain(|line| !CUT_OFF.contains(name) || !line.contains("\"sid\":\"private\""));
        if !lost.is_empty() {
            wrong.push(format!("{name}: {} lacks {lost:#?}", dir.display()));
        }
    }
    let recorded = team.world.record_in(&team.clone, "goes-on");
    let fetched = team.try_git("fetch --quiet");
    if recorded.code != 0 || fetched.code != 0 {
        let said = recorded.transcript() + &fetched.transcript();
        wrong.push(format!("{name}: it does not go on\n{said}"));
    }
    wrong
}

#[test]
fn what_doctor_advises_mends_and_loses_nothing() {
    let wrong: Vec<String> = thread::scope(|scope| {
        let shares: Vec<_> = CASES
            .chunks(CASES.len().div_ceil(4))
            .map(|cases| scope.spawn(|| cases.iter().flat_map(mend).collect::<Vec<_>>()))
            .collect();
        shares
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .flat_map(|wrong| wrong.unwrap())
            .collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is not here may be all right: nothing is advised then but to try again.
#[test]
fn what_a_partial_clone_left_on_its_remote_is_not_taken_for_damage() {
    let (team, _) = two_clones();
    team.set_on_remote("uploadpack.allowFilter", "true");
    team.set_on_remote("uploadpack.allowAnySHA1InWant", "true");
    let part = team.cloned("--filter=tree:0", "part");
    team.sq(&part, &["init"]).ok();
    team.git_ok("push --quiet --no-verify");
    team.sq(&team.clone, &["sync"]).ok();
    team.git_ok_in(&part, "fetch --quiet");
    let away = team.world.root().join("away");
    fs::rename(&team.remote, &away).unwrap();
    let said = team.sq(&part, &["doctor", "--fix"]).transcript();
    insta::with_settings!({filters => vec![("\\b[0-9a-f]{40}\\b", "[id]")]}, {
        insta::assert_snapshot!(said, @"
        unknown: refs/notes/remotes/origin/sq can't be read in full (the notes tree [id] is missing): this is a partial clone, and origin has the rest; run it again where origin can be reached
        No problems found, but not everything could be checked.
        --- exit 3
        ");
    });
    fs::rename(&away, &team.remote).unwrap();
    let said = team.sq(&part, &["doctor"]).transcript();
    assert_eq!(said, "No problems found.\n--- exit 0\n");
}
