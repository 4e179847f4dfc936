//! The question store: what is accepted, and what its errors say.

use std::fmt::Write as _;

use git_sq_test_support::{Ran, World, store};

const STORE: &str = "standing_questions.json";

fn lint(world: &World, text: impl AsRef<[u8]>) -> Ran {
    world.write(STORE, text);
    // Of a file that git does not track, no line is quoted.
    world.git_ok(&format!("add {STORE}"));
    world.sq(&["question", "lint"])
}

fn v2(questions: &str) -> String {
    format!(
        "{{\n  \"_schema\": \"standing_questions/v2\",\n  \"questions\": [\n    {questions}\n  ]\n}}\n"
    )
}

/// A store of one question that has these members, too.
fn one(members: &str) -> String {
    v2(&format!(r#"{{ "id": "q1", "q": "?", "importance": 1, {members} }}"#))
}

#[test]
fn errors_point_at_their_places() {
    let world = World::new();
    let mut all = String::new();
    for (name, text) in [
        ("JSON", store(&[]).replace("[\n\n  ]", "[,]")),
        ("cut off", "{\n  \"_schema\": ".into()),
        ("empty file", String::new()),
        ("no object", "[1]".into()),
        ("no schema", "{ \"questions\": [] }".into()),
        ("unknown schema", r#"{ "_schema": "standing_questions/v9", "questions": [] }"#.into()),
        ("v2 in v1", one(r#""watch": [], "status": "trial""#).replace("/v2", "/v1")),
        ("null", one("\"x-mine\": null, \"watch\": null")),
        (
            "duplicates",
            v2(r#"{ "id": "q1", "q": "?", "importance": 1 },
    { "id": "q1", "q": "!", "importance": 1 },
    { "id": "q1", "q": "!", "importance": 1, "version": 2 }"#),
        ),
        (
            "one in each question",
            v2(r#"{ "id": "q1", "q": "?", "importance": 1, "importence": 2, "x-mine": 1 },
    { "id": "q2", "q": "?", "q": "!", "importance": 1 },
    { "id": "q3", "q": "?", "importance": "high" },
    { "id": "q4" },
    { "id": "q5", "q": "?", "importance": 1, "status": "done" },
    { "id": "q6", "q": "?", "importance": 1, "status": 1 },
    { "id": "q7", "q": "?", "importance": 1, "max_staleness": -1 },
    { "id": "q8", "q": "?", "importance": 1, "watch": "src/" },
    "q9""#),
        ),
        (
            "several in one question",
            v2(
                r#"{ "id": "1", "q": " ", "importance": 4, "version": 0, "shape": { "enum": ["a"] },
      "trigger": { "every": "soon" }, "created": "once", "watch": [""], "lines": "" }"#,
            ),
        ),
        (
            "probes",
            v2(r#"{ "id": "q1", "q": "?", "importance": 1, "probe": { "shell": "ls" } },
    { "id": "q2", "q": "?", "importance": 1, "probe": { "run": [] } },
    { "id": "q3", "q": "?", "importance": 1, "probe": { "files": [] } },
    { "id": "q4", "q": "?", "importance": 1, "probe": { "grep": { "text": "x", "regex": true } } },
    { "id": "q5", "q": "?", "importance": 1, "probe": { "grep": 1 } }"#),
        ),
        (
            "settings",
            r#"{
  "_schema": "standing_questions/v2",
  "settings": { "staleness": { "max": "five" }, "quiet": { "accepted_through": "now" },
    "tension": { "floor": 2, "ttl": "soon", "caps": 1 }, "tempo": 1, "staleness.max": 3,
    "ignore_lines": [], "ignore_lines.x": 1, "clock": 5 },
  "questions": [{ "id": "q1", "q": "?", "importance": 1 }]
}"#
            .into(),
        ),
    ] {
        let ran = lint(&world, text).exits(128);
        writeln!(all, "# {name}\n{}", ran.stderr).unwrap();
    }
    writeln!(all, "# UTF-8\n{}", lint(&world, b"{\"a\": \"\xff\"}").stderr).unwrap();
    let marked = "\u{feff}".to_owned() + &v2("");
    writeln!(all, "# byte order mark\n{}", lint(&world, marked).stderr).unwrap();
    insta::assert_snapshot!("errors", all);
}

/// Who pushes a store decides how much work it is to read.
#[test]
fn a_store_takes_so_many_questions_and_shows_so_many_errors() {
    let store = |many: usize, members: &str| {
        let question = |id| format!(r#"{{"id": "q{id}", "q": "?", "importance": 1, {members}}}"#);
        v2(&(0..many).map(question).collect::<Vec<_>>().join(","))
    };
    let world = World::new();
    lint(&world, store(1000, r#""lines": "x""#)).ok();
    assert_has!(lint(&world, store(1001, r#""lines": "x""#)).stderr, "more than 1000 questions");
    let costly = lint(&world, store(1000, r#""watch": ["a"], "lines": "\\w{60}""#)).stderr;
    assert_has!(costly, "100 errors");
}

/// What `git sq question lint` prints of these, `errors_point_at_their_places` shows.
#[test]
fn what_no_question_can_say_is_refused() {
    let parse = |members: &str| git_sq::question::parse(STORE, one(members).as_bytes());
    let refused = r#"
"probe": {"grep": {"paths": ["a"]}} => `grep` takes either `pattern` or `text`
"probe": {"grep": {"text": "", "paths": ["a"]}} => `text` is empty
"probe": {"grep": {"pattern": "(", "paths": ["a"]}} => is no regular expression
"probe": {"grep": {"pattern": "a{9999}{9999}", "paths": ["a"]}} => the pattern is too large
"probe": {"grep": {"pattern": "a", "paths": ["a"], "capture": 1}} => has no group 1
"probe": {"files": {"paths": []}} => expected non-empty pathspecs
"probe": {"tree": "../x"} => is no path from the root of the repository
"probe": {"tree": "/etc"} => is no path from the root of the repository
"probe": {"value": {"file": "a", "pointer": "b"}} => `pointer` begins with `/`
"probe": {"text": {"file": "a"}} => exactly one of
"probe": {"text": {"file": "a", "lines": [2, 1]}} => two lines in order
"probe": {"agree": [{"tree": "a"}]} => at least two probes
"probe": {"agree": [{"tree": "a"}, {"run": ["x"]}]} => takes no `run`
"probe": {"run": []} => expected a program
"probe": {"run": ["a"], "timeout": "soon"} => `timeout` is a duration
"probe": {"run": ["a"], "timeout": "2d"} => at most a day
"probe": {"run": ["a"], "take": "lines"} => expected one of `exit`, `stdout`, `capture`
"probe": {"run": ["a"], "shell": true} => unknown key `shell`
"probe": {"run": "a"} => expected an array
"probe": {"tree": "a", "run": ["a"]} => unknown key `tree`
"watch": ["src/"], "lines": "(fn" => is no regular expression
"expect": {"change": 1} => expected `increase`
"expect": {"pattern": "("} => is no regular expression
"expect": {"pattern": ""} => empty regular expression
"expect": {"when": []} => expected at least one pathspec
"shape": "boolean", "expect": "increse" => expected true or false
"shape": "boolean", "expect": {"at_most": 3} => a limit needs the shape `number`
"shape": "number", "expect": {"at_most": "3.10"} => "3.10" is no limit of such answers
"shape": "text", "expect": {"at_most": "new"} => "new" is no limit of such answers
"shape": {"enum": ["yes", "no"]}, "expect": "maybe" => expected one of: yes, no
"shape": "number", "expect": "many" => expected a number
"expect": true => the answer is a text
"probe": {"lines": {"paths": ["a"]}}, "expect": {"at_last": 3} => expected `increase`
"#;
    for row in refused.trim().lines() {
        let (members, message) = row.split_once(" => ").unwrap();
        let problems = parse(members).unwrap_err().problems;
        let says = |problem: &git_sq::question::Problem| problem.message.contains(message);
        assert!(problems.iter().any(says), "{members}: {problems:#?}");
    }
    let taken = r#"
"shape": "boolean", "expect": "yes"
"shape": {"enum": ["yes", "no"]}, "expect": "no"
"expect": "MIT"
"expect": {"at_least": "v1.2-rc1"}
"probe": {"lines": {"paths": ["a"]}}, "expect": {"at_least": 0}
"shape": {"number": {"unit": "ms"}}, "expect": {"at_most": 5.5}
"#;
    for members in taken.trim().lines() {
        assert!(parse(members).is_ok(), "{members}");
    }
    // However deep it is nested.
    let deep = ["{\"agree\":[".repeat(50_000), "]}".repeat(50_000)].concat();
    let problems = parse(&format!("\"probe\": {deep}")).unwrap_err().problems;
    assert!(problems[0].message.contains("nested too deep"), "{problems:#?}");
}

#[test]
fn long_lines_are_named_and_not_quoted() {
    let world = World::new();
    let key = "y".repeat(300);
    let ran = lint(&world, one(&format!("\"{key}\": 1")));
    let expected = format!(
        "fatal: invalid question store {STORE}\n  {STORE}:4:46: unknown key `{}…\n    custom keys begin with `x-`\nhint: ",
        &key[..186]
    );
    assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
    let error = world.try_sq("question lint --format json").stderr;
    assert!(error.len() < 600, "{error}");
    assert_has!(lint(&world, "[".repeat(100_000)).stderr, ":1:100000: invalid JSON");
    let deep = "[".repeat(50_000) + &"]".repeat(50_000);
    assert_has!(lint(&world, one(&format!("\"x-deep\": {deep}"))).stderr, "nested too deep");
}

#[test]
fn keys_that_nothing_acts_on_yet_are_checked_and_kept() {
    let text = one(r#""lines": "^version", "trigger": { "sessions": 5 }"#);
    let settings = r#""settings": { "unanswered": { "max_run": 3, "x-why": 1 }, "second.per_session": 0,
        "cite": { "x-why": 1 }, "ignore_lines": ["ab12"] }, "questions""#;
    let text = text.replace("\"questions\"", settings);
    let set = git_sq::question::parse(STORE, text.as_bytes()).unwrap();
    assert_eq!(set.questions[0].lines.as_deref(), Some("^version"));
    let settings = set.settings;
    assert_eq!(settings.unanswered.max_run, 3);
    let second = settings.second;
    assert_eq!(second.per_session, 0);
    assert_eq!((settings.cite.max_lines, settings.cite.edge), (40, 25));
    assert_eq!(settings.ignore_lines, ["ab12"]);
}

#[test]
fn lint_gives_advice() {
    let world = World::new();
    let many: Vec<String> = (1..=16).map(|n| format!("q{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let text = store(&many).replace("/v1", "/v2").replacen(
        "\"importance\": 3 }",
        "\"importance\": 3, \"trigger\": \"on_change\" }",
        1,
    );
    insta::assert_snapshot!(lint(&world, text).ok(), @"
    warning: 16 active questions, more than 15: retire those that no longer earn their keep
    warning: q1 is due on change but watches nothing: add pathspecs under `watch`
    standing_questions.json: OK, 16 questions, 16 active
    ");
}

/// Some say what can never be, and the others change nothing.
#[test]
fn lint_names_keys_without_effect() {
    let world = World::new();
    let question =
        |id: &str, keys: &str| format!(r#"{{"id": "{id}", "q": "?", "importance": 1, {keys}}}"#);
    let questions = [
        question("up", r#""shape": "boolean", "expect": "increase""#),
        question("down", r#""shape": {"enum": ["a", "b"]}, "expect": "decrease""#),
        question("list", r#""shape": "list", "expect": "increase""#),
        question("number", r#""shape": "number", "expect": "increase""#),
        question("version", r#""shape": "text", "expect": "increase""#),
        question("phase", r#""shape": {"enum": ["1", "2"]}, "expect": "increase""#),
        question("lines", r#""lines": "fn""#),
        question("limit", r#""max_staleness": 2, "probe": {"tree": "src"}"#),
        question("weekly", r#""trigger": {"every": "7d"}, "probe": {"tree": "src"}"#),
        question("soft", r#""expect": "stable", "probe": {"tree": "src"}"#),
    ];
    world.change("src/a.rs", "1\n");
    let text = format!(
        r#"{{"_schema": "standing_questions/v2", "questions": [{}]}}"#,
        questions.join(",\n")
    );
    insta::assert_snapshot!(lint(&world, text).transcript(), @r#"
    error: up is expected to increase, and answers of its shape never do: only numbers and versions can
    error: down is expected to decrease, and answers of its shape never do: only numbers and versions can
    error: list is expected to increase, and answers of its shape never do: only numbers and versions can
    warning: lines has `lines` but watches nothing: add pathspecs under `watch`
    warning: limit is a fact, which no session owes: `trigger` and `max_staleness` have no effect
    warning: weekly is a fact, which no session owes: `trigger` and `max_staleness` have no effect
    warning: soft is expected to stay, which has no effect without `"severity": "blocking"`
    standing_questions.json: not OK, 10 questions, 10 active
    --- exit 1
    "#);
}

#[test]
fn a_branch_older_than_the_store_is_told_which_branch_has_one() {
    let world = World::new();
    world.commit("before");
    world.git_ok("branch old");
    world.ask(&["q1"]);
    world.sq_ok("record --sid s1 --same q1=x");
    let main = world.head();
    world.git_ok("switch --quiet old");
    let brief = world.try_sq("brief").transcript().replace(&main[..10], "[main]");
    insta::assert_snapshot!(brief, @"
    --- stderr
    fatal: this commit has no question store, and main has one (standing_questions.json)
    hint: merge that branch, or take the file from it: `git checkout [main] -- standing_questions.json`
    --- exit 128
    ");
    assert_eq!(world.try_sq("record --same q1").code, 128);
    assert_eq!(world.try_sq("log").code, 0);
    assert_eq!(world.try_sq("show").code, 0);
}
