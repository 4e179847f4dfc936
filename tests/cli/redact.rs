//! Redaction: what is not shown any more, what still counts, and what a hostile redaction does not hide.

use git_sq_test_support::{Team, World, each, event_line};
use serde_json::{Value, json};

use crate::{generated::assert_valid, sessions::entries};

/// What must not be seen again.
const TEXT: &str = "the-hidden-words";
const WHY: &str = "it held a token";

/// A log in which each kind of entry has the text: the ids of its entries.
fn said(world: &World) -> Vec<String> {
    world.ask(&["q1", "q2"]);
    world.write("README.md", "one\ntwo\n");
    world.commit("Write");
    world.sq_ok(&format!(
        "record --sid s1 --same q1={TEXT} q1={TEXT} --cite 'q1=README.md:1' --same q2={TEXT}"
    ));
    world.change("README.md", "three\n");
    world.sq_ok(&format!("record --sid s2 --delta q1={TEXT}"));
    world.sq_ok(&format!("state set --sid s2 --handover {TEXT} --done {TEXT}"));
    world.sq_ok(&format!(
        "tension open {TEXT} --sid s2 --type gap --source {TEXT} --curiosity 0.5 --intrusiveness 0.5"
    ));
    world.person_ok(&format!("triage q1 s2 --error --because {TEXT}"));
    world.sq_ok(&format!(
        "record --sid s3 --second {} q1=other --delta q1={TEXT}",
        ids(world, "rederive")[0]
    ));
    ids(world, "all")
}

fn ids(world: &World, kind: &str) -> Vec<String> {
    world
        .sq_ok(&format!("export --kind {kind}"))
        .lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            line["id"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// Every command that reads.
const READING: &str = "status; brief; brief --format markdown; brief --format json; log --kind all;
    log --kind all --oneline; log --kind all --format json; log --format json; show q1; show q1 --format json;
    show q1 --format markdown; show s2; check; check --format json; verify; verify --format json; verify --second;
    verify --second --format json; triage --all; triage --all --format json; state show; state show --format json;
    tension list --all; tension list --all --format json; tension next; show README.md; show README.md --format json;
    export; export --kind all; export --strict-v1; stats; question list --format json; session current; carry -n; doctor";

/// What they print, all together.
fn read_all(world: &World) -> String {
    READING
        .split(';')
        .map(|line| format!("\n$ {}\n{}", line.trim(), world.try_sq(line.trim()).transcript()))
        .collect()
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn nothing_shows_a_redacted_text_and_all_figures_stay() {
    let world = World::new();
    let ids = said(&world);
    let figures = |world: &World| {
        let (check, code) = world.check(&[]);
        (check["questions"].clone(), check["sessions"].clone(), code)
    };
    let before = figures(&world);
    let shown = read_all(&world);
    assert!(shown.matches(TEXT).count() > 30, "{shown}");
    assert!(!shown.contains("--- exit 12"), "{shown}");
    for id in &ids {
        world.person_ok(&format!("redact {id} --because '{WHY}'"));
    }
    let shown = read_all(&world);
    assert!(!shown.contains(TEXT), "{shown}");
    let mark = format!("redacted by Ada Example: {WHY}");
    for line in ["show q1", "brief", "state show", "tension list --all", "triage --all"] {
        let (_, said) = shown.split_once(&format!("\n$ {line}\n")).unwrap();
        assert!(said.split("\n$ ").next().unwrap().contains(&mark), "{line}: {shown}");
    }
    for line in ["export --kind all", "export --strict-v1", "log --format json"] {
        assert_has!(world.try_sq(line).stdout, &mark);
    }
    assert_eq!(figures(&world), before);
    let uncached = world.try_sq("log --kind all --no-cache").stdout;
    assert!(!uncached.contains(TEXT) && uncached.contains(&mark));
    // A new answer is held against the old one, which is not quoted.
    world.commit("More");
    let ran = world.try_sq("record --sid s4 q1=new --same q1");
    assert!(!ran.transcript().contains(TEXT), "{}", ran.transcript());
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn what_it_says_and_refuses() {
    let world = World::asked();
    world.sq_ok(&format!("record --sid s1 --same q1={TEXT}"));
    let id = ids(&world, "rederive").remove(0);
    let redact = |entry: &str, why: &str| {
        world
            .person(&format!("redact {entry} --because '{why}'"), "")
            .transcript()
            .replace(&id, "ID")
            .replace(&world.head()[..10], "COMMIT")
    };
    insta::assert_snapshot!(redact("nothing", WHY), @"
    --- stderr
    fatal: there is no entry nothing
    hint: nothing was written; usage: git sq redact ENTRY --because 'it held a token'
    --- exit 128
    ");
    insta::assert_snapshot!(redact(&id, ""), @"
    --- stderr
    fatal: the reason is empty
    hint: nothing was written; usage: git sq redact ENTRY --because 'it held a token'
    --- exit 128
    ");
    insta::assert_snapshot!(redact(&id, WHY), @"
    Redacted ID on COMMIT. Its text was replaced with: redacted by Ada Example: it held a token
    The text is still in git, here and wherever the log went: if it is a secret, replace the secret.
    --- exit 0
    ");
    insta::assert_snapshot!(redact(&id, WHY), @"
    --- stderr
    fatal: entry ID, on COMMIT, is already redacted by Ada Example: it held a token
    hint: nothing was written; usage: git sq redact ENTRY --because 'it held a token'
    --- exit 128
    ");
    let redaction = ids(&world, "redact").remove(0);
    insta::assert_snapshot!(redact(&redaction, WHY).replace(&redaction, "REDACTION"), @"
    --- stderr
    fatal: entry REDACTION is a redaction, which stays as it is
    hint: nothing was written; usage: git sq redact ENTRY --because 'it held a token'
    --- exit 128
    ");
    let line = world.sq_ok("log --kind redact --oneline");
    assert!(line.ends_with(": it held a token\n"), "{line}");
    // Plain git shows what it has.
    assert!(world.git_ok("log --notes=sq").contains(TEXT));
    let redactions = entries(&world, "redact");
    assert_eq!(redactions.len(), 1);
    assert_valid("redact-entry", &redactions[0]);
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_redacted_answer_of_a_probe_is_still_verified() {
    let world = World::new();
    world.write("a.rs", format!("// TODO {TEXT}\n"));
    world.ask_json(
        r#"{"id": "q1", "q": "What is left?", "importance": 3,
            "probe": {"grep": {"text": "TODO", "paths": ["a.rs"], "take": "lines"}}}"#,
    );
    world.sq_ok("record --sid s1");
    let (head, right) = (world.head(), world.lines().remove(0));
    // The second one is forged: by hand, in another session.
    let forged = right.replace("// TODO", "// DONE").replace("s1", "s2");
    assert_ne!(forged, right);
    world.plant(&[(&head, format!("{right}\n{forged}\n").as_bytes())]);
    let verify = || {
        let ran = world.sq(&["verify", "--format", "json"]);
        let results = ran.json()["results"].as_array().unwrap().clone();
        let mut verdicts: Vec<String> = results
            .iter()
            .map(|result| format!("{} {}", result["sid"], result["verdict"]))
            .collect();
        verdicts.sort();
        (verdicts, ran.code)
    };
    let before = verify();
    assert_eq!(before.1, 1, "{before:?}");
    for id in ids(&world, "rederive") {
        world.person(&format!("redact {id} --because '{WHY}'"), "");
    }
    assert_eq!(verify(), before);
    let text = world.sq(&["verify"]).transcript();
    assert!(!text.contains(TEXT) && text.contains(WHY), "{text}");
}

/// A redaction as somebody may plant it.
fn planted(head: &str, id: &str, keys: &Value, entry: &str, line: &str) -> String {
    let mut body = json!({"entry": entry, "line": line, "because": "malice", "by": {"name": "Mallory", "email": "m@x"}});
    body.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    event_line(head, "redact", id, &body)
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_hostile_redaction_hides_nothing_else() {
    let world = World::asked();
    let head = world.head();
    world.sq_ok(&format!("record --sid s1 --same q1={TEXT}"));
    let id = ids(&world, "rederive").remove(0);
    // The digest of the line, as a redaction in another clone names it.
    let digest = { git_sq::entry::sha256_hex(world.lines().remove(0).as_bytes())[..32].to_owned() };
    let writer = |n: u64| json!({"writer": "01M7ZXRV1T5J9P4R6S8VWXYZ02", "n": n});
    let other = "0".repeat(32);
    let newer = json!({"v": 2, "writer": "w", "n": 1});
    let harmless = [
        ("01A", writer(1), "01M7ZXRVN3A0K7Q5W8YB6CDE2F", &*digest),
        ("01B", writer(2), &id, &other),
        ("01C", writer(3), &id, "short"),
        ("01D", writer(4), "01D", &other),
        ("01E", json!({}), &id, &digest),
        ("01F", newer, &id, &digest),
    ]
    .map(|(own, keys, entry, line)| planted(&head, own, &keys, entry, line));
    let text = world.note(&head);
    let note = |lines: &[String]| [text.clone(), lines.concat().into_bytes()].concat();
    world.plant(&[(&head, &note(&harmless))]);
    assert!(world.sq_ok("show q1").contains(TEXT));
    // One that redacts another one leaves that one as it is; anybody's words are cut and escaped.
    let long = format!("\u{1b}[2J{}", "very ".repeat(500));
    let mut last = writer(5);
    last["because"] = json!(long);
    let real = planted(&head, "01G", &last, &id, &digest);
    let of_real = git_sq::entry::sha256_hex(real.trim_end().as_bytes())[..32].to_owned();
    let of_it = planted(&head, "01H", &writer(6), "01G", &of_real);
    world.plant(&[(&head, &note(&[real, of_it]))]);
    let shown = world.sq_ok("show q1");
    assert_has!(shown, "redacted by Mallory: ");
    assert!(!shown.contains(TEXT) && !shown.contains('\u{1b}') && shown.len() < 1500, "{shown}");
    let listed = world.sq_ok("log --kind redact");
    assert!(listed.contains("malice") && listed.contains("very very"), "{listed}");
    // Nor does it keep a person from hiding the entry.
    world.plant(&[(&head, &note(&harmless))]);
    world.person_ok(&format!("redact {id} --because '{WHY}'"));
    assert_has!(world.sq_ok("show q1"), WHY);
}

/// Redaction hides words and nothing else: no alarm is closed by it, whatever a clone kept.
#[test]
fn redaction_closes_no_alarm() {
    let team = Team::new();
    team.write(
        "standing_questions.json",
        r#"{"_schema":"standing_questions/v2","questions":[
            {"id":"q1","q":"What does it say?","importance":3,"shape":"text","watch":["file"]}]}"#,
    );
    for number in 1..=5 {
        team.change("file", format!("word {number}\n"));
        let answer = format!("q1={TEXT}-{number}");
        let sid = format!("s{number}");
        let line = ["record", "--sure", "--sid", &sid, "--cite", "q1=file:1"];
        team.sq(&team.clone, &[&line[..], &[&answer, "--delta", &answer]].concat()).ok();
    }
    team.git_ok("push --quiet");
    team.sq(&team.clone, &["sync"]).ok();
    let verdict = |dir: &std::path::Path, options: &[&str]| {
        let ran = team.sq(dir, &[&["check", "--format", "json"], options].concat()).exits(1);
        let report = ran.json();
        let rules = each(&report["findings"]);
        let rules: Vec<String> =
            rules.map(|finding| format!("{} {}", finding["rule"], finding["entry"])).collect();
        (rules, report["questions"].clone(), report["sessions"].clone(), ran.stdout)
    };
    let before = verdict(&team.clone, &[]);
    assert!(before.3.contains(TEXT), "{}", before.3);
    let log = team.sq(&team.clone, &["log", "--format", "json"]).json();
    for entry in log["entries"].as_array().unwrap() {
        let id = entry["id"].as_str().unwrap();
        let line = format!("redact {id} --because '{WHY}'");
        team.world.person_ok_in(&team.clone, &line);
    }
    team.sq(&team.clone, &["sync"]).ok();
    let fresh = team.join("fresh");
    let mirror = team.cloned("--mirror", "mirror.git");
    let kept = verdict(&team.clone, &[]);
    assert_eq!(kept, verdict(&team.clone, &["--no-cache"]));
    std::fs::remove_dir_all(team.clone.join(".git/sq/cache")).unwrap();
    assert_eq!(kept, verdict(&team.clone, &[]));
    assert_eq!(kept, verdict(&fresh, &[]));
    assert_eq!(kept, verdict(&mirror, &[]));
    assert_eq!((&kept.0, &kept.1, &kept.2), (&before.0, &before.1, &before.2));
    assert!(!kept.3.contains(TEXT) && kept.3.contains(WHY), "{}", kept.3);
    // A new answer is held against the one whose words are hidden.
    team.change("file", "word 6\n");
    let answer = format!("q1={TEXT}-1");
    let said = ["record", "--sid", "s6", &answer, "--delta", "q1=new"];
    let ran = team.sq(&team.clone, &said).transcript();
    assert!(ran.contains("file changed since") && !ran.contains(TEXT), "{ran}");
    let said = [&said[..], &["--sure", "--cite", "q1=file:1"]].concat();
    team.sq(&team.clone, &said).ok();
    let last = team.sq(&team.clone, &["log", "--format", "json", "-n", "1"]).json();
    assert_eq!(last["entries"][0]["results"][0]["delta"], false, "{last}");
}

/// How docs/security.md takes an entry out of the note of a commit.
fn purging(id: &str, commit: &str) -> String {
    format!(
        "git notes --ref=sq show {commit} | grep -vF '\"id\":\"{id}\"' | git notes --ref=sq add -f -F - {commit}"
    )
}

/// Purges an entry in a fresh clone, and pushes a new history.
fn purge(team: &Team, id: &str, commits: &[&str]) {
    let purger = team.cloned("", "purger");
    let git = |line: &str| team.git_ok_in(&purger, line);
    git("fetch --quiet origin refs/notes/sq:refs/notes/sq");
    for commit in commits {
        team.world.shell_in(&purger, &purging(id, commit)).ok();
    }
    let anew = git("commit-tree -m purged refs/notes/sq^{tree}").trim().to_owned();
    git(&format!("push --quiet --force origin {anew}:refs/notes/sq"));
    assert!(!team.lines_on_remote().iter().any(|line| line.contains(TEXT)));
}

/// The steps of docs/security.md.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_purged_line_comes_back_from_no_clone_and_fails_the_gate_until_that_is_agreed() {
    let team = Team::new();
    let bob = team.join("bob");
    team.sq_ok(&format!("record --sid s1 q1={TEXT}"));
    let commit = team.git_ok("rev-parse HEAD").trim().to_owned();
    team.commit(&team.clone, "Work");
    team.sq_ok("record --sid s2 --same q1=two");
    team.git_ok("push --quiet");
    team.sq_ok("sync");
    team.git_ok_in(&bob, "pull --quiet");
    team.sq_ok_in(&bob, "sync");
    let log = team.sq(&team.clone, &["log", "--format", "json"]).json();
    let id = log["entries"][1]["id"].as_str().unwrap();
    team.world.person_ok_in(&team.clone, &format!("redact {id} --because '{WHY}'"));
    team.sq_ok("sync");

    purge(&team, id, &[&commit]);
    let has_text = || team.lines_on_remote().iter().any(|line| line.contains(TEXT));
    assert!(!has_text());
    for (dir, sid) in [(&team.clone, "s3"), (&bob, "s4")] {
        assert_has!(
            team.sq_ok_in(dir, "sync"),
            "it got back what this clone has, except what was redacted"
        );
        assert_has!(team.try_sq_in(dir, "check").stdout, "is no longer in the log");
        team.commit(dir, "More");
        team.sq_ok_in(dir, &format!("record --sid {sid} --same q1=two"));
        team.git_ok_in(dir, "pull --quiet --rebase");
        team.git_ok_in(dir, "push --quiet");
        team.sq_ok_in(dir, "sync");
        assert!(!has_text());
    }
    let fresh = team.join("fresh");
    team.git_ok_in(&fresh, "pull --quiet");
    let gate = team.try_sq_in(&fresh, "ci");
    let line = gate.stdout.split_once("--accept '").unwrap().1.split_once('\'').unwrap().0;
    let said = gate.stdout.replace(line, "LINE").replace(id, "ENTRY");
    let said: Vec<&str> =
        said.lines().filter(|row| row.contains("ENTRY") || row.contains("LINE")).collect();
    insta::assert_snapshot!(said.join("\n"), @"
    error: entry ENTRY is no longer in the log: redacted by Ada Example: it held a token
      if it was purged on purpose, `git sq check --accept 'LINE'` closes this [lines-removed]
    ");
    assert_eq!(gate.code, 1, "{}", gate.transcript());
    team.world.person_ok_in(&fresh, &format!("check --accept '{line}' --because agreed"));
    team.git_ok_in(&fresh, "add --all");
    team.commit(&fresh, "Close");
    assert_eq!(team.world.verdict_in(&fresh, ""), "0");

    // In a clone that has it, it goes for good.
    let has_object = || {
        let all = "cat-file --batch --batch-all-objects --buffer --unordered";
        let objects = team.git(&team.clone, &all.split(' ').collect::<Vec<_>>());
        objects.stdout.contains(TEXT)
    };
    assert!(has_object());
    team.git_ok("fetch --quiet");
    team.world.shell_in(&team.clone, &purging(id, &commit)).ok();
    for name in team.git_ok("for-each-ref --format=%(refname) refs/sq/").lines() {
        team.git_ok(&format!("update-ref -d {name}"));
    }
    std::fs::remove_dir_all(team.clone.join(".git/sq/cache")).unwrap();
    let anew = team.git_ok("commit-tree -m purged refs/notes/sq^{tree}");
    team.git_ok(&format!("update-ref refs/notes/sq {}", anew.trim()));
    team.git_ok("reflog expire --expire-unreachable=now --all");
    team.git_ok("gc --quiet --prune=now");
    assert!(!has_object());
    team.sq_ok("record --sid s5 --same q1=two");
    team.sq_ok("sync");
    assert!(!has_object() && !has_text());
}

/// A clone copies the lines of a commit that it rewrites, before it knows of a redaction and after.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_purged_line_comes_back_with_no_copy_on_a_rewritten_commit() {
    let team = Team::new();
    team.git_ok("checkout --quiet -b topic");
    team.commit(&team.clone, "Work");
    team.sq_ok(&format!("record --sid s1 q1={TEXT}"));
    // The commit that the line names is never pushed.
    team.git_ok("commit --quiet --amend --allow-empty -m before");
    team.git_ok("push --quiet -u origin topic");
    team.sq_ok("sync");
    let bob = team.join("bob");
    team.git_ok_in(&bob, "checkout --quiet topic");
    let head = || team.git_ok_in(&bob, "rev-parse HEAD").trim().to_owned();
    let amend = |message: &str| {
        team.git_ok_in(&bob, &format!("commit --quiet --amend --allow-empty -m {message}"));
        team.git_ok_in(&bob, "push --quiet --force");
        team.settle(&bob);
        team.sq_ok_in(&bob, "sync");
    };
    let log = team.sq(&team.clone, &["log", "--format", "json"]).json();
    let id = log["entries"][0]["id"].as_str().unwrap();
    let first = head();
    let redact = || {
        let line = format!("redact {id} --because '{WHY}'");
        team.world.person_in(&team.clone, &line).transcript()
    };
    assert_has!(redact(), &format!("Redacted {id} on "), &first[..10]);
    team.sq_ok("sync");
    amend("reworded");
    let second = head();
    team.sq_ok("sync");
    assert_has!(redact(), &format!("Redacted {id} on {}.", &second[..10]));
    assert_has!(redact(), &format!("entry {id}, on "), &first[..10], &second[..10], "is already");
    team.sq_ok("sync");
    purge(&team, id, &[&first, &second]);
    for dir in [&bob, &team.clone] {
        team.sq_ok_in(dir, "sync");
    }
    amend("again");
    assert!(!team.lines_on_remote().iter().any(|line| line.contains(TEXT)));
}

/// One that names another entry, or another redaction, takes nothing away; one that names it well is told in every clone.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_planted_redaction_loses_no_line_in_silence() {
    let team = Team::new();
    let bob = team.join("bob");
    let honest = |sid: &str| {
        team.commit(&team.clone, "Work");
        team.sq_ok(&format!("record --sid {sid} --same q1={TEXT}-{sid}"));
    };
    honest("s1");
    honest("s2");
    team.git_ok("push --quiet");
    team.sq_ok("sync");
    team.git_ok_in(&bob, "pull --quiet");
    team.sq_ok_in(&bob, "sync");
    let log = team.sq(&team.clone, &["log", "--format", "json"]).json();
    let entry = |place: usize| log["entries"][place]["id"].as_str().unwrap().to_owned();
    let head = team.git_ok("rev-parse HEAD").trim().to_owned();
    let note = team.git_ok("notes --ref=sq show HEAD").trim().to_owned();
    let digest = git_sq::entry::sha256_hex(note.as_bytes())[..32].to_owned();
    let plant = |id: &str, named: &str| {
        let writer = json!({"writer": "01M7ZXRV1T5J9P4R6S8VWXYZ02", "n": 1});
        let planted = planted(&head, id, &writer, named, &digest);
        let file = team.world.root().join("planted");
        std::fs::write(&file, planted).unwrap();
        let log = team.world.root().join("enemy");
        let _ = std::fs::remove_dir_all(&log);
        let url = team.remote.display();
        team.world.git_ok(&format!("clone --quiet '{url}' '{}'", log.display()));
        team.git_ok_in(&log, "fetch --quiet origin refs/notes/sq:refs/notes/sq");
        team.git_ok_in(&log, &format!("notes --ref=sq add --force -F '{}' HEAD", file.display()));
        team.git_ok_in(&log, "push --quiet origin refs/notes/sq");
    };
    let has_line = || team.lines_on_remote().iter().any(|line| line.trim() == note);
    plant("01KDVED3Q06QMQERD3TXWVHZB1", &entry(1));
    assert!(!has_line());
    team.sq_ok("sync");
    assert!(has_line());
    plant("01KDVED3Q06QMQERD3TXWVHZB2", &entry(0));
    team.sq_ok("sync");
    assert!(!has_line());
    team.sq_ok_in(&bob, "sync");
    for dir in [&team.clone, &bob, &team.join("fresh")] {
        team.git_ok_in(dir, "pull --quiet");
        let said = team.try_sq_in(dir, "check").stdout;
        assert_has!(
            said,
            &format!("error: entry {} is no longer in the log: redacted by", entry(0))
        );
    }
}

#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn a_redaction_waits_as_long_as_its_entry() {
    let team = Team::new();
    team.git_ok("checkout --quiet -b hidden");
    let redact = || {
        let log = team.sq(&team.clone, &["log", "--format", "json"]).json();
        let id = log["entries"][0]["id"].as_str().unwrap();
        team.world.person_ok_in(&team.clone, &format!("redact {id} --because '{WHY}'"));
    };
    team.write("standing_questions.json", git_sq_test_support::store(&["q1"]) + "\n");
    team.sq_ok(&format!("record --sid s1 q1={TEXT}"));
    redact();
    assert_has!(team.sq_ok("sync"), "2 entries wait");
    assert!(team.lines_on_remote().is_empty());
    team.git_ok("add --all");
    team.commit(&team.clone, "Work");
    team.git_ok("push --quiet -u origin hidden");
    team.sq_ok("sync");
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
    // One that waits for nothing but its commit goes with it.
    team.git_ok("checkout --quiet -b other");
    team.commit(&team.clone, "More");
    team.sq_ok("record --sid s2 --same q1=more");
    redact();
    team.git_ok("push --quiet origin other:main");
    team.sq_ok("sync");
    assert_eq!(team.lines_on_remote(), team.lines(&team.clone));
}

/// The change says what was there before.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn what_quotes_a_redacted_answer_is_named() {
    let world = World::new();
    world.ask_json(r#"{"id": "q1", "q": "Which host?", "importance": 2, "shape": "text"}"#);
    world.sq_ok(&format!("record --sid s1 q1={TEXT}"));
    world.commit("More");
    world.sq_ok("record --sid s2 q1=public");
    assert_eq!(world.newest()["results"][0]["note"], format!("was {TEXT}, is public"));
    let [first, second] = ids(&world, "rederive").try_into().unwrap();
    let said = world.person_ok(&format!("redact {first} --because secret"));
    assert_has!(said, &format!("These repeat or quote it, and are not redacted: {second}\n"));
}

/// A redaction can't be taken back.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn what_a_probe_finds_again_quotes_nothing() {
    let world = World::new();
    world.write("version", "version 1.58.0\n");
    let probe = r#"{"text": {"file": "version", "pattern": "version (.*)"}}"#;
    let fact =
        format!(r#"{{"id": "q2", "q": "Which version?", "importance": 2, "probe": {probe}}}"#);
    world.ask_json(&format!(r#"{{"id": "q1", "q": "Who?", "importance": 2}}, {fact}"#));
    world.sq_ok("record --sid s1 q1=us");
    world.commit("More");
    world.sq_ok(&format!("record --sid s2 --delta q1={TEXT}"));
    let [first, second] = ids(&world, "rederive").try_into().unwrap();
    let said = world.person_ok(&format!("redact {second} --because secret"));
    assert!(!said.contains("repeat or quote"), "{said}");
    assert_has!(said, &format!("a probe found the same, which may be what has to go: {first}\n"));
}

/// A bare `same` has the answer that it repeats, for readers with git alone: no command reads it there.
#[test]
#[cfg_attr(windows, ignore = "needs a pseudo-terminal")]
fn what_repeats_a_redacted_answer_is_named_and_nothing_copies_it() {
    let world = World::asked();
    world.sq_ok(&format!("record --sid s1 q1={TEXT}"));
    world.commit("More");
    world.sq_ok("record --sid s2 --same q1");
    let [first, second] = ids(&world, "rederive").try_into().unwrap();
    assert_eq!(world.newest()["results"][0]["repeats"], TEXT);
    let said = world.person_ok(&format!("redact {first} --because secret"));
    assert_has!(said, &format!("These repeat or quote it, and are not redacted: {second}\n"));
    let asked = world.try_sq("record --sid s3 q1=other").transcript();
    assert!(asked.contains("redacted by") && !asked.contains(TEXT), "{asked}");
    world.commit("Even more");
    world.sq_ok("record --sid s3 --same q1");
    assert_eq!(world.newest()["results"][0], json!({"q_id": "q1", "delta": false}));
    let reading = READING.split(';').filter(|line| !line.contains("export"));
    let shown: String = reading.map(|line| world.try_sq(line.trim()).transcript()).collect();
    assert!(!shown.contains(TEXT), "{shown}");
    world.person_ok(&format!("redact {second} --because secret"));
    assert!(!read_all(&world).contains(TEXT));
}

/// What a refusal says of a new answer is not hidden with the old one.
#[test]
fn a_new_answer_after_a_redacted_one_is_refused_in_its_own_words() {
    let world = World::new();
    world.write("a.txt", "one\n");
    world.ask_json(r#"{"id":"q1","q":"Which?","importance":3,"watch":["a.txt"],"shape":"text"}"#);
    world.sq_ok("record --sid s1 q1=one --cite q1=a.txt:1");
    world.person_ok(&format!("redact {} --because {WHY:?}", ids(&world, "rederive")[0]));
    world.change("a.txt", "two\n");
    let refused = world.try_sq("record --sid s2 q1=three --cite q1=a.txt:1");
    assert_has!(refused.stderr, "\"three\" is not in a.txt:1");
    assert_has!(world.sq_ok("show q1 --format markdown"), "It stands as: outdated");
}
