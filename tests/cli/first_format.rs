//! A store of `standing_questions/v1` is advised nothing that it can't follow.

use git_sq_test_support::{World, store};

use super::advice::{advised, run};

/// A store of the first format after four quiet sessions.
fn quiet() -> World {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    for number in 0..5 {
        world.pass(600);
        world.commit(&format!("work {number}"));
        world.sq_ok(&format!("record --sure --sid s{number} --same q1=a --same q2=b"));
    }
    world
}

/// Does to the store what is advised: `settings` are added, and the format is set if that is said.
fn set(world: &World, said: &str, settings: &str) {
    let mut text = store(&["q1", "q2"]).replacen('{', &format!("{{\"settings\": {settings}, "), 1);
    if said.contains("and set its `_schema` to \"standing_questions/v2\"") {
        text = text.replace("standing_questions/v1", "standing_questions/v2");
    }
    world.change("standing_questions.json", text);
    world.sq_ok("question lint");
}

#[test]
fn a_store_of_the_first_format_is_told_what_it_can_do() {
    let world = quiet();
    assert_eq!(world.verdict(""), "1 quiet-run");
    let said = world.try_sq("check").stdout;
    let from = said.find("{\"quiet\"").unwrap();
    let to = from + said[from..].find("}}").unwrap() + 2;
    set(&world, &said, &said[from..to]);
    assert_eq!(world.verdict(""), "0 quiet-run");

    let world = quiet();
    world.git_ok("notes --ref=sq append -m '{broken' HEAD");
    let said = world.try_sq("check").stdout;
    let digest = said.split("add \"").nth(1).unwrap().split('"').next().unwrap();
    set(&world, &said, &format!("{{\"ignore_lines\": [\"{digest}\"]}}"));
    assert_eq!(world.check(&[]).0["unknown"].as_array().unwrap().len(), 0);
}

#[test]
fn an_edit_of_a_question_of_the_first_format_becomes_a_version() {
    let world = World::new();
    world.ask(&["q1", "q2"]);
    let text = store(&["q1", "q2"]);
    world.sq_ok("record --same q1=a --same q2=b");
    let edited = text.replacen("\"q\": \"", "\"q\": \"really: ", 1);
    assert_ne!(edited, text);
    world.change("standing_questions.json", &edited);
    let said = world.try_sq("check").transcript();
    assert_has!(
        said,
        "undo the edit, then run `git sq question reword q1 'the new wording'`, which adds a version\n"
    );
    world.change("standing_questions.json", &text);
    let command = advised(&said).into_iter().find(|command| command.contains("reword")).unwrap();
    run(&world, &world.dir, command).ok();
    world.sq_ok("question lint");
    world.write("standing_questions.json", text.replace("q2", "q1"));
    assert_has!(
        world.try_sq("question lint").stderr,
        "`version`, for a new wording, needs standing_questions/v2"
    );
}
