//! A store of `standing_questions/v1` is advised nothing that it can't follow.

use git_sq_test_support::{World, store};

use super::advice::advised;

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
        "undo the edit, then run `git sq question reword q1 'the new wording'`, which adds a version [version-changed-in-place]\n"
    );
    world.change("standing_questions.json", &text);
    let command = advised(&said).into_iter().find(|command| command.contains("reword")).unwrap();
    world.shell_in(&world.dir, command).ok();
    world.sq_ok("question lint");
    world.write("standing_questions.json", text.replace("q2", "q1"));
    assert_has!(
        world.try_sq("question lint").stderr,
        "`version`, for a new wording, needs standing_questions/v2"
    );
}
