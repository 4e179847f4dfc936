//! What the gate prints for the pages of a CI.

use std::fs;

use git_sq_test_support::{World, each};
use insta::assert_snapshot;
use serde_json::{Value, json};

use super::proofs;

/// A world with a question that is stale, one that watches nothing, and a line that can't be read.
fn world() -> World {
    let world = World::new();
    world.write("context/standing_questions.json", STORE);
    world.write("src/a.rs", "0");
    world.commit("ask");
    world.sq_ok("record --sid s0 --same q2=src/a.rs:1");
    for number in 1..=3 {
        let how = if number == 1 { "same" } else { "delta" };
        world.sq_ok(&format!("record --sid s{number} --{how} q1=src/a.rs:1"));
        world.write("src/a.rs", number.to_string());
        world.commit("work");
    }
    world.git_ok("notes --ref=sq append -m '{broken' HEAD~1");
    world
}

const STORE: &str = r#"{"_schema":"standing_questions/v2","settings":{"staleness":{"max":2}},
"questions":[
  {"id":"q1","q":"one?","importance":2,"watch":["src/"]},
  {"id":"q2","q":"two?","importance":2,"watch":["nowhere/"]}
]}
"#;

fn print(world: &World, format: &str) -> String {
    let ran = world.try_sq(&format!("check --format {format}")).exits(1);
    let digest = "be302461cda285db3ed2d45fb767b23e";
    ran.stdout.replace(digest, "[digest]")
}

#[test]
fn github_shows_annotations_and_a_summary() {
    let summary = World::without_repo();
    let path = summary.root().join("summary");
    let world = world().env("GITHUB_STEP_SUMMARY", path.display().to_string());
    fs::write(&path, "Before.\n").unwrap();
    assert_snapshot!(print(&world, "github"), @"
    ::error file=context/standing_questions.json,line=4,title=stale::q2 was last answered 3 sessions ago, in s0 (limit 2); src/a.rs:1, which was cited, changed since%0Arecord an answer at HEAD, or retire the question
    ::error file=context/standing_questions.json,line=1,title=unknown::a line on fa1aafb798 can't be read: key must be a string at line 1 column 2; a person closes it with `git sq check --accept [digest]`
    ::warning file=context/standing_questions.json,line=3,title=outdated::q1 is outdated: src/a.rs changed since fa1aafb798, where it was answered%0Arecord an answer at HEAD: `git sq brief`
    ::warning file=context/standing_questions.json,line=4,title=watches-nothing::q2 watches nowhere/, which matches no file%0Acorrect the pathspecs: files that do not exist never change
    not clean: q2 stale; 1 outdated
    ");
    assert_has!(world.try_sq("check").exits(1).stdout, "error: ", "unknown: ");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("Before.\n## Standing questions\n\n```text\n4 sessions on main"),
        "{text}"
    );
    // What can't be written is said, and changes nothing else.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    let ran = world.try_sq("check --format github").exits(1);
    let said = "::warning::could not write the job summary: ";
    assert_has!(ran.stdout, said);
}

#[test]
fn gitlab_shows_code_quality() {
    let printed: Value = serde_json::from_str(&print(&world(), "gitlab")).unwrap();
    let levels = ["major", "minor", "minor", "critical"];
    let rows = each(&printed);
    assert_eq!(rows.map(|row| row["severity"].clone()).collect::<Vec<_>>(), levels);
    assert_snapshot!(format!("{:#}", printed[0]), @r#"
    {
      "check_name": "stale",
      "description": "q2 was last answered 3 sessions ago, in s0 (limit 2); src/a.rs:1, which was cited, changed since\nrecord an answer at HEAD, or retire the question",
      "fingerprint": "893b8082cb31a169ed5917df1b9a419b243556b7517ede8d45d6dc94a86fa542",
      "location": {
        "lines": {
          "begin": 4
        },
        "path": "context/standing_questions.json"
      },
      "severity": "major"
    }
    "#);
}

#[test]
fn code_scanning_reads_sarif() {
    let printed: Value = serde_json::from_str(&print(&world(), "sarif")).unwrap();
    let run = &printed["runs"][0];
    assert_eq!(printed["version"], "2.1.0");
    assert_eq!(run["results"].as_array().unwrap().len(), 4);
    assert_snapshot!(format!("{:#}", run["results"][0]), @r#"
    {
      "level": "error",
      "locations": [
        {
          "physicalLocation": {
            "artifactLocation": {
              "uri": "context/standing_questions.json"
            },
            "region": {
              "startLine": 4
            }
          }
        }
      ],
      "message": {
        "text": "q2 was last answered 3 sessions ago, in s0 (limit 2); src/a.rs:1, which was cited, changed since\nrecord an answer at HEAD, or retire the question"
      },
      "ruleId": "stale"
    }
    "#);
    let rule = &run["tool"]["driver"]["rules"][1];
    assert_eq!(rule["id"], "stale");
    assert_has!(rule["help"]["markdown"].as_str().unwrap(), "**What it cannot tell.** ");
    assert_eq!(rule["shortDescription"], rule["fullDescription"]);
}

#[test]
fn verify_prints_sarif_too() {
    let (team, auditor) = proofs::team();
    let sarif = |code: i32| -> Value {
        let ran = team.sq(&auditor, &["verify", "--format", "sarif"]);
        assert_eq!(ran.code, code, "{}", ran.transcript());
        ran.json()["runs"][0].take()
    };
    assert_eq!(sarif(0)["results"], json!([]));
    let answer = ["record", "--sid", "s5", "q1=no", "--delta", "q1"];
    let cite = ["--cite", "q1=standing_questions.json:1"];
    team.sq(&auditor, &[answer.as_slice(), &cite].concat()).ok();
    team.sq(&auditor, &["sync"]).ok();
    // A publisher that still runs would put back what is taken out.
    team.settle(&auditor);
    proofs::rewrite(&team, "refs/notes/sq", |line| {
        let line = line.replace("\"path\":\"standing_", "\"path\":\"");
        (!line.contains("\"s3\"")).then_some(line)
    });
    proofs::fetch(&team, &auditor);
    let run = sarif(1);
    let rows = each(&run["results"]).map(|row| {
        let place = &row["locations"][0]["physicalLocation"];
        let [file, line] = [&place["artifactLocation"]["uri"], &place["region"]["startLine"]];
        format!("{} {} {file}:{line}\n", row["ruleId"], row["level"])
    });
    assert_snapshot!(rows.collect::<String>(), @r#"
    "proof/append-only" "error" "standing_questions.json":1
    "proof/whole" "error" "standing_questions.json":1
    "proof/whole" "error" "standing_questions.json":1
    "verify" "error" "standing_questions.json":4
    "#);
    let ids: Vec<&Value> = each(&run["tool"]["driver"]["rules"]).map(|rule| &rule["id"]).collect();
    assert_eq!(ids, ["proof/append-only", "proof/whole", "verify"]);
    let print = |args: &[&str]| {
        let ran = team.sq(&auditor, &[&["verify", "--format"], args].concat()).exits(1);
        ran.stdout
    };
    let github = print(&["github"]);
    let proof = "::error file=standing_questions.json,line=1,title=proof/";
    assert_eq!(github.matches(proof).count(), 3);
    let verdict =
        "\n2 of 8 proofs of the log fail\nverified 2 recorded answers: 1 stands, 1 does not\n";
    assert!(github.ends_with(verdict), "{github}");
    assert_has!(print(&["junit", "--log"]), "tests=\"3\" skipped=\"0\" failures=\"3\"");
    assert_has!(print(&["markdown", "--log"]), "## Standing questions\n\n```text\nappend-only ");
}

#[test]
fn test_reports_are_junit_s() {
    assert_snapshot!(print(&world(), "junit"), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="standing questions" tests="5" skipped="0" failures="1" errors="1">
        <testsuite name="git sq" tests="5" skipped="0" errors="1" failures="1">
            <testcase name="q1" classname="git sq"/>
            <testcase name="q2: stale" classname="git sq">
                <failure message="q2 was last answered 3 sessions ago, in s0 (limit 2); src/a.rs:1, which was cited, changed since" type="stale">q2 was last answered 3 sessions ago, in s0 (limit 2); src/a.rs:1, which was cited, changed since
    record an answer at HEAD, or retire the question</failure>
            </testcase>
            <testcase name="q1: outdated" classname="git sq">
                <system-out>q1 is outdated: src/a.rs changed since fa1aafb798, where it was answered
    record an answer at HEAD: `git sq brief`</system-out>
            </testcase>
            <testcase name="q2: watches-nothing" classname="git sq">
                <system-out>q2 watches nowhere/, which matches no file
    correct the pathspecs: files that do not exist never change</system-out>
            </testcase>
            <testcase name="unknown" classname="git sq">
                <error message="a line on fa1aafb798 can&apos;t be read: key must be a string at line 1 column 2; a person closes it with `git sq check --accept [digest]`" type="unknown">a line on fa1aafb798 can&apos;t be read: key must be a string at line 1 column 2; a person closes it with `git sq check --accept [digest]`</error>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

#[test]
fn a_session_s_name_is_no_command_of_the_runner() {
    let world = World::asked();
    world.record("s0");
    // A run, so that the sessions in it are listed.
    for sid in ["s1", "s2", "::error::s3"] {
        world.commit("move");
        world.sq_ok(&format!("record --sid {sid} --same q1"));
    }
    let commands = |text: &str| {
        text.lines().map(str::trim_start).filter(|line| line.starts_with("::")).count()
    };
    assert_eq!(commands(&world.try_sq("check").stdout), 1);
    let world = world.env("GITHUB_ACTIONS", "true");
    assert_eq!(commands(&world.try_sq("check").stdout), 0);
    let said = world.try_sq("ci --format sarif");
    assert_eq!(commands(&said.stderr), 0, "{}", said.stderr);
}

#[test]
fn a_text_stays_one_text_in_each_form() {
    let text = "]]> <failure/> & \"x\" %0A::add-mask::a,b=c";
    let world = World::new();
    let question = json!({"id": "q1", "q": "one?", "importance": 2, "version": 1, "watch": [text]});
    let store = json!({"_schema": "standing_questions/v2", "questions": [question]});
    world.change("standing_questions.json", store.to_string());
    let message = format!("q1 watches {text}, which matches no file");
    let print = |format: &str| world.try_sq(&format!("check --format {format}")).stdout;
    let github = print("github");
    assert!(github.contains(&message.replace('%', "%25")), "{github}");
    let commands = github.lines().filter(|line| line.starts_with("::"));
    assert_eq!(commands.count(), 2, "{github}");
    let parse = |format: &str| -> Value { serde_json::from_str(&print(format)).unwrap() };
    let gitlab = parse("gitlab")[1]["description"].clone();
    let sarif = parse("sarif")["runs"][0]["results"][1]["message"]["text"].clone();
    for told in [gitlab, sarif] {
        assert!(told.as_str().unwrap().starts_with(&message), "{told}");
    }
    let xml = print("junit");
    let report = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!((report.tests, report.failures), (3, 1), "{xml}");
}
