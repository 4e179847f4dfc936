//! What the table of `git sq verify` says that each proof cannot show: none of it is found.

use std::{fs, path::Path};

use git_sq::entry::sha256_hex;
use git_sq_test_support::{Team, store};

use super::proofs::{fetch, forge, fresh, rewrite, team, trouble};

fn rewind(team: &Team, to: &str) {
    team.git_ok_in(&team.remote, &format!("update-ref refs/notes/sq {to}"));
}

fn publish(team: &Team, sid: &str) {
    team.git_ok("pull --quiet --rebase");
    team.publish(sid);
    team.sq(&team.clone, &["sync"]).ok();
}

/// An agent that works without a session or a trailer, and changes its questions.
fn work_unseen(team: &Team) {
    team.git_ok("pull --quiet --rebase");
    fs::write(team.clone.join("standing_questions.json"), store(&["q2"])).unwrap();
    team.world.pass(10 * 3600);
    team.git_ok("commit --quiet -am Ask");
    team.git_ok("push --quiet --no-verify");
}

type Harm = fn(&Team, &Path);

const LIMITS: &[(&str, &str, Harm)] = &[
    ("append-only", "a history that was rewritten", |team, _| {
        rewrite(team, "", |line| Some(line.to_owned()));
    }),
    ("whole", "a missing tail", |team, _| {
        rewind(team, "refs/notes/sq~1");
    }),
    ("whole", "an added tail", |team, _| {
        forge(team, |line, forged| {
            forged["n"] = 3.into();
            forged["prev"] = sha256_hex(line.as_bytes()).into();
        });
    }),
    ("whole", "a new writer", |team, _| {
        forge(team, |_, forged| {
            forged["writer"] = "zzzzzzzzzzzz".into();
            forged["n"] = 1.into();
            forged.as_object_mut().unwrap().remove("prev");
        });
    }),
    ("seen", "a state that no line names", |team, _| {
        publish(team, "s5");
        rewind(team, "refs/notes/sq~1");
    }),
    ("anchored", "what came after the last remembered state", |team, dir| {
        fetch(team, dir);
        team.git_ok_in(dir, "tag audit refs/notes/remotes/origin/sq");
        team.git_ok_in(dir, "push --quiet --no-verify origin audit");
        publish(team, "s5");
        rewind(team, "refs/notes/sq~1");
    }),
    ("time", "dates that were forged consistently", |team, _| {
        team.world.pass(400 * 86_400);
        publish(team, "s5");
        team.world.pass(-400 * 86_400);
    }),
    ("store", "an agent under a person's identity", |team, _| {
        work_unseen(team);
    }),
    ("coverage", "an agent that leaves no trace", |team, _| {
        work_unseen(team);
    }),
];

#[test]
fn what_a_proof_cannot_show_is_not_found() {
    for (proof, what, harm) in LIMITS {
        let (team, auditor) = team();
        harm(&team, &auditor);
        let (found, code) = trouble(&team, &fresh(&team), &[]);
        assert_eq!((found.get(*proof), code), (None, 0), "{proof}: {what}: {found:?}");
    }
}

/// Whoever holds the key is the person.
#[test]
fn a_forger_with_the_key_signs_well() {
    let (team, auditor) = team();
    let key = team.world.root().join("key");
    let mut made = team.world.command("ssh-keygen");
    made.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key);
    assert!(made.status().unwrap().success());
    let signing = format!(
        "-c gpg.format=ssh -c user.signingKey={} -c user.email=ada@example.org",
        key.display()
    );
    let list = "commit-tree refs/notes/sq^{tree} -S -m Notes";
    let signed = team.git_ok_in(&team.remote, &format!("{signing} {list}"));
    rewind(&team, signed.trim());
    let signers = team.world.root().join("signers");
    let public = fs::read_to_string(key.with_extension("pub")).unwrap();
    fs::write(&signers, format!("ada@example.org {public}")).unwrap();
    let (found, code) = trouble(&team, &fresh(&team), &["--signers", signers.to_str().unwrap()]);
    assert_eq!((found.get("signed"), code), (None, 0), "{found:?}");
    fetch(&team, &auditor);
}

#[test]
fn a_judgement_that_is_wrong_holds_with_its_citation() {
    let (team, _) = team();
    team.git_ok("pull --quiet --rebase");
    let cite = [
        "record",
        "--sid",
        "s5",
        "q1=no",
        "--delta",
        "q1",
        "--cite",
        "q1=standing_questions.json:1",
    ];
    team.sq(&team.clone, &cite).ok();
    let ran = team.sq(&team.clone, &["verify", "--answers"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "verified 1 recorded answer: 1 stands\n"),
        "{}",
        ran.transcript()
    );
}

/// Records on a branch that stays private.
fn work_privately(team: &Team) {
    team.git_ok("switch --quiet -c private");
    team.work(&team.clone, "private");
    team.git_ok("switch --quiet main");
}

/// Records on the shared branch, and takes the entry out of the local log before it is published.
fn hold_back(team: &Team) {
    team.work(&team.clone, "held-back");
    let message = team.git_ok("log -1 --format=%B refs/notes/sq");
    team.git_ok("notes --ref=sq remove HEAD");
    let commit = ["commit-tree", "refs/notes/sq^{tree}", "-p", "refs/notes/sq~2"];
    let commit = team.git(&team.clone, &[&commit[..], &["-m", &message]].concat()).ok();
    team.git_ok(&format!("update-ref refs/notes/sq {commit}"));
    team.git_ok("update-ref -d refs/sq/kept");
}

#[test]
fn a_gap_does_not_say_whether_the_work_was_private() {
    let gap = |leave: fn(&Team)| {
        let (team, _) = team();
        team.git_ok("pull --quiet --rebase");
        leave(&team);
        publish(&team, "s5");
        let ran = team.sq(&fresh(&team), &["verify", "--log"]).exits(0);
        let (_, last) = ran.stdout.rsplit_once("clone ").unwrap();
        let clone = last.split(' ').next().unwrap().to_owned();
        ran.stdout.replace(&clone, "CLONE")
    };
    let private = gap(work_privately);
    let last = private.lines().last().unwrap();
    assert_eq!(last, "can't tell: whole: clone CLONE of ada@example.org: no line 3");
    assert_eq!(private, gap(hold_back));
}
