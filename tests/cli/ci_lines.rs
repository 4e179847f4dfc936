//! No text of the repository or the log becomes a command of the CI system that reads the output.

use git_sq_test_support::{Ran, World, event_line, store_v2};
use serde_json::{Value, json};

const COMMANDS: [&str; 5] = [
    "::error::x",
    "##[error]x",
    "##vso[task.complete]x",
    "##teamcity[buildStop]x",
    "section_start:1:x",
];

const MARGINS: [&str; 8] = ["", "   ", "\t", "a\r", "\r", "\u{1b}[31m", "\u{a0}\u{2003}", "a\n  "];

/// The runs of systems that obey lines.
const SYSTEMS: [(&str, &str); 4] = [
    ("GITHUB_ACTIONS", "true"),
    ("GITLAB_CI", "true"),
    ("TF_BUILD", "True"),
    ("TEAMCITY_VERSION", "2026.1"),
];

const READING: &[&str] = &[
    "",
    "status --format json",
    "brief",
    "brief --format markdown",
    "brief --format json",
    "brief --form",
    "log --kind all",
    "log --kind all --oneline",
    "log --kind all --format jsonl",
    "log --kind all --format json",
    "show q0",
    "show q0 --format markdown",
    "show HEAD",
    "show '::error::x'",
    "check",
    "check --base HEAD~1",
    "check --format markdown",
    "check --format json",
    "check --format gitlab",
    "check --format sarif",
    "check --format junit",
    "check --base HEAD~1 --format github",
    "ci --base HEAD~1",
    "ci --base HEAD~1 --format text",
    "ci --base HEAD~1 --format markdown",
    "ci --base HEAD~1 --format sarif",
    "doctor",
    "carry --dry-run",
    "state show --last 9",
    "tension list --all",
    "tension next",
    "tension tick",
    "tension show 01KDVS00000000000000000001",
    "probe lines",
    "probe lines --format json",
    "trace lines",
    "verify",
    "verify --format markdown",
    "triage --all",
    "stats",
    "stats --format openmetrics --by-question",
    "fleet .",
    "report",
    "question list",
    "question lint",
    "question history q0",
    "question test q0",
    "facts",
    "question approve --list",
    "export",
    "complete -- show q",
    "show nothing-of-this-name",
    "probe nothing",
    "question retire '::error::x'",
];

/// Every command, with every margin.
fn texts() -> impl Iterator<Item = String> {
    COMMANDS.iter().flat_map(|command| MARGINS.map(|margin| format!("{margin}{command}")))
}

/// A world whose paths, subjects, questions, answers, states, tensions and verdicts are such texts.
fn world() -> World {
    let world = World::new();
    world.git_ok("config user.name '::error::Ada'");
    world.git_ok("branch -m main 'x##error'");
    for text in COMMANDS {
        world.write(&format!("src/{text}"), text);
        world.write(text, text);
    }
    let lines: String = texts().map(|text| text.replace('\n', " ") + "\n").collect();
    world.write("lines.txt", lines);
    let mut questions: Vec<Value> = texts()
        .enumerate()
        .map(|(number, text)| {
            json!({"id": format!("q{number}"), "q": text.replace(['\n', '\r', '\u{1b}'], " "),
                "importance": 2, "watch": [text.trim().to_owned() + "*"], "max_staleness": 1})
        })
        .collect();
    let grep = json!({"grep": {"pattern": ".*[:#].*", "paths": ["lines.txt"]}});
    questions.push(json!({"id": "lines", "q": "Lines?", "importance": 2, "probe": grep}));
    let run = json!({"run": ["::error::x", "##[error]x"]});
    questions.push(json!({"id": "run", "q": "Run?", "importance": 2, "probe": run}));
    let json: Vec<String> = questions.iter().map(ToString::to_string).collect();
    world.write("standing_questions.json", store_v2(&json.join(",")));
    world.commit("::error::one");
    for subject in texts() {
        world.write("src/a.rs", &subject);
        world.write("::error::x", subject.clone() + "\n");
        world.git(&["add", "--all"]).ok();
        world.git(&["commit", "--quiet", "--cleanup=verbatim", "-m", &subject]).ok();
    }
    let head = world.head();
    let mut number = 0;
    let mut line = |kind: &str, body: &Value| {
        number += 1;
        event_line(&head, kind, &format!("01KDVS{number:020}"), body)
    };
    let mut planted = Vec::new();
    for (place, text) in texts().enumerate() {
        let ts = "2026-01-01T00:00:00.000Z";
        let cite = json!([{"path": text, "lines": [1, 1]}]);
        let delta = place % 2 == 0;
        let result = json!({"q_id": format!("q{}", place % 3), "q_version": 1,
            "last_rederived_ts": ts, "delta": delta, "note": text, "answer": text, "cites": cite});
        let by = json!({"name": text, "email": text});
        planted.push(line(
            "tension.open",
            &json!({"type": "gap", "topic": text, "source": text,
            "curiosity": 0.5, "intrusiveness": 0.5, "expires": "2027-01-01T00:00:00.000Z"}),
        ));
        planted.push(line(
            "rederive",
            &json!({"results": [result], "by": by, "sid": text,
            "head": {"branch": text, "dirty": false, "commits": 1}}),
        ));
        planted.push(line(
            "state",
            &json!({"status": text, "handover": text, "done": [text],
            "next": [text], "agent": {"name": text}}),
        ));
        planted
            .push(line("verdict", &json!({"q_id": "q0", "verdict": "expected", "because": text})));
        planted.push(text.clone() + "\n");
    }
    world.plant_lines(&planted);
    for (number, text) in COMMANDS.iter().enumerate() {
        world.sq_ok(&format!(
            "record --sure --sid s{number} 'q{number}={text}' --cite 'q{number}=lines.txt:1-2'"
        ));
        world.sq_ok(&format!("state set --sid s{number} --status '{text}' --done '{text}'"));
        world.sq_ok(&format!("tension open '{text}' --type gap --source '{text}'"));
    }
    world
}

/// The lines that the runner of a CI system would obey, blanks and colours aside.
fn obeyed(text: &str) -> Vec<&str> {
    let plain = |line: &str| {
        let mut rest = line.trim_start().to_owned();
        while let Some((before, after)) = rest.split_once("\u{1b}[") {
            rest = before.to_owned() + after.split_once('m').map_or("", |(_, after)| after);
        }
        rest.trim_start().to_owned()
    };
    text.split(['\n', '\r'])
        .filter(|line| {
            let plain = plain(line);
            let begins = ["::", "section_start:", "section_end:"];
            begins.iter().any(|command| plain.starts_with(command))
                || ["##[", "##vso[", "##teamcity["].iter().any(|command| line.contains(command))
        })
        .collect()
}

/// What was said that would be obeyed, beside the annotations that were asked for.
fn commands(line: &str, ran: &Ran) -> Vec<String> {
    let annotations = ["::error file=", "::warning file=", "::error title=", "::warning title="];
    let is_asked_for = |said: &&str| {
        (line.ends_with("github") || line == "ci --base HEAD~1")
            && annotations.iter().any(|start| said.starts_with(start))
    };
    let said = obeyed(&ran.stdout).into_iter().filter(|said| !is_asked_for(said));
    said.chain(obeyed(&ran.stderr)).map(|said| format!("{line}: {said:.90}")).collect()
}

#[test]
fn no_output_is_a_command_of_a_ci_system() {
    let mut world = world();
    let seen: usize = READING.iter().map(|line| obeyed(&world.try_sq(line).stdout).len()).sum();
    assert!(seen > 100, "the test would see nothing: {seen}");
    for (variable, value) in SYSTEMS {
        world = world.env(variable, value);
        let some =
            if variable == "GITHUB_ACTIONS" { READING } else { &["", "probe lines", "log"][..] };
        for line in some {
            for colour in ["", "--color always "] {
                let ran = world.try_sq(&format!("{colour}{line}"));
                assert_ne!(ran.code, 129, "{}", ran.transcript());
                assert_eq!(commands(line, &ran), [""; 0], "{variable}");
            }
        }
        world = world.env(variable, "");
    }
}

#[test]
fn what_is_printed_for_a_ci_system_is_the_same_data() {
    let world = world();
    let lines =
        ["log --kind all --format json", "check --format sarif", "probe lines --format json"];
    let before = lines.map(|line| world.try_sq(line).json());
    let world = world.env("GITHUB_ACTIONS", "true");
    assert_eq!(before, lines.map(|line| world.try_sq(line).json()));
}
