//! What `git sq verify` can prove of a log: for each proof a log in which exactly this is broken, by plain git on the
//! remote.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use git_sq_test_support::{Team, Template, each};
use serde_json::Value;

/// A team whose remote has a log of four publications by two clones, and an auditor's clone of it.
pub fn team() -> (Team, PathBuf) {
    static MADE: OnceLock<Template> = OnceLock::new();
    let team = Team::copy_of(&MADE, || {
        let team = Team::new();
        let other = team.join("other");
        for (dir, sid) in [(&team.clone, "s1"), (&other, "s2"), (&team.clone, "s3"), (&other, "s4")]
        {
            team.git_ok_in(dir, "pull --quiet --rebase");
            team.work(dir, sid);
            team.push_from(dir);
            team.sq(dir, &["sync"]).ok();
        }
        team.join("auditor");
        team
    });
    let auditor = team.world.root().join("auditor");
    (team, auditor)
}

/// For each proof that does not simply hold: what fails, and what could not be told.
pub fn trouble(team: &Team, dir: &Path, more: &[&str]) -> (BTreeMap<String, [usize; 2]>, i32) {
    let args = [&["verify", "--log", "--format", "json"], more].concat();
    let ran = team.sq(dir, &args);
    let document = ran.json();
    let found = each(&document["proofs"]).filter_map(|proof| {
        let count = |key: &str| proof[key].as_array().unwrap().len();
        let trouble = [count("fails"), count("cant_tell")];
        (trouble != [0, 0]).then(|| (proof["proof"].as_str().unwrap().to_owned(), trouble))
    });
    (found.collect(), ran.code)
}

/// Replaces the remote's log by one with other texts of notes, on the given parent.
pub fn rewrite(team: &Team, parent: &str, change: impl Fn(&str) -> Option<String>) {
    let list = team.git_ok_in(&team.remote, "notes --ref=sq list");
    let index = team.world.root().join("index");
    let in_index = |line: &str, input: &str| {
        let mut command = team.world.command("git");
        command.args(git_sq_test_support::words(line)).current_dir(&team.remote);
        command.env("GIT_INDEX_FILE", &index);
        let file = team.world.root().join("input");
        fs::write(&file, input).unwrap();
        command.stdin(fs::File::open(file).unwrap());
        String::from_utf8(command.output().unwrap().stdout).unwrap().trim().to_owned()
    };
    for note in list.lines() {
        let (blob, anchor) = note.split_once(' ').unwrap();
        let text = team.git_ok_in(&team.remote, &format!("cat-file blob {blob}"));
        let text: String = text.lines().filter_map(&change).map(|line| line + "\n").collect();
        if !text.is_empty() {
            let blob = in_index("hash-object -w --stdin", &text);
            in_index(&format!("update-index --add --cacheinfo 100644,{blob},{anchor}"), "");
        }
    }
    let tree = in_index("write-tree", "");
    let parent = if parent.is_empty() { String::new() } else { format!("-p {parent}") };
    let commit = in_index(&format!("commit-tree {tree} {parent} -m Notes"), "");
    team.git_ok_in(&team.remote, &format!("update-ref refs/notes/sq {commit}"));
    fs::remove_file(index).unwrap();
}

/// Adds a line beside that of session s3, made from it.
pub fn forge(team: &Team, change: impl Fn(&str, &mut Value)) {
    let list = team.lines_on_remote();
    let line = list.iter().find(|line| line.contains("\"s3\"")).unwrap();
    let mut forged: Value = serde_json::from_str(line).unwrap();
    forged["sid"] = "forged".into();
    forged["id"] = "01J00000000000000000000000".into();
    change(line, &mut forged);
    let forged = forged.to_string();
    rewrite(team, "refs/notes/sq", |line| {
        let is_beside = line.contains("\"s3\"");
        let both = format!("{line}\n{forged}");
        Some(if is_beside { both } else { line.to_owned() })
    });
}

/// A clone that gets only what refs reach.
pub fn fresh(team: &Team) -> PathBuf {
    let dir = team.cloned("", "fresh");
    team.sq(&dir, &["init", "--no-hooks"]).ok();
    dir
}

pub fn fetch(team: &Team, dir: &Path) {
    team.git_ok_in(dir, "fetch --quiet origin");
}

pub fn proofs(found: &[(&str, [usize; 2])]) -> BTreeMap<String, [usize; 2]> {
    found.iter().map(|(name, trouble)| ((*name).to_owned(), *trouble)).collect()
}

#[test]
fn a_log_of_which_nothing_was_taken_holds() {
    let (team, auditor) = team();
    insta::assert_snapshot!(team.sq(&auditor, &["verify"]).transcript(), @"
    append-only  commits of the log: 4 of 4 hold
                 cannot show a history that was rewritten and is itself clean
    whole        numbered lines: 4 of 4 hold
                 cannot show a missing or added tail, a new writer, or whether a gap was private work
    seen         states that lines name: 3 of 3 hold
                 cannot show states of the log that no line names
    anchored     remembered states: 1 of 1 hold
                 cannot show what came after the last remembered state
    time         entries: 4 of 4 hold
                 cannot show dates that were forged consistently
    signed       no signed commits of the log
                 cannot show an agent that holds the person's key
    store        no changes to the questions
                 cannot show an agent that uses a person's identity
    coverage     no commits by agents
                 cannot show agents that leave no trace in the commit
    answers      Nothing to verify: no answer has evidence.
                 cannot show whether a judgement is right
    --- exit 0
    ");
    assert_eq!(trouble(&team, &auditor, &[]), (proofs(&[]), 0));
}

/// What the auditor finds after the remote's log was replaced.
fn replaced(
    parent: &str,
    change: impl Fn(&str) -> Option<String>,
) -> (BTreeMap<String, [usize; 2]>, i32) {
    let (team, auditor) = team();
    rewrite(&team, parent, change);
    fetch(&team, &auditor);
    trouble(&team, &auditor, &[])
}

#[test]
fn a_line_that_was_removed_or_changed_shows_in_any_clone() {
    let (found, code) =
        replaced("refs/notes/sq", |line| (!line.contains("\"s3\"")).then(|| line.to_owned()));
    assert_eq!((found["append-only"], code), ([1, 0], 1));
    let (found, code) = replaced("refs/notes/sq", |line| Some(line.replace("\"s3\"", "\"s5\"")));
    assert_eq!((found["append-only"], code), ([1, 0], 1));
    assert_eq!(found["whole"][0], 2, "two lines with one number");
}

#[test]
fn a_line_that_was_held_back_is_a_gap_and_no_failure() {
    let (team, auditor) = team();
    rewrite(&team, "", |line| (!line.contains("\"s1\"")).then(|| line.to_owned()));
    let fresh = fresh(&team);
    assert_eq!(trouble(&team, &fresh, &[]), (proofs(&[("seen", [0, 3]), ("whole", [0, 1])]), 0));
    // Who saw the log before knows.
    fetch(&team, &auditor);
    let (found, code) = trouble(&team, &auditor, &[]);
    assert_eq!((found["anchored"][0], code), (1, 1));
}

#[test]
fn a_log_that_was_rewound_shows_to_who_remembers_it() {
    let (team, auditor) = team();
    let full = team.git_ok_in(&team.remote, "rev-parse refs/notes/sq");
    let out = team.world.root().join("checkpoint");
    let out = out.to_str().unwrap();
    team.sq(&auditor, &["verify", "--log", "--checkpoint-out", out]).ok();
    assert_eq!(trouble(&team, &auditor, &["--checkpoint", out]), (proofs(&[]), 0));
    // Of lines that there never were, with the root of those that there are.
    let more = fs::read_to_string(out).unwrap().replacen("\n4\n", "\n5\n", 1);
    fs::write(auditor.join("more"), more).unwrap();
    let false_size = trouble(&team, &auditor, &["--checkpoint", "more"]);
    assert_eq!(false_size, (proofs(&[("anchored", [1, 0])]), 1));
    team.git_ok_in(&team.clone, "pull --quiet --rebase");
    team.git_ok_in(
        &team.clone,
        &format!("commit --quiet --allow-empty -m Merge --trailer Sq-Log:{full}"),
    );
    team.git_ok_in(&team.clone, "push --quiet --no-verify");
    team.git_ok_in(&team.remote, "update-ref refs/notes/sq refs/notes/sq~2");
    let fresh = fresh(&team);
    // The trailer, and the checkpoint; without them, a fresh clone can't know.
    assert_eq!(
        trouble(&team, &fresh, &["--checkpoint", out]),
        (proofs(&[("anchored", [1, 1])]), 1)
    );
    assert_eq!(trouble(&team, &fresh, &["--tip", "HEAD~1"]), (proofs(&[]), 0));
    // A tag that brings the old state, and what was fetched before.
    team.git_ok_in(&auditor, "tag audit refs/notes/remotes/origin/sq");
    fetch(&team, &auditor);
    assert_eq!(trouble(&team, &auditor, &["--tip", "HEAD"]).0["anchored"], [2, 0]);
    let wrong = team.sq(&auditor, &["verify", "--checkpoint", "standing_questions.json"]);
    insta::assert_snapshot!(wrong.transcript(), @"
    --- stderr
    fatal: standing_questions.json is not a checkpoint of git sq
    hint: `git sq verify --checkpoint-out FILE` writes one
    --- exit 128
    ");
}

#[test]
fn a_commit_of_the_code_is_no_state_of_the_log() {
    let (team, auditor) = team();
    let head = team.git_ok_in(&auditor, "rev-parse HEAD");
    let mistaken = format!("commit --quiet --allow-empty -m Merge --trailer Sq-Log:{head}");
    team.git_ok_in(&auditor, &mistaken);
    assert_eq!(trouble(&team, &auditor, &[]), (proofs(&[("anchored", [0, 1])]), 0));
}

#[test]
fn dates_that_do_not_fit_the_commits_show() {
    // One before its commit, and one after its publication; the chain shows both, too.
    let (found, code) = replaced("", |line| {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        match entry["sid"].as_str() {
            Some("s1") => entry["ts"] = "2001-01-01T00:00:00.000Z".into(),
            Some("s3") => entry["ts"] = "2999-01-01T00:00:00.000Z".into(),
            _ => {}
        }
        Some(entry.to_string())
    });
    assert_eq!((found["time"], code), ([2, 0], 1));
}

#[test]
fn forged_lines_break_the_chain_of_the_clone_that_they_name() {
    let (team, auditor) = team();
    forge(&team, |_, forged| forged["n"] = 3.into());
    fetch(&team, &auditor);
    let (found, code) = trouble(&team, &auditor, &[]);
    assert_eq!((found.get("whole"), code), (Some(&[1, 0]), 1));
    assert_eq!(found.get("append-only"), None, "nothing was taken out");
}

#[test]
fn signatures_are_held_against_the_keys_that_are_named() {
    let (team, auditor) = team();
    let key = team.world.root().join("key");
    let key = key.to_str().unwrap();
    let mut made = team.world.command("ssh-keygen");
    assert!(made.args(["-q", "-t", "ed25519", "-N", "", "-f", key]).status().unwrap().success());
    let signing =
        format!("-c gpg.format=ssh -c user.signingKey={key} -c user.email=ada@example.org");
    let commit =
        format!("{signing} commit-tree refs/notes/sq^{{tree}} -S -p refs/notes/sq -m Notes");
    let signed = team.git_ok_in(&team.remote, &commit);
    team.git_ok_in(&team.remote, &format!("update-ref refs/notes/sq {signed}"));
    fetch(&team, &auditor);
    assert_eq!(trouble(&team, &auditor, &[]), (proofs(&[("signed", [0, 5])]), 0));
    let signers = team.world.root().join("signers");
    let public = fs::read_to_string(format!("{key}.pub")).unwrap();
    fs::write(&signers, format!("ada@example.org {public}")).unwrap();
    let signers = ["--signers", signers.to_str().unwrap()];
    // The other four are not signed.
    assert_eq!(trouble(&team, &auditor, &signers), (proofs(&[("signed", [0, 4])]), 3));
    let raw = team
        .git_ok_in(&team.remote, "cat-file commit refs/notes/sq")
        .replace("\n\nNotes", "\n\nOther");
    let file = team.world.root().join("raw");
    fs::write(&file, raw + "\n").unwrap();
    let bad = team.git_ok_in(&team.remote, &format!("hash-object -t commit -w {}", file.display()));
    team.git_ok_in(&team.remote, &format!("update-ref refs/notes/sq {bad}"));
    fetch(&team, &auditor);
    assert_eq!(trouble(&team, &auditor, &signers).0["signed"], [1, 4]);
}

#[test]
fn agents_that_change_their_questions_or_work_without_a_session_show() {
    let (team, auditor) = team();
    let ask = |dir: &Path, name: &str, trailer: &str| {
        team.git_ok_in(dir, "pull --quiet --rebase");
        let store = git_sq_test_support::store(&["q1", name]);
        fs::write(dir.join("standing_questions.json"), store).unwrap();
        team.world.pass(10 * 3600);
        team.git_ok_in(dir, &format!("commit --quiet -am Ask{trailer}"));
        team.git_ok_in(dir, "push --quiet --no-verify");
    };
    ask(&team.clone, "q2", "");
    team.git_ok_in(&auditor, "pull --quiet");
    assert_eq!(trouble(&team, &auditor, &[]), (proofs(&[]), 0), "a person did");
    ask(&team.clone, "q3", " --trailer 'Co-Authored-By: Claude <noreply@anthropic.com>'");
    team.git_ok_in(&auditor, "pull --quiet");
    insta::assert_snapshot!(team.sq(&auditor, &["verify", "--log"]).stdout.split("\n\n").nth(1).unwrap(), @"
    fails: store: 7069213383 changed q2, q3, and names Claude <noreply@anthropic.com> as its author
    can't tell: coverage: 7069213383 names Claude <noreply@anthropic.com>, and no session was open
    ");
}

#[test]
fn plain_git_shows_that_nothing_was_taken() {
    let (team, auditor) = team();
    // Whatever the code says of its own files.
    fs::write(auditor.join(".gitattributes"), "* -diff\n").unwrap();
    let removed = || {
        let shown = "log -p -m -M --text --no-textconv --format= refs/notes/remotes/origin/sq";
        let shown = team.git_ok_in(&auditor, shown);
        shown.lines().filter(|row| row.starts_with("-{")).count()
    };
    assert_eq!(removed(), 0);
    rewrite(&team, "refs/notes/sq", |line| Some(line.replace("\"s3\"", "\"s5\"")));
    fetch(&team, &auditor);
    assert_eq!(removed(), 1);
    rewrite(&team, "refs/notes/sq~1", |line| (!line.contains("\"s3\"")).then(|| line.to_owned()));
    fetch(&team, &auditor);
    assert_eq!(removed(), 1);
}

#[test]
fn files_that_can_not_be_read_or_written_are_named_with_what_to_do() {
    let (team, auditor) = team();
    fs::write(auditor.join("file"), "").unwrap();
    for (option, hint) in [
        ("--checkpoint no/such", "give the path of a file that you can read"),
        ("--signers no/such", "give the path of a file that you can read"),
        ("--checkpoint-out file/out", "check the name and the permissions of the folder"),
        ("--attest file/out", "check the name and the permissions of the folder"),
    ] {
        let ran = team.sq(&auditor, &git_sq_test_support::refs(&words(option)));
        assert_eq!(ran.code, 128, "{option}: {}", ran.transcript());
        assert_has!(ran.stderr, &format!("\nhint: {hint}\n"));
    }
}

fn words(option: &str) -> Vec<String> {
    git_sq_test_support::words(&format!("verify --log {option}"))
}

/// What stood there is whole until then, and stays if the disk is full.
#[test]
fn a_checkpoint_replaces_an_earlier_one_as_a_whole() {
    let (team, auditor) = team();
    let write = ["verify", "--log", "--checkpoint-out", "checkpoint"];
    fs::write(auditor.join("checkpoint"), "earlier").unwrap();
    fs::hard_link(auditor.join("checkpoint"), auditor.join("open")).unwrap();
    team.sq(&auditor, &write).ok();
    assert_eq!(fs::read_to_string(auditor.join("open")).unwrap(), "earlier");
    assert_has!(fs::read_to_string(auditor.join("checkpoint")).unwrap(), "git-sq/");
    if !Path::new("/dev/full").exists() {
        eprintln!("skipped: there is no /dev/full on this machine");
        return;
    }
    for line in
        ["verify --log --checkpoint-out /dev/full", "report -o /dev/full", "stats -o /dev/full"]
    {
        let ran = team
            .world
            .sq_in(&auditor, &git_sq_test_support::refs(&git_sq_test_support::words(line)));
        assert_eq!(ran.code, 128, "{line}: {}", ran.transcript());
        assert_has!(ran.stderr, "hint: free space or inodes on the disk");
    }
}

/// GitLab takes two issues with one fingerprint for one.
#[test]
fn each_of_two_equal_problems_has_a_fingerprint_of_its_own() {
    let (team, auditor) = team();
    rewrite(&team, "refs/notes/sq", |line| {
        let other = line.replacen("\"tool\":\"", "\"tool\":\"x", 1);
        Some(if line.contains("\"s3\"") { format!("{line}\n{other}") } else { line.to_owned() })
    });
    fetch(&team, &auditor);
    let ran = team.sq(&auditor, &["verify", "--log", "--format", "gitlab"]);
    let issues: Vec<Value> = serde_json::from_str(&ran.stdout).unwrap();
    let of = |key: &str| issues.iter().map(|issue| issue[key].to_string()).collect::<Vec<_>>();
    let (mut prints, mut texts) = (of("fingerprint"), of("description"));
    for list in [&mut prints, &mut texts] {
        list.sort_unstable();
        list.dedup();
    }
    assert!(texts.len() < issues.len(), "{}", ran.stdout);
    assert_eq!(prints.len(), issues.len(), "{}", ran.stdout);
}

/// The refs of this program are those of one clone.
#[test]
fn what_was_published_is_attested_by_its_name_before_it_is_fetched() {
    let (team, _) = team();
    team.git_ok_in(&team.clone, "pull --quiet --rebase");
    team.publish("s5");
    team.git_ok_in(&team.clone, "update-ref -d refs/notes/remotes/origin/sq");
    team.sq(&team.clone, &["verify", "--log", "--attest", "../statement"]).ok();
    let statement = fs::read_to_string(team.world.root().join("statement")).unwrap();
    let statement: Value = serde_json::from_str(&statement).unwrap();
    assert_eq!(statement["subject"][1]["name"], "refs/notes/sq", "{statement}");
    let published = team.git_ok_in(&team.remote, "rev-parse refs/notes/sq");
    assert_eq!(statement["subject"][1]["digest"]["gitCommit"], published.trim());
}

#[test]
fn what_holds_is_attested() {
    let (team, auditor) = team();
    let file = team.world.root().join("statement");
    team.sq(&auditor, &["verify", "--attest", file.to_str().unwrap()]).ok();
    let statement: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    let id = |name: &str| team.git_ok_in(&auditor, &format!("rev-parse {name}")).trim().to_owned();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(statement["subject"][0]["digest"]["gitCommit"], id("HEAD"));
    let log = "refs/notes/remotes/origin/sq";
    assert_eq!(statement["subject"][1]["name"], log);
    assert_eq!(statement["subject"][1]["digest"]["gitCommit"], id(log));
    let predicate = &statement["predicate"];
    let properties =
        ["GIT_SQ_APPEND_ONLY", "GIT_SQ_WHOLE", "GIT_SQ_SEEN", "GIT_SQ_ANCHORED", "GIT_SQ_TIME"];
    assert_eq!(predicate["properties"], serde_json::json!(properties));
    let store = &predicate["verifier"]["policies"][0];
    assert_eq!(store["digest"]["gitBlob"], id("HEAD:standing_questions.json"));
}

#[test]
fn annotated_tags_anchor_the_log_and_tags_of_code_do_not() {
    let (team, auditor) = team();
    team.git_ok_in(&auditor, "tag -a -m x audit refs/notes/remotes/origin/sq");
    team.git_ok_in(&auditor, "push --quiet --no-verify origin audit");
    team.git_ok_in(&team.remote, "update-ref refs/notes/sq refs/notes/sq~2");
    let fresh = fresh(&team);
    fs::create_dir(fresh.join("db")).unwrap();
    fs::write(fresh.join("db/1"), "").unwrap();
    team.git_ok_in(&fresh, "add --all");
    team.git_ok_in(&fresh, "commit --quiet -m Data");
    team.git_ok_in(&fresh, "tag v1");
    assert_eq!(trouble(&team, &fresh, &[]), (proofs(&[("anchored", [1, 0])]), 1));
}

#[test]
fn a_date_that_cannot_be_read_is_not_told() {
    let (team, auditor) = team();
    let raw = team.git_ok_in(&team.remote, "cat-file commit refs/notes/sq");
    let raw: String = raw
        .lines()
        .map(|line| match line.strip_prefix("committer ") {
            Some(_) => "committer x <x@example.org> 99999999999999999999999 +0000\n".to_owned(),
            None => format!("{line}\n"),
        })
        .collect();
    let file = team.world.root().join("raw");
    fs::write(&file, raw).unwrap();
    let odd = team.git_ok_in(
        &team.remote,
        &format!("hash-object --literally -t commit -w {}", file.display()),
    );
    team.git_ok_in(&team.remote, &format!("update-ref refs/notes/sq {odd}"));
    fetch(&team, &auditor);
    assert_eq!(trouble(&team, &auditor, &[]).0["time"], [0, 1]);
}

#[test]
fn a_checkpoint_of_a_log_that_fails_is_not_written() {
    let (team, auditor) = team();
    let out = team.world.root().join("checkpoint");
    let out = out.to_str().unwrap();
    team.sq(&auditor, &["verify", "--log", "--checkpoint-out", out]).ok();
    team.git_ok_in(&team.remote, "update-ref refs/notes/sq refs/notes/sq~2");
    fetch(&team, &auditor);
    // A clone that only fetches remembers what it fetched.
    let (found, code) = trouble(&team, &auditor, &[]);
    assert_eq!((found["anchored"], code), ([1, 0], 1));
    let both = ["verify", "--log", "--checkpoint", out, "--checkpoint-out", out];
    for _ in 0..2 {
        assert_has!(team.sq(&auditor, &both).stderr, "the log fails a proof");
    }
}

#[test]
fn what_an_agent_changed_on_a_branch_is_not_the_mergers() {
    let (team, auditor) = team();
    team.git_ok("pull --quiet --rebase");
    team.git_ok("switch --quiet -c topic");
    let store = git_sq_test_support::store(&["q1", "q2"]);
    fs::write(team.clone.join("standing_questions.json"), store).unwrap();
    team.world.pass(10 * 3600);
    team.git_ok("commit --quiet -am Ask --author 'Claude <noreply@anthropic.com>'");
    team.git_ok("switch --quiet main");
    team.git_ok("merge --quiet --no-ff topic -m Merge");
    team.git_ok("push --quiet --no-verify");
    team.git_ok_in(&auditor, "pull --quiet");
    let (found, _) = trouble(&team, &auditor, &[]);
    assert_eq!(found, proofs(&[("coverage", [0, 1]), ("store", [1, 0])]));
}

#[test]
fn an_entry_on_a_commit_that_is_not_here_is_not_told() {
    let (team, auditor) = team();
    let ones = "1".repeat(40);
    rewrite(&team, "", |line| {
        let mut entry: Value = serde_json::from_str(line).unwrap();
        if entry["sid"] == "s4" {
            entry["repo_head_sha"] = ones.clone().into();
        }
        Some(entry.to_string())
    });
    fetch(&team, &auditor);
    assert_eq!(trouble(&team, &auditor, &[]).0["time"], [0, 1]);
}

#[test]
fn a_clock_that_was_wrong_is_accepted_by_a_person() {
    let (team, auditor) = team();
    team.git_ok("pull --quiet --rebase");
    team.commit(&team.clone, "Made a day later");
    team.world.pass(-86_400);
    team.world.record_in(&team.clone, "slow").ok();
    team.world.pass(86_400);
    team.push();
    team.git_ok_in(&auditor, "pull --quiet");
    assert_eq!(trouble(&team, &auditor, &[]), (proofs(&[("time", [1, 0])]), 1));
    let warned = |dir: &Path| team.sq(dir, &["check"]).stdout.contains("[clock]");
    assert!(warned(&auditor));
    fetch(&team, &team.clone);
    let said = team.world.person_ok_in(&team.clone, "check --accept");
    assert!(said.contains("before its commit"), "{said}");
    team.git_ok("add --all");
    team.git_ok("commit --quiet -m Accept");
    team.git_ok("push --quiet");
    team.git_ok_in(&auditor, "pull --quiet");
    assert_eq!(trouble(&team, &auditor, &[]), (proofs(&[]), 0));
    assert!(!warned(&auditor));
}

#[test]
fn a_partial_clone_proves_the_same() {
    let (team, _) = team();
    team.set_on_remote("uploadpack.allowFilter", "true");
    for filter in ["blob:none", "tree:0"] {
        let part = team.cloned(&format!("--filter={filter}"), &format!("part-{filter}"));
        team.sq(&part, &["init", "--no-hooks"]).ok();
        assert_eq!(trouble(&team, &part, &[]), (proofs(&[]), 0), "{filter}");
    }
    // An old store may be out of reach.
    fs::write(
        team.clone.join("standing_questions.json"),
        git_sq_test_support::store(&["q1", "q2"]),
    )
    .unwrap();
    team.git_ok("pull --quiet --rebase --autostash");
    team.git_ok("commit --quiet -am Ask");
    team.git_ok("push --quiet");
    let part = team.cloned("--filter=blob:none", "offline");
    team.sq(&part, &["init", "--no-hooks"]).ok();
    fs::rename(&team.remote, team.world.root().join("gone.git")).unwrap();
    let (found, code) = trouble(&team, &part, &[]);
    assert_eq!((found["store"], code), ([0, 1], 3), "{found:?}");
}

#[test]
fn what_agents_did_before_the_first_question_needs_no_session() {
    let world = git_sq_test_support::World::new();
    world.write("a", "1");
    world.commit("Begin\n\nCo-Authored-By: Claude <noreply@anthropic.com>");
    world.ask(&["q1"]);
    world.record("s1").ok();
    let coverage = || {
        let proofs = world.json("verify --log")["proofs"].take();
        let found = each(&proofs).find(|proof| proof["proof"] == "coverage").unwrap().clone();
        found["cant_tell"].as_array().unwrap().len()
    };
    assert_eq!(coverage(), 0);
    world.pass(10 * 3600);
    world.write("a", "2");
    world.commit("Go on\n\nCo-Authored-By: Claude <noreply@anthropic.com>");
    assert_eq!(coverage(), 1);
}

/// A person changes the questions when the agent, under the same identity, has ended.
#[test]
fn a_session_is_over_when_it_ended() {
    for (end, cant_tell) in [(true, 0), (false, 1)] {
        let world = git_sq_test_support::World::new().env("SQ_AGENT", "coder");
        world.ask(&["q1"]);
        world.sq_ok("record --same q1=a");
        if end {
            world.sq_ok("session end");
        }
        world.pass(1800);
        world.ask(&["q1", "q2"]);
        let proofs = world.json("verify --log")["proofs"].take();
        let found = each(&proofs).find(|proof| proof["proof"] == "store").unwrap().clone();
        assert_eq!(found["cant_tell"].as_array().unwrap().len(), cant_tell, "{found}");
    }
}
