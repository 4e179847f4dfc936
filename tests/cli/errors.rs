//! Every message of an error, in a snapshot: what, why, and what to do.

use git_sq_test_support::{Ran, World, event_line};
use serde_json::json;

/// Errors one after the other, each below the words that met it.
#[derive(Default)]
struct Errors(String);

impl Errors {
    #[track_caller]
    fn add(&mut self, said: &str, ran: &Ran) {
        assert_eq!(ran.code, 128, "{}", ran.transcript());
        self.0 += &format!("$ git sq {said}\n{}\n", ran.transcript());
    }

    /// Runs these lines, each of which is an error.
    #[track_caller]
    fn of(&mut self, world: &World, lines: &[&str]) {
        for line in lines {
            self.add(&line.replace('\u{1b}', "ESC"), &world.try_sq(line));
        }
    }

    /// The same for a user without a name.
    #[track_caller]
    fn of_nobody(&mut self, world: &World, line: &str) {
        let root = world.root();
        let env = [("HOME", root.to_str().unwrap()), ("GIT_CONFIG_GLOBAL", "/dev/null")];
        self.add(line, &world.sq_env(line, &env));
    }
}

macro_rules! assert_errors {
    ($errors:expr) => {
        insta::with_settings!({filters => vec![
            ("/[^ \n]*git-sq-test-[A-Za-z0-9]+", "[world]"),
            ("\\b[0-9a-f]{40}\\b", "[id]"),
        ]}, {
            insta::assert_snapshot!($errors.0);
        });
    };
}

#[test]
fn a_repository_says_what_is_missing() {
    let mut errors = Errors::default();
    errors.of(&World::without_repo(), &["check"]);
    let world = World::new();
    errors.of(&world, &["check"]);
    world.commit("one");
    errors.of(&world, &["check", "question lint"]);
    world.ask(&["q1"]);
    let lines = [
        "check --tip nonsense\u{1b}[2J",
        "schema nonsense",
        "import nowhere.jsonl",
        "show q7",
        "record --same q1,q9 --delta q2",
    ];
    errors.of(&world, &lines);
    errors.of_nobody(&world, "record --same q1=x");
    let json = world.sq_with_input(&["record", "--json", "-"], "{\"results\":{}}");
    errors.add("record --json -", &json);
    assert_errors!(errors);
}

#[test]
fn carry_says_what_it_can_t_do() {
    let mut errors = Errors::default();
    let world = World::new();
    errors.of(&world, &["carry"]);
    let head = world.ask(&["q1"]);
    world.record("s01").ok();
    errors.of(
        &world,
        &[
            "carry --onto HEAD nonsense\u{1b}[2J",
            "carry abc",
            "carry 0123456789",
            "carry --onto nowhere",
            "carry --pr HEAD",
            "carry --pr HEAD...HEAD",
            "carry --pr nowhere..HEAD",
            "carry --sid 'a b'",
        ],
    );
    // Two commits that have entries and begin alike.
    let twin = |end: &str| format!("{}{end}", &head[..36]);
    let (one, two) = (twin("0000"), twin("ffff"));
    world.plant(&[(&one, b"{}\n"), (&two, b"{}\n")]);
    errors.of(&world, &[&format!("carry {}", &head[..8])]);
    errors.0 = errors.0.replace(&head[..8], "[twin]");
    errors.of_nobody(&world, "carry --onto HEAD");
    assert_errors!(errors);
}

#[test]
fn tension_says_what_it_can_t_do() {
    let mut errors = Errors::default();
    let world = World::new();
    errors.of(&world, &["tension list"]);
    world.change("a.txt", "one\n");
    let usual = "--type gap --curiosity 0.5 --source test --intrusiveness 0.5";
    for more in [
        "--ttl soon",
        "--ttl=-3d",
        "--cite somewhere\u{1b}[2J",
        "--cite b.txt:1",
        "--cite a.txt:1-2",
        "--cite 01M7ZXRVN3A0K7Q5W8YB6CDE2F",
    ] {
        errors.of(&world, &[&format!("tension open Why? {usual} {more}")]);
    }
    let open = "tension open ' ' --type gap --curiosity 0.5 --source 'a\nb' --intrusiveness NaN";
    errors.of(&world, &[open]);
    let (topic, source) = ("x\u{301}\u{302}".repeat(281), "x".repeat(141));
    let long = format!(
        "tension open {topic} --type gap --curiosity 0.5 --source {source} --intrusiveness=-0.1"
    );
    errors.add("tension open (281) --source (141)", &world.try_sq(&long));
    let tower = "x".to_owned() + &"\u{301}".repeat(9000);
    let tower = world.try_sq(&format!("tension open {tower} {usual}"));
    errors.add("tension open (one character)", &tower);
    assert_eq!(world.lines(), [""; 0]);
    // Two that begin alike, and an id that nobody honest writes: as long as a whole entry.
    let head = world.head();
    let opened =
        json!({"topic": "?", "type": "gap", "source": "s", "curiosity": 1, "intrusiveness": 1});
    let long = "LONG".repeat(16_290);
    let mut lines =
        ["TWINA", "TWINB", &long].map(|id| event_line(&head, "tension.open", id, &opened)).to_vec();
    let closed = json!({"tension": "TWINB", "as": "withdrawn", "note": "n"});
    lines.push(event_line(&head, "tension.close", "END", &closed));
    world.plant_lines(&lines);
    for id in ["TWINB", "twin", "INA", "no\u{1b}where", "LONG"] {
        let close = format!("tension close {id} --as resolved --note x");
        errors.of(&world, &[&close]);
    }
    let note = "tension close TWINA --as resolved --note a\u{2028}b";
    errors.of(&world, &[note, "tension show nowhere"]);
    errors.of_nobody(&world, "tension close TWINA --as resolved --note x");
    assert_errors!(errors);
    assert_eq!(world.lines().len(), 4);
}

#[test]
fn sessions_say_what_they_can_t_do() {
    let mut errors = Errors::default();
    let world = World::new();
    errors.of(&world, &["state set --next x"]);
    world.commit("Begin");
    let lines = ["session start --sid 'a b'", "state set", "state set --json nowhere.json"];
    errors.of(&world, &lines);
    let long = "x".repeat(300);
    let long = format!("state set --status {long} --next {long}");
    errors.add("state set (300)", &world.try_sq(&long));
    for text in ["{\"done\": \"x\"}", "{\"status\": \"a\\u0000\"}"] {
        let ran = world.sq_with_input(&["state", "set", "--json", "-"], text);
        errors.add(&format!("state set --json - <<<'{text}'"), &ran);
    }
    let world = world.env("SQ_AGENT", "a".repeat(70_000));
    errors.of(&world, &["state set --next x"]);
    assert_errors!(errors);
}

#[test]
fn programs_get_errors_as_json() {
    let world = World::asked();
    let error = |line: &str| {
        let ran = world.try_sq(line);
        super::generated::assert_valid("error", &serde_json::from_str(&ran.stderr).unwrap());
        format!("{}--- exit {}", ran.stderr, ran.code)
    };
    insta::assert_snapshot!(error("check --tip nowhere --format json"), @r#"
    {"schema":"sq.error/v1","code":128,"errors":["\"nowhere\" does not name a commit"],"hints":["give a branch, a tag or a commit, as in HEAD~3"],"places":[]}
    --- exit 128
    "#);
    insta::assert_snapshot!(error("check --nonsense --format=json"), @r#"
    {"schema":"sq.error/v1","code":129,"errors":["unexpected argument '--nonsense' found"],"hints":["`git sq help check` explains it"],"places":[]}
    --- exit 129
    "#);
    world.write("standing_questions.json", "{\n  \"_schema\": 1 }");
    world.commit("break it");
    insta::assert_snapshot!(error("brief --format json"), @r#"
    {"schema":"sq.error/v1","code":128,"errors":["invalid question store edbff151f2:standing_questions.json"],"hints":["fix it, check it with `git sq question lint`, and commit it: HEAD's questions are used"],"places":[{"file":"edbff151f2:standing_questions.json","line":2,"column":14,"message":"expected a string","hint":null}]}
    --- exit 128
    "#);
}
